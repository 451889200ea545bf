/** `/docs`: guides and the API reference, rendered by the service itself. */
import { ServiceError } from '../../proto/errors.ts'
import { z } from 'zod'
import { toHtml, type Markup } from '../html/markup.ts'
import { guidePageReply, jsonReply, referencePageReply } from '../routing/answers/reply.ts'
import type { Authenticator } from '../routing/auth/auth.ts'
import { rawRoute, type Route } from '../routing/route.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import type { PageRequests } from '../console/session/page-requests.ts'
import type { DocsPages } from './pages.ts'
import { searchChars } from './search/limits.ts'
import { guidesPath, insidePath, picturesPath, readPicture } from './repository-pages.ts'

export interface DocsRouteDeps {
  readonly addresses: ServiceUrls
  readonly auth: Pick<Authenticator, 'byKeptKey'>
  readonly pageRequests: Pick<PageRequests, 'reader'>
  /** All routes, for searching the reference. */
  readonly routes: () => readonly Route[]
}

/** How many folders deep READMEs are served. */
const depthMax = 6

const shared = {
  method: 'GET',
  auth: 'none',
  isInternal: true,
  contentType: 'text/html',
  summary: 'A page of the documentation.',
} as const

const pictureRoute = rawRoute({
  ...{ ...shared, contentType: 'image/png', summary: 'A picture of a guide.' },
  path: `${picturesPath}/{name}`,
  params: z.object({ name: z.string() }),
  async handler({ params: { name } }) {
    const body = readPicture(name)
    if (body === undefined) throw noPageError()
    const headers = { 'content-type': 'image/png', 'cache-control': 'no-cache' }
    return { status: 200, headers, body }
  },
})

export function docsRoutes(deps: DocsRouteDeps): readonly Route[] {
  const { addresses, auth, pageRequests, routes } = deps
  const readerOf = (request: HttpRequest) => {
    const reader = pageRequests.reader(request)
    const principal = reader && auth.byKeptKey(reader.key, request)
    return principal && { keyName: principal.keyName, pageToken: reader.pageToken }
  }
  const page = (render: (pages: DocsPages) => Markup | undefined) => async () => {
    const found = render(await loadPages(routes))
    if (found === undefined) throw noPageError()
    return found
  }
  const insideNames = Array.from({ length: depthMax }, (_, depth) =>
    Array.from({ length: depth + 1 }, (_, n) => `part${n}`),
  )
  return [
    rawRoute({
      ...shared,
      path: '/docs',
      handler: async () => guidePageReply(html(await page((pages) => pages.home())())),
    }),
    rawRoute({
      ...shared,
      path: '/docs/api',
      async handler({ request }) {
        const reader = readerOf(request)
        return referencePageReply(html(await page((pages) => pages.reference(reader))()))
      },
    }),
    rawRoute({
      ...{ ...shared, contentType: 'application/json' },
      path: '/docs/api/words',
      summary: 'The words that operations of the reference are found by.',
      handler: async () => jsonReply(200, (await loadPages(routes)).operationWords()),
    }),
    searchRoute(() => loadPages(routes)),
    rawRoute({
      ...shared,
      path: `${guidesPath}/{name}`,
      params: z.object({ name: z.string() }),
      async handler({ params: { name }, request }) {
        const guide = await page((pages) => pages.guide(name))()
        return withOrigin(html(guide), addresses.http(request))
      },
    }),
    pictureRoute,
    ...insideNames.map((names) =>
      rawRoute({
        ...shared,
        path: [insidePath, ...names.map((name) => `{${name}}`)].join('/'),
        params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
        async handler({ params, request }) {
          const path = names.map((name) => params[name]).join('/')
          const inside = await page((pages) => pages.inside(path))()
          return withOrigin(html(inside), addresses.http(request))
        },
      }),
    ),
  ]
}

const searchRoute = (load: () => Promise<DocsPages>): Route =>
  rawRoute({
    ...shared,
    path: '/docs/search',
    query: z.object({ q: z.string().trim().max(searchChars).default('') }),
    async handler({ query: { q } }) {
      const pages = await load()
      return guidePageReply(html(await pages.search(q)))
    },
  })

/**
 * Loaded with the first request, so that a gateway whose documentation is not read needs no memory
 * for it.
 */
let loaded: Promise<DocsPages> | undefined
const loadPages = (routes: DocsRouteDeps['routes']): Promise<DocsPages> =>
  (loaded ??= import('./pages.ts').then(({ openPages }) => openPages(routes)))

const html = (page: Markup) => `<!doctype html>${toHtml(page)}`

/** Replaces the origin in examples by the one that the reader uses. */
function withOrigin(text: string, origin: string): HttpReply {
  const safe = origin.replaceAll(/[^A-Za-z0-9:/.[\]-]/g, '')
  return guidePageReply(text.replaceAll('http://127.0.0.1:8080', safe))
}

const noPageError = () => new ServiceError('not_found', 'There is no such page; /docs lists all.')
