/**
 * The console's two cookies. `console` holds the key that a person signed in with, sealed, so that
 * each request is checked against the current state of the key. `console-form` takes its place on
 * the page before sign-in.
 */
import { createHash } from 'node:crypto'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { CookieJar } from '../../html/answers/cookie-jar.ts'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import type { HttpRequest } from '../../server/http.ts'
import { consoleLimits } from '../limits.ts'
import { sealText, unsealText } from './sealed-text.ts'

export interface ConsoleCookieDeps {
  readonly serviceSecret: ServiceSecret
  readonly addresses: Pick<ServiceUrls, 'http'>
  readonly clock: Clock
}

/** The content of the cookie of a signed-in browser. */
export interface SignedInKey {
  readonly key: string
  /** Wall-clock ms. */
  readonly endsAtMs: number
  /** Different for each sign-in; form tokens are derived from it. */
  readonly holder: string
}

const names = { held: 'console', form: 'console-form' } as const

export class ConsoleCookies {
  readonly #deps: ConsoleCookieDeps
  readonly #jar: CookieJar

  constructor(deps: ConsoleCookieDeps) {
    this.#deps = deps
    this.#jar = new CookieJar((request) => deps.addresses.http(request))
  }

  isTrustworthy(request: HttpRequest): boolean {
    return this.#jar.isTrustworthy(request)
  }

  /** Whether the browser sent a cookie of ours, valid or not. */
  hasHeld(request: HttpRequest): boolean {
    return this.#jar.read(request, names.held) !== undefined
  }

  /** Undefined without a valid cookie, or after it has expired. */
  held(request: HttpRequest): SignedInKey | undefined {
    const sealed = this.#jar.read(request, names.held)
    if (sealed === undefined) return undefined
    const text = unsealText(this.#deps.serviceSecret.text, sealed)
    const [, ends = '', key = ''] = /^(\d{1,15})~(.+)$/.exec(text ?? '') ?? []
    const endsAtMs = Number(ends)
    if (key === '' || endsAtMs <= this.#deps.clock.now()) return undefined
    // It must not be possible to derive the cookie from a page, so pages use a hash of it.
    return { key, endsAtMs, holder: createHash('sha256').update(sealed).digest('base64url') }
  }

  hold(request: HttpRequest, key: string): string {
    const { serviceSecret, clock } = this.#deps
    const text = `${clock.now() + consoleLimits.signedInMs}~${key}`
    const sealed = sealText(serviceSecret.text, text)
    return this.#jar.set(request, names.held, sealed, consoleLimits.signedInMs)
  }

  drop(request: HttpRequest): string {
    return this.#jar.set(request, names.held, '', 0)
  }

  form(request: HttpRequest): string | undefined {
    const value = this.#jar.read(request, names.form)
    return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined
  }

  setForm(request: HttpRequest, value: string): string {
    return this.#jar.set(request, names.form, value, consoleLimits.signedInMs)
  }
}
