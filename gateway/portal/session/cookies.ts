/**
 * The portal's two cookies. `session` contains the session's text (the one that `POST /v1/sign-in`
 * returns) and the time of the last activity, signed by this service, so any gateway can detect an
 * idle session. `form` takes the place of a session on the pages before sign-in.
 */
import { createHmac } from 'node:crypto'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'
import { CookieJar } from '../../html/answers/cookie-jar.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import type { HttpRequest } from '../../server/http.ts'

export interface CookieDeps {
  readonly serviceSecret: ServiceSecret
  readonly addresses: Pick<ServiceUrls, 'http'>
}

export interface HeldSession {
  readonly text: string
  /** Wall-clock ms, accurate to about a minute. */
  readonly activeAtMs: number
}

export class Cookies {
  readonly #secret: ServiceSecret
  readonly #jar: CookieJar

  constructor({ serviceSecret, addresses }: CookieDeps) {
    this.#secret = serviceSecret
    this.#jar = new CookieJar((request) => addresses.http(request))
  }

  isTrustworthy(request: HttpRequest): boolean {
    return this.#jar.isTrustworthy(request)
  }

  session(request: HttpRequest): HeldSession | undefined {
    const [text = '', at = '', mac = ''] = (this.#jar.read(request, 'session') ?? '').split('~')
    if (!/^\d{1,15}$/.test(at) || !equalInConstantTime(mac, this.#mac(text, at))) return undefined
    return { text, activeAtMs: Number(at) }
  }

  setSession(request: HttpRequest, text: string, nowMs: number): string {
    const at = String(nowMs)
    const value = `${text}~${at}~${this.#mac(text, at)}`
    return this.#jar.set(request, 'session', value, limits.sessionMs)
  }

  dropSession(request: HttpRequest): string {
    return this.#jar.set(request, 'session', '', 0)
  }

  form(request: HttpRequest): string | undefined {
    const value = this.#jar.read(request, 'form')
    return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined
  }

  setForm(request: HttpRequest, value: string): string {
    return this.#jar.set(request, 'form', value, limits.sessionMs)
  }

  #mac(text: string, at: string): string {
    const key = createHmac('sha256', this.#secret.text).update('portal').digest()
    return createHmac('sha256', key).update(`${text}~${at}`).digest('base64url')
  }
}
