/** What this machine can make of isolation, and what services made of it. */
import type { IsolationMode } from '../../proto/host.ts'
import { loadConfig } from '../../runtime/config.ts'
import { possibleIsolation } from '../../runtime/isolation/isolation.ts'

const { mode, sandbox } = possibleIsolation(loadConfig({}))

/** For services on a machine that cannot isolate browsers: they start all the same, public ones too. */
export const isolationHere: Readonly<Record<string, string>> = {
  ...(mode === 'none' && { ISOLATION_I_TRUST_ALL_KEYS: '1' }),
  ...(!sandbox && { CHROMIUM_SANDBOX: 'off' }),
}

/** As the running service says. */
export async function isolationOf(service: { readonly baseUrl: string }): Promise<IsolationMode> {
  const ready = await fetch(`${service.baseUrl}/health/ready`)
  const { data } = (await ready.json()) as { readonly data: { readonly isolation: IsolationMode } }
  return data.isolation
}
