/** The isolation of browsers that this machine supports, and the isolation that a service uses. */
import type { IsolationMode } from '../../../proto/host.ts'
import { encoderLack } from '../../../node-agent/video/encoder.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { possibleIsolation } from '../../../runtime/browser-host/isolation/isolation.ts'

/** Set by the pass that a file runs in: see `passes.ts`. */
const asked = process.env['NETWORK_ISOLATION']
const { mode, sandbox, hasOwnNetwork } = possibleIsolation(loadConfig({}))

/** Lets services start on a machine that cannot isolate browsers, public ones too. */
export const isolationHere: Readonly<Record<string, string>> = {
  ...(hasOwnNetwork && asked && { NETWORK_ISOLATION: asked }),
  ...(mode === 'none' && { ISOLATION_I_TRUST_ALL_KEYS: '1' }),
  ...(!hasOwnNetwork && { NETWORK_ISOLATION: 'off' }),
  ...(!sandbox && { CHROMIUM_SANDBOX: 'off' }),
}

/** Whether this file's browsers have their own network. */
export const isOwnNetwork = isolationHere['NETWORK_ISOLATION'] !== 'off'

/** Whether sessions can be recorded on this machine. */
export const isRecording = encoderLack() === undefined

/** Whether this machine hides its files from browsers. */
export const isWalled = mode !== 'none'

/** As the running service reports it. */
export async function isolationOf(service: { readonly baseUrl: string }): Promise<IsolationMode> {
  const ready = await fetch(`${service.baseUrl}/health/ready`)
  const { data } = (await ready.json()) as { readonly data: { readonly isolation: IsolationMode } }
  return data.isolation
}
