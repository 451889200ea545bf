/** Links to the page of one recording. They open nothing else of its session. */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { isId } from '../../../proto/ids.ts'
import type { SessionView } from '../../../proto/session/session.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { KeyValidity } from '../../routing/auth/key-validity.ts'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import type { HttpRequest } from '../../server/http.ts'
import type { SessionViews } from '../../sessions/session-views.ts'
import {
  openGrant,
  sealedWords,
  sealGrant,
  wordsSealed,
} from '../../sessions/tokens/sealed-grant.ts'

export interface RecordingLinksDeps {
  readonly serviceSecret: ServiceSecret
  readonly addresses: Pick<ServiceUrls, 'http'>
  readonly keyValidity: Pick<KeyValidity, 'isOver' | 'scopesOf'>
  readonly views: Pick<SessionViews, 'get'>
  readonly clock: Clock
}

export interface RecordingGrant {
  /** The link ends with this key at the latest. */
  readonly keyId: string
  /** Wall-clock ms. */
  readonly expiresAtMs: number
  /** Origins of the pages that may have the player in a frame. */
  readonly frameAncestors: readonly string[]
}

interface OpenedLink extends Pick<RecordingGrant, 'keyId' | 'frameAncestors'> {
  readonly view: SessionView
}

/** What a key needs for recordings, and so for links to them. */
export const keyScopeForRecordings = 'drive'

/** What such a link allows, as the audit says it. */
export const sharedScope = 'recording'

export class RecordingLinks {
  readonly #deps: RecordingLinksDeps

  constructor(deps: RecordingLinksDeps) {
    this.#deps = deps
  }

  /** The address of the page, with its token. */
  url(request: HttpRequest, view: SessionView, grant: RecordingGrant): string {
    const { keyId, expiresAtMs, frameAncestors } = grant
    const more = sealedWords(frameAncestors)
    const right = { word: sharedScope, keyId, expiresAtMs, ...defined({ more }) }
    const token = sealGrant(this.#seal(view), right)
    return `${this.#deps.addresses.http(request)}/recordings/${view.id}?token=${token}`
  }

  /**
   * Throws `unauthorized` after its expiry, the end of its key, and the revocation of the tokens of
   * its session.
   */
  opened(sessionId: string, token: string): OpenedLink {
    const { views, keyValidity, clock } = this.#deps
    const view = isId('ses', sessionId) ? views.get(sessionId) : undefined
    const grant = view && openGrant(token, this.#seal(view), clock.now())
    if (!grant || keyValidity.isOver(grant.keyId)) throw expiredError()
    if (!keyValidity.scopesOf(grant.keyId).includes(keyScopeForRecordings)) throw expiredError()
    return { view, keyId: grant.keyId, frameAncestors: wordsSealed(grant.more) }
  }

  #seal({ id, liveGeneration = 0 }: SessionView) {
    const target = { sessionId: id, generation: liveGeneration }
    return { secret: this.#deps.serviceSecret.text, purpose: 'recording', target } as const
  }
}

const expiredError = () =>
  new ServiceError(
    'unauthorized',
    'This link is invalid or has expired; ask the person who sent it for a new one.',
  )
