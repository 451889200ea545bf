import { systemAuthor } from '../../../proto/access/author.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import type { TokenCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from './chain.ts'

/**
 * Revokes a token that was sent in a URL. The request was refused already, and its answer does not
 * wait for this.
 */
export function revokeLeakedToken(
  directory: Pick<Directory, 'ask'>,
  chain: AccessChain,
  { grant, token }: TokenCaller,
): void {
  const by = systemAuthor('token-guard')
  const reason = 'The token was sent in a URL, which logs keep.'
  const message = { type: 'revoke_token', tokenId: token.id, reason, by } as const
  directory.ask(grantActor, grant.id, message).then(
    ({ view }) => chain.learn('grant', view),
    // The command fails if the grant has ended; then its tokens are invalid anyway.
    () => undefined,
  )
}
