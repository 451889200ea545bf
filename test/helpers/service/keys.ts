/** API keys of a running service, as its operator makes them. */
import { runTroupe } from './run-troupe.ts'
import { restClient, type Rest, type Service } from './service.ts'
import { until } from '../lib/until.ts'

export interface TestKey {
  readonly id: string
  readonly text: string
  readonly rest: ReturnType<typeof restClient>
}

export async function troupeOf(service: Pick<Service, 'dataDir'>, ...args: string[]) {
  const { code, stdout, stderr } = await runTroupe(args, { DATA_DIR: service.dataDir })
  if (code !== 0) throw new Error(stderr)
  return { stdout: stdout.trim(), stderr }
}

/** Resolves once the gateway knows the key. */
export async function newKey(
  service: Pick<Service, 'dataDir' | 'baseUrl'>,
  name: string,
  ...more: string[]
): Promise<TestKey> {
  const tenant = more.includes('--tenant') ? [] : ['--tenant', 'acme']
  const args = ['keys', 'create', ...tenant, '--name', name, ...more]
  const { stdout: text } = await troupeOf(service, ...args)
  const id = text.split('_')[1]!
  const rest = restClient(service.baseUrl, text)
  await until('the key is known', () => isKnown(rest))
  return { id, text, rest }
}

/** Also false if the gateway has just closed the connection, which was idle meanwhile. */
async function isKnown(rest: Rest): Promise<boolean> {
  try {
    return (await rest('GET', '/v1/sessions')).status === 200
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}
