/**
 * A small site with one fault of each kind, each on its own page, and pages without faults; and a
 * site that never ends. Both record their requests.
 */
import type { RequestListener } from 'node:http'
import type { Test } from 'tap'
import { serve } from '../../lib/loopback.ts'

/** What an audit has to find: rule and path, each planted once, and nothing else. */
export const planted: readonly (readonly [rule: string, path: string])[] = [
  ['title_missing', '/no-title'],
  ['title_duplicate', '/twin-a'],
  ['title_duplicate', '/twin-b'],
  ['description_missing', '/no-description'],
  ['h1_missing', '/no-description'],
  ['noindex', '/noindex'],
  ['http_error', '/missing'],
  ['link_broken', '/broken-links'],
  ['redirect_chain', '/newer'],
  ['link_redirected', '/to-old'],
  ['image_alt_missing', '/images'],
  ['image_broken', '/images'],
  ['json_ld_invalid', '/bad-json'],
  ['json_ld_incomplete', '/bad-json'],
  ['viewport_missing', '/no-viewport'],
  ['hreflang_invalid', '/en'],
  ['hreflang_no_return', '/en'],
  ['form_insecure', '/form'],
  ['lang_missing', '/form'],
  ['page_orphaned', '/orphan'],
  ['sitemap_disallowed', '/secret'],
  ['canonical_conflict', '/canonicals'],
  ['canonical_elsewhere', '/copied'],
]

const words = 'This page says enough about its own subject that a reader learns something. '.repeat(
  6,
)

interface Page {
  readonly head?: string
  readonly title?: string | null
  readonly description?: string | null
  readonly canonical?: string
  readonly viewport?: string
  readonly lang?: string
  readonly h1?: string
  readonly body?: string
}

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'

function html(path: string, page: Page): string {
  const name = path === '/' ? 'the beginning' : path.slice(1)
  const { title = `All about ${name} here`, description = `What there is to say of ${name}.` } =
    page
  const { canonical = `<link rel="canonical" href="${path}">`, lang = ' lang="en"' } = page
  return `<!doctype html><html${lang}><head><meta charset="utf-8">
    ${title === null ? '' : `<title>${title}</title>`}
    ${description === null ? '' : `<meta name="description" content="${description}">`}
    ${canonical}${page.viewport ?? viewport}${page.head ?? ''}</head>
    <body>${page.h1 ?? `<h1>About ${name}</h1>`}<p>${words}</p>${page.body ?? ''}</body></html>`
}

const dot =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
const link = (path: string) => `<p><a href="${path}">To ${path}</a></p>`
const good =
  '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Thing"}</script>'

const pages: Readonly<Record<string, Page>> = {
  '/clean': {
    head: good,
    body: `${link('/')}<img src="/dot.svg" alt="A dot" width="8" height="8">`,
  },
  '/no-title': { title: null },
  '/twin-a': { title: 'Twins with one title' },
  '/twin-b': { title: 'Twins with one title' },
  '/no-description': { description: null, h1: '<h2>Without a main one</h2>' },
  '/noindex': { head: '<meta name="robots" content="noindex, follow">' },
  '/broken-links': { body: link('/missing') + link('/gone.pdf') },
  '/to-old': { body: link('/old') + link('/away') },
  '/newer': {},
  '/images': {
    body: '<img src="/dot.svg" width="8" height="8"><img src="/none.png" alt="-" width="8" height="8">',
  },
  '/bad-json': {
    head: `<script type="application/ld+json">{"@context": oops}</script>
      <script type="application/ld+json">{"name": "nothing"}</script>`,
  },
  '/no-viewport': { viewport: '<meta name="x" content="y">' },
  '/en': {
    head: `<link rel="alternate" hreflang="en" href="/en">
      <link rel="alternate" hreflang="de" href="/de"><link rel="alternate" hreflang="en-UK" href="/en">`,
  },
  '/de': {},
  '/form': { lang: '', body: '<form action="http://example.com/x"><input name="q"></form>' },
  '/orphan': {},
  '/canonicals': { canonical: '<link rel="canonical" href="/a"><link rel="canonical" href="/b">' },
  '/copied': { canonical: '<link rel="canonical" href="https://example.com/copied">' },
}
const unlinked = ['/orphan', '/newer']

export interface AuditedSite {
  readonly url: string
  readonly host: string
  /** The requested paths, in order. */
  readonly asked: readonly string[]
}

/** `elsewhere`: the target of a link of one page, which an audit must not follow. */
export async function faultySite(t: Test, elsewhere: string): Promise<AuditedSite> {
  const start = Object.keys(pages).filter((path) => !unlinked.includes(path))
  const home = { body: start.map(link).join('') + link('/secret') + link('/clean#part') }
  return served(t, (path, origin) => {
    if (path === '/') return html('/', home)
    if (path === '/robots.txt') {
      const text = 'User-agent: *\nDisallow: /secret # a comment\n'
      return { type: 'text/plain', text: `${text}Sitemap: ${origin}/map.xml\n` }
    }
    if (path === '/map.xml') {
      const locs = ['/', '/clean', '/orphan', '/secret'].map(
        (one) => `<url><loc>${origin}${one}</loc></url>`,
      )
      return { type: 'application/xml', text: `<urlset>${locs.join('')}</urlset>` }
    }
    if (path === '/dot.svg') return { type: 'image/svg+xml', text: dot }
    if (path === '/away') return { to: elsewhere }
    if (path === '/old') return { to: '/older' }
    if (path === '/older') return { to: '/newer' }
    const page = pages[path]
    return page && html(path, page)
  })
}

/** Each page links to two more. */
export const endlessSite = (t: Test): Promise<AuditedSite> =>
  served(t, (path) => {
    if (path === '/robots.txt' || path === '/sitemap.xml') return undefined
    const n = Number(path.slice(1)) || 0
    return html(path, { body: link(`/${2 * n + 1}`) + link(`/${2 * n + 2}`) })
  })

type Answer =
  string | { readonly type: string; readonly text: string } | { readonly to: string } | undefined

async function served(
  t: Test,
  answerOf: (path: string, origin: string) => Answer,
): Promise<AuditedSite> {
  const asked: string[] = []
  const listener: RequestListener = (request, response) => {
    const origin = `http://${request.headers.host}`
    const { pathname } = new URL(request.url ?? '/', origin)
    if (request.method === 'GET') asked.push(pathname)
    const answer = answerOf(pathname, origin)
    if (answer === undefined) return void response.writeHead(404).end('Not here.')
    if (typeof answer === 'object' && 'to' in answer) {
      return void response.writeHead(301, { location: answer.to }).end()
    }
    const { type, text } =
      typeof answer === 'string' ? { type: 'text/html; charset=utf-8', text: answer } : answer
    response.writeHead(200, { 'content-type': type }).end(text)
  }
  const url = await serve(t, listener)
  return { url, host: new URL(url).host, asked }
}
