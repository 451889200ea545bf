/**
 * A tenant wants the service to itself: sessions that never end, as many as there can be. Method: a real
 * service with room for two, and two tenants.
 */
import t from 'tap'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { headless, restClient, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({
  env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0', MAX_SESSIONS: '2' },
})
t.teardown(() => service.stop())

async function tenant(name: string) {
  const args = ['keys', 'create', '--tenant', name, '--name', name]
  const { stdout, stderr } = await runTroupe(args, { DATA_DIR: service.dataDir })
  const rest = restClient(service.baseUrl, stdout.trim())
  await until(`the key is known: ${stderr}`, async () => {
    return (await rest('GET', '/v1/sessions')).status === 200
  })
  return rest
}

t.test('what one tenant cannot have is there for the other', async (t) => {
  const [greedy, other] = [await tenant('greedy'), await tenant('other')]
  const endless = { ...headless, session: { timeout: { max_duration: -1, idle_timeout: -1 } } }
  t.match(await greedy('POST', '/v1/sessions', endless), { status: 200 })
  t.match(await greedy('POST', '/v1/sessions', endless), {
    status: 429,
    body: {
      error: { type: 'session_limit', current: 1, limit: 1, message: /shared .*other tenants/ },
    },
  })
  t.match(await other('POST', '/v1/sessions', headless), { status: 200 })
  for (const rest of [greedy, other]) await rest('DELETE', '/v1/sessions/all')
})
