/**
 * Requests that a page of ours sends to REST with the key that its reader signed in to the console
 * with: “Try it out” of the API reference. The key stays in its cookie. Such a request has a token
 * of the page in a header, which other sites neither know nor may send, and comes from this origin.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'
import { formToken } from '../../html/forms/form-token.ts'
import type { HttpRequest } from '../../server/http.ts'
import { ConsoleCookies, type ConsoleCookieDeps } from './console-cookies.ts'

/** Not among the headers that other sites may send: see `allowedHeaders` of the gateway. */
const pageTokenHeader = 'x-page-token'

export interface SignedInReader {
  /** The key's text, which is secret. */
  readonly key: string
  /** For the page, which sends it in {@link pageTokenHeader}. */
  readonly pageToken: string
}

export class PageRequests {
  readonly #cookies: ConsoleCookies

  constructor(deps: ConsoleCookieDeps) {
    this.#cookies = new ConsoleCookies(deps)
  }

  /** The reader of the page; undefined if the browser is not signed in. */
  reader(request: HttpRequest): SignedInReader | undefined {
    const held = this.#cookies.held(request)
    return held && { key: held.key, pageToken: formToken(`requests:${held.holder}`) }
  }

  /**
   * The signed-in key with which a page of ours sends this request; undefined for all other
   * requests. Throws `forbidden` if the request does not come from a page of ours, and
   * `unauthorized` if the browser is not signed in.
   */
  keyOf(request: HttpRequest): string | undefined {
    const given = request.headers.get(pageTokenHeader)
    if (given === undefined) return undefined
    const site = request.headers.get('sec-fetch-site')
    const isOwnPage = site === 'same-origin'
    // Over plain http off this machine, browsers do not send that header.
    if (!isOwnPage && (site !== undefined || this.#cookies.isTrustworthy(request))) {
      const text = 'Only pages of this service can use the signed-in key. Send a key instead.'
      throw new ServiceError('forbidden', text)
    }
    const reader = this.reader(request)
    if (!reader) throw signedOutError()
    if (equalInConstantTime(given, reader.pageToken)) return reader.key
    const text = 'This page was opened before the last sign-in. Reload it and try again.'
    throw new ServiceError('forbidden', text)
  }
}

const signedOutError = () =>
  new ServiceError('unauthorized', 'You are no longer signed in. Sign in at /console again.')
