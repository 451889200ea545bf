/**
 * The portal's two cookies. `session` contains the session's text (the one that `POST /v1/sign-in`
 * returns) and the time of the last activity, signed by this service, so any gateway can detect an
 * idle session. `form` takes the place of a session on the pages before sign-in.
 */
import { createHmac } from 'node:crypto'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'
import { isLoopback } from '../../../runtime/lib/network/hosts.ts'
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

type Name = 'session' | 'form'

export class Cookies {
  readonly #secret: ServiceSecret
  readonly #addresses: CookieDeps['addresses']

  constructor({ serviceSecret, addresses }: CookieDeps) {
    this.#secret = serviceSecret
    this.#addresses = addresses
  }

  isHttps(request: HttpRequest): boolean {
    return this.#addresses.http(request).startsWith('https:')
  }

  /** Browsers send `Sec-Fetch-Site` to such origins. */
  isTrustworthy(request: HttpRequest): boolean {
    const { protocol, hostname } = new URL(this.#addresses.http(request))
    return protocol === 'https:' || isLoopback(hostname)
  }

  session(request: HttpRequest): HeldSession | undefined {
    const [text = '', at = '', mac = ''] = (this.#read(request, 'session') ?? '').split('~')
    if (!/^\d{1,15}$/.test(at) || !equalInConstantTime(mac, this.#mac(text, at))) return undefined
    return { text, activeAtMs: Number(at) }
  }

  setSession(request: HttpRequest, text: string, nowMs: number): string {
    const at = String(nowMs)
    const value = `${text}~${at}~${this.#mac(text, at)}`
    return this.#set(request, 'session', value, limits.sessionMs)
  }

  dropSession(request: HttpRequest): string {
    return this.#set(request, 'session', '', 0)
  }

  form(request: HttpRequest): string | undefined {
    const value = this.#read(request, 'form')
    return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined
  }

  setForm(request: HttpRequest, value: string): string {
    return this.#set(request, 'form', value, limits.sessionMs)
  }

  #mac(text: string, at: string): string {
    const key = createHmac('sha256', this.#secret.text).update('portal').digest()
    return createHmac('sha256', key).update(`${text}~${at}`).digest('base64url')
  }

  /** With the prefix `__Host-`, no other host of the site can have set the cookie. */
  #nameOf(request: HttpRequest, name: Name): string {
    return this.isHttps(request) ? `__Host-troupe-${name}` : `troupe-${name}`
  }

  #read(request: HttpRequest, name: Name): string | undefined {
    const wanted = `${this.#nameOf(request, name)}=`
    const parts = (request.headers.get('cookie') ?? '').split(/[;,] */)
    const found = parts.filter((part) => part.startsWith(wanted))
    // If there are two of one name, one was set by somebody else, so neither is used.
    return found.length === 1 ? found[0]!.slice(wanted.length) : undefined
  }

  #set(request: HttpRequest, name: Name, value: string, ageMs: number): string {
    const secure = this.isHttps(request) ? '; Secure' : ''
    const age = Math.floor(ageMs / 1_000)
    const shared = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`
    return `${this.#nameOf(request, name)}=${value}; ${shared}`
  }
}
