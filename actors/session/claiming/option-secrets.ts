/**
 * What is secret in the options of a session: the password of its proxy, headers, a login of HTTP.
 * Logs, and with them copies of the store, have it sealed only. The browser's host, which has no key,
 * gets it in clear with the claim.
 */
import type { SetupSecrets } from '../../../proto/session/setup/browser-setup.ts'
import type { SessionInput } from '../../../proto/session/session-protocol.ts'
import type { SessionOptions } from '../../../proto/session/session.ts'
import type { SealContext, Sealer } from '../../../runtime/accounts/seal/seal.ts'

const contextOf = (sessionId: string, of: 'proxy' | 'setup'): SealContext => [
  'session',
  sessionId,
  of,
]

export function sealOptions(sealer: Pick<Sealer, 'seal'>, input: SessionInput): SessionInput {
  const { id, options } = input
  return { ...input, options: withSealedSetup(sealer, id, withSealedProxy(sealer, id, options)) }
}

/** Logs of an older version have the password itself, which is passed on. */
export function openOptions(
  sealer: Pick<Sealer, 'open'>,
  sessionId: string,
  options: SessionOptions,
): SessionOptions {
  return withOpenSetup(sealer, sessionId, withOpenProxy(sealer, sessionId, options))
}

/** For everybody who may see the session. */
export function withoutSecrets(options: SessionOptions): SessionOptions {
  const { proxy, setup, ...rest } = options
  if (!proxy && !setup) return options
  const { password: _, sealedPassword: __, ...shownProxy } = proxy ?? {}
  const { secrets: ___, sealedSecrets: ____, ...shownSetup } = setup ?? {}
  return {
    ...rest,
    ...(proxy && { proxy: { ...shownProxy, server: proxy.server } }),
    ...(setup && { setup: shownSetup }),
  }
}

function withSealedProxy(
  sealer: Pick<Sealer, 'seal'>,
  id: string,
  options: SessionOptions,
): SessionOptions {
  if (options.proxy?.password === undefined) return options
  const { password, ...proxy } = options.proxy
  const sealedPassword = sealer.seal(password, contextOf(id, 'proxy'))
  return { ...options, proxy: { ...proxy, sealedPassword } }
}

function withSealedSetup(
  sealer: Pick<Sealer, 'seal'>,
  id: string,
  options: SessionOptions,
): SessionOptions {
  if (options.setup?.secrets === undefined) return options
  const { secrets, ...setup } = options.setup
  const sealedSecrets = sealer.seal(JSON.stringify(secrets), contextOf(id, 'setup'))
  return { ...options, setup: { ...setup, sealedSecrets } }
}

function withOpenProxy(
  sealer: Pick<Sealer, 'open'>,
  id: string,
  options: SessionOptions,
): SessionOptions {
  if (options.proxy?.sealedPassword === undefined) return options
  const { sealedPassword, ...proxy } = options.proxy
  const password = sealer.open(sealedPassword, contextOf(id, 'proxy'))
  return { ...options, proxy: { ...proxy, password } }
}

function withOpenSetup(
  sealer: Pick<Sealer, 'open'>,
  id: string,
  options: SessionOptions,
): SessionOptions {
  if (options.setup?.sealedSecrets === undefined) return options
  const { sealedSecrets, ...setup } = options.setup
  const secrets = JSON.parse(sealer.open(sealedSecrets, contextOf(id, 'setup'))) as SetupSecrets
  return { ...options, setup: { ...setup, secrets } }
}
