/**
 * The address at which clients reach this gateway: PUBLIC_URL if it is set, else the request's
 * Host.
 */
import type { HttpRequest } from '../server/http.ts'

const plainHost = /^[A-Za-z0-9._[\]:-]{1,255}$/

export class ServiceUrls {
  readonly #publicUrl: string
  readonly #own: () => string

  /** `own` is the host:port listened on, for requests without a usable Host. */
  constructor(publicUrl: string, own: () => string) {
    this.#publicUrl = publicUrl
    this.#own = own
  }

  /** For example `https://browsers.example.com`, without a slash at the end. */
  http(request: HttpRequest): string {
    if (this.#publicUrl !== '') return this.#publicUrl.replace(/^ws/, 'http')
    const host = request.headers.get('host') ?? ''
    const url = `http://${host}`
    return plainHost.test(host) && URL.canParse(url) ? url : `http://${this.#own()}`
  }

  ws(request: HttpRequest): string {
    return this.http(request).replace(/^http/, 'ws')
  }
}
