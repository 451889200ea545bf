/** Cookies of pages: `HttpOnly`, `SameSite=Lax`, and bound to this host over https. */
import { isLoopback } from '../../../runtime/lib/network/hosts.ts'
import type { HttpRequest } from '../../server/http.ts'

/** The address at which the browser reaches this service, such as `https://browsers.example.com`. */
export type AddressOf = (request: HttpRequest) => string

export class CookieJar {
  readonly #addressOf: AddressOf

  constructor(addressOf: AddressOf) {
    this.#addressOf = addressOf
  }

  /** Browsers send `Sec-Fetch-Site` to such origins. */
  isTrustworthy(request: HttpRequest): boolean {
    const { protocol, hostname } = new URL(this.#addressOf(request))
    return protocol === 'https:' || isLoopback(hostname)
  }

  read(request: HttpRequest, name: string): string | undefined {
    const wanted = `${this.#nameOf(request, name)}=`
    const parts = (request.headers.get('cookie') ?? '').split(/[;,] */)
    const found = parts.filter((part) => part.startsWith(wanted))
    // If there are two of one name, one was set by somebody else, so neither is used.
    return found.length === 1 ? found[0]!.slice(wanted.length) : undefined
  }

  /** The value of a `Set-Cookie` header. An age of 0 removes the cookie. */
  set(request: HttpRequest, name: string, value: string, ageMs: number): string {
    const secure = this.#isHttps(request) ? '; Secure' : ''
    const age = Math.floor(ageMs / 1_000)
    const shared = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`
    return `${this.#nameOf(request, name)}=${value}; ${shared}`
  }

  #isHttps(request: HttpRequest): boolean {
    return this.#addressOf(request).startsWith('https:')
  }

  /** With the prefix `__Host-`, no other host of the site can have set the cookie. */
  #nameOf(request: HttpRequest, name: string): string {
    return this.#isHttps(request) ? `__Host-troupe-${name}` : `troupe-${name}`
  }
}
