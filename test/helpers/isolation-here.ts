/** What this machine can make of isolation, and what services made of it. */
import type { IsolationMode } from '../../proto/host.ts'
import { loadConfig } from '../../runtime/config.ts'
import { possibleIsolation } from '../../runtime/isolation/isolation.ts'

/** By the pass that a file runs in: see `passes.ts`. */
const asked = process.env['NETWORK_ISOLATION']
const { mode, sandbox, hasOwnNetwork } = possibleIsolation(loadConfig({ NETWORK_ISOLATION: 'on' }))

/** For services on a machine that cannot isolate browsers: they start all the same, public ones too. */
export const isolationHere: Readonly<Record<string, string>> = {
  ...(hasOwnNetwork && asked && { NETWORK_ISOLATION: asked }),
  ...(mode === 'none' && { ISOLATION_I_TRUST_ALL_KEYS: '1' }),
  ...(!hasOwnNetwork && { NETWORK_ISOLATION: 'off' }),
  ...(!sandbox && { CHROMIUM_SANDBOX: 'off' }),
}

/** Whether the browsers of this file have a network of their own on a service that nobody else reaches. */
export const isOwnNetwork = isolationHere['NETWORK_ISOLATION'] === 'on'

/** As the running service says. */
export async function isolationOf(service: { readonly baseUrl: string }): Promise<IsolationMode> {
  const ready = await fetch(`${service.baseUrl}/health/ready`)
  const { data } = (await ready.json()) as { readonly data: { readonly isolation: IsolationMode } }
  return data.isolation
}
