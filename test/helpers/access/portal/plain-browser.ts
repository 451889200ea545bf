/**
 * A browser without scripts: it handles forms and cookies and follows what pages offer, with no
 * other knowledge of the service.
 */
import { until } from '../../lib/until.ts'

export interface PageHeard {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** The path after redirects. */
  readonly path: string
}

export type Fields = Readonly<Record<string, string | readonly string[]>>

/** The text of a page, as people read it. */
export const textOf = ({ html }: Pick<PageHeard, 'html'>): string =>
  unescaped(html.replaceAll(/<(script|style)[^>]*>.*?<\/\1>|<[^>]+>/gs, ' ')).replaceAll(
    /\s+/g,
    ' ',
  )

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" },
}
export const unescaped = (text: string): string =>
  text.replaceAll(/&(#39|\w+);/g, (all, name: string) => entities[name] ?? all)

export class PlainBrowser {
  readonly base: string
  readonly #from: string
  readonly cookies = new Map<string, string>()

  /** `from`: the browser's address, as a reverse proxy gives it. */
  constructor(base: string, from: string) {
    this.base = base
    this.#from = from
  }

  get(path: string): Promise<PageHeard> {
    return this.#follow('GET', path)
  }

  /** Sends the page's form with this `action`: its hidden fields and the given ones. */
  submit(page: PageHeard, action: string, fields: Fields = {}): Promise<PageHeard> {
    const hidden = hiddenFields(page.html, action)
    if (!hidden) throw new Error(`${page.path} has no form for ${action}: ${textOf(page)}`)
    return this.post(action, { ...hidden, ...fields })
  }

  /** Sends the page's form with this `action` by GET. */
  submitGet(page: PageHeard, action: string, fields: Fields = {}): Promise<PageHeard> {
    const hidden = hiddenPairs(page.html, action)
    if (!hidden) throw new Error(`${page.path} has no form for ${action}: ${textOf(page)}`)
    return this.get(`${action}?${new URLSearchParams([...hidden, ...pairsOf(fields)])}`)
  }

  /** Opens the page's first link with this text, or with one that matches. */
  follow(page: PageHeard, text: string | RegExp): Promise<PageHeard> {
    const links = [...page.html.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)]
    const isMeant = (shown: string) => (text instanceof RegExp ? text.test(shown) : shown === text)
    const link = links.find(([, , inner = '']) => isMeant(textOf({ html: inner }).trim()))
    const [, href] = /href="([^"]*)"/.exec(link?.[1] ?? '') ?? []
    if (href === undefined) throw new Error(`${page.path} has no link “${text}”: ${textOf(page)}`)
    return this.get(unescaped(href))
  }

  post(
    path: string,
    fields: Fields,
    headers: Readonly<Record<string, string>> = sentByBrowsers,
  ): Promise<PageHeard> {
    return this.#follow('POST', path, new URLSearchParams(pairsOf(fields)), headers)
  }

  async signIn(email: string, password: string): Promise<PageHeard> {
    const page = await this.get('/portal/sign-in')
    return this.submit(page, '/portal/sign-in', { email, password })
  }

  /**
   * One exchange without following redirects; repeated after a 429, which is answered before
   * anything is done.
   */
  exchange(
    method: string,
    path: string,
    body?: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return until('it is within its rate', async () => {
      const response = await this.#once(method, path, body, headers)
      return response.status !== 429 && response
    })
  }

  async #once(
    method: string,
    path: string,
    body: URLSearchParams | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.#from,
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      ...(body && { body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  async #follow(
    method: string,
    path: string,
    body?: URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PageHeard> {
    let response = await this.exchange(method, path, body, headers)
    let at = path
    for (let hops = 0; response.status === 303 && hops < 5; hops++) {
      at = response.headers.get('location') ?? ''
      await response.arrayBuffer()
      response = await this.exchange('GET', at)
    }
    const html = await response.text()
    return { status: response.status, headers: response.headers, html, path: at }
  }
}

/** A page with the policy no-referrer sends no origin in its forms. */
const sentByBrowsers = { origin: 'null', 'sec-fetch-site': 'same-origin' } as const

const pairsOf = (fields: Fields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one): [string, string] => [name, one]),
  )

/** Undefined when there is no such form. */
export function hiddenFields(html: string, action: string): Record<string, string> | undefined {
  const pairs = hiddenPairs(html, action)
  return pairs && Object.fromEntries(pairs)
}

/** A name may come several times. */
function hiddenPairs(html: string, action: string): [string, string][] | undefined {
  const forms = [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)]
  const form = forms.find(([, head = '']) => unescaped(head).includes(`action="${action}"`))
  if (!form) return undefined
  const inputs = [...form[2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return inputs.map(([, name = '', value = '']) => [name, unescaped(value)])
}
