/**
 * Decides who may follow a session's tasks on `/ws` without a key. The official SDK opens that
 * socket with the session's id alone. The id is not a secret, since every link to the live view
 * contains it. So a socket without a key is accepted only for sessions created by the SDK and from
 * clients on this machine, unless the operator allows more.
 */
import type { Config } from '../../../runtime/config/config.ts'
import type { SessionView } from '../../../proto/session/session.ts'
import { isLoopback } from '../../../runtime/lib/network/hosts.ts'
import { clientAddressOf } from '../../routing/client-address.ts'
import { forwardingHeader } from '../../routing/auth/dev-key.ts'
import type { HttpRequest } from '../../server/http.ts'

type Settings = Pick<Config, 'WS_REQUIRE_KEY' | 'PUBLIC_URL'>

export class KeylessWatch {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  admits(
    request: Pick<HttpRequest, 'remoteAddress' | 'headers'>,
    { madeBySdk }: Pick<SessionView, 'madeBySdk'>,
  ): boolean {
    const { WS_REQUIRE_KEY, PUBLIC_URL } = this.#settings
    if (madeBySdk !== true || WS_REQUIRE_KEY === 'always') return false
    if (WS_REQUIRE_KEY === 'never') return true
    const isForwarded = PUBLIC_URL !== '' || forwardingHeader(request.headers) !== undefined
    return !isForwarded && isLoopback(clientAddressOf(request, false))
  }
}
