/**
 * The password of a session's proxy: logs, and with them copies of the store, have it sealed only.
 * The browser's host, which has no key, gets it in clear with the claim.
 */
import type { SessionInput } from '../../../proto/session/session-protocol.ts'
import type { SessionOptions } from '../../../proto/session/session.ts'
import type { SealContext, Sealer } from '../../../runtime/accounts/seal/seal.ts'

const contextOf = (sessionId: string): SealContext => ['session', sessionId, 'proxy']

export function sealProxyPassword(sealer: Pick<Sealer, 'seal'>, input: SessionInput): SessionInput {
  const { id, options } = input
  if (options.proxy?.password === undefined) return input
  const { password, ...proxy } = options.proxy
  const sealedPassword = sealer.seal(password, contextOf(id))
  return { ...input, options: { ...options, proxy: { ...proxy, sealedPassword } } }
}

/** Logs of an older version have the password itself, which is passed on. */
export function openProxyPassword(
  sealer: Pick<Sealer, 'open'>,
  sessionId: string,
  options: SessionOptions,
): SessionOptions {
  if (options.proxy?.sealedPassword === undefined) return options
  const { sealedPassword, ...proxy } = options.proxy
  const password = sealer.open(sealedPassword, contextOf(sessionId))
  return { ...options, proxy: { ...proxy, password } }
}
