/**
 * One rule for secrets in URLs: whatever route the URL is for, and wherever in it the secret is, it
 * is in some log by then. The request is refused, and a valid token or sign-in has ended before the
 * answer says so.
 */
import { systemAuthor } from '../../../proto/access/author.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import { secretTextsIn } from '../../../proto/access/people/secret-text.ts'
import { isGone, ServiceError } from '../../../proto/errors.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import type { AccessCaller, RequestOrigin } from '../../routing/auth/access-caller.ts'
import type { HttpRequest } from '../../server/http.ts'
import type { AccessChain } from './chain.ts'
import type { AccessNotes } from './notes.ts'

export interface SecretInUrlDeps {
  readonly directory: Pick<Directory, 'ask'>
  readonly chain: AccessChain
  readonly notes: Pick<AccessNotes, 'tokenInUrl'>
  readonly authenticator: {
    /** Undefined if it does not work, or does not any more. */
    holderOf(text: string, origin: RequestOrigin): AccessCaller | undefined
  }
}

/** Throws `token_in_url`; an error of the store instead if the secret could not be revoked. */
export async function refuseSecretInUrl(
  deps: SecretInUrlDeps,
  request: HttpRequest,
  origin: RequestOrigin,
): Promise<void> {
  const found = secretTextsIn(urlTextOf(request))
  if (found.length === 0) return
  for (const text of new Set(found)) await revoke(deps, text, origin)
  throw tokenInUrl()
}

export function tokenInUrl(): ServiceError {
  const text =
    'A token in a URL ends up in logs. If this was a valid access token or sign-in, it has been revoked.'
  return new ServiceError('token_in_url', `${text} Send tokens as Authorization: Bearer.`)
}

/** Decoded as far as it can be, since a secret may be written with escapes. */
function urlTextOf({ path, query }: HttpRequest): string {
  const given = [...query].flat().join(' ')
  try {
    return `${path} ${decodeURIComponent(path)} ${given}`
  } catch {
    return `${path} ${given}`
  }
}

async function revoke(
  { directory, chain, notes, authenticator }: SecretInUrlDeps,
  text: string,
  origin: RequestOrigin,
): Promise<void> {
  const caller = authenticator.holderOf(text, origin)
  if (!caller) return
  notes.tokenInUrl(caller)
  if (caller.kind === 'person') {
    const message = { type: 'sign_out', sessionId: caller.session.id } as const
    const { view } = await directory.ask(personActor, caller.person.id, message)
    chain.learn('person', view)
    return
  }
  const by = systemAuthor('token-guard')
  const reason = 'The token was sent in a URL, which logs keep.'
  const message = { type: 'revoke_token', tokenId: caller.token.id, reason, by } as const
  try {
    const { view } = await directory.ask(grantActor, caller.grant.id, message)
    chain.learn('grant', view)
  } catch (error) {
    // The tokens of a grant that has ended are invalid anyway.
    if (!isOver(error)) throw error
  }
}

const isOver = (error: unknown): boolean =>
  isGone(error) || (error instanceof ServiceError && error.type === 'invalid_transition')
