/** How clients reach this gateway: PUBLIC_URL where one is set, else whatever Host they came by. */
import type { HttpRequest } from './server/http.ts'

const plainHost = /^[A-Za-z0-9._[\]:-]{1,255}$/

export class Addresses {
  readonly #publicUrl: string
  readonly #own: () => string

  /** `own` is host:port as listened on, for clients that sent no usable Host. */
  constructor(publicUrl: string, own: () => string) {
    this.#publicUrl = publicUrl
    this.#own = own
  }

  /** `https://browsers.example.com`, no slash at the end. */
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
