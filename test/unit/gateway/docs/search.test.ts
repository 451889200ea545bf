/**
 * Goal: what people look for in the documentation is found, by the words that they use, and leads to
 * where it is told. Method: the guides, the routes and the settings as they are.
 */
import t from 'tap'
import {
  operationsOf,
  sectionsOf,
  settingPlaces,
} from '../../../../gateway/docs/search/documents.ts'
import { openSearch } from '../../../../gateway/docs/search/search.ts'
import { renderMarkdown } from '../../../../gateway/docs/markdown.ts'
import { guideFile, guideNames, read } from '../../../../gateway/docs/repository-pages.ts'
import { playService } from '../../../helpers/gateway/gateway.ts'

const guides = guideNames().flatMap((name) => {
  const page = renderMarkdown(read(guideFile(name)!), guideFile(name)!)
  return sectionsOf(page, `/docs/guides/${name}`, 'guide')
})
const service = await playService({})
const described = await fetch(`${service.gateway.url}/openapi.json`)
const operations = operationsOf((await described.json()) as Record<string, unknown>)
await service.close()
const search = await openSearch([...guides, ...operations, ...settingPlaces()])
const hrefs = (query: string) => search.find(query).map(({ href }) => href)

t.test('words lead to the place that tells of them', async (t) => {
  for (const [query, place] of [
    ['block ads', /^\/docs\/guides\/setup#block/],
    ['phone vienna', /^\/docs\/guides\/setup/],
    ['stagehand', /^\/docs\/guides\/extensions#libraries/],
    ['iframe', /^\/docs\/guides\/live-view#in-a-frame/],
    ['MAX_SESSIONS', /^\/docs\/inside\/runtime\/cli#settings$/],
    ['idle_timeout', /^\/docs\/(api#\/Sessions\/post_sessions|guides\/)/],
    ['proxy password', /^\/docs\/(guides\/proxies|api#\/Sessions\/post_sessions)/],
    ['chromedriver', /^\/docs\/guides\/cdp-clients/],
    ['profle', /profiles?/i],
  ] as const) {
    const found = hrefs(query).slice(0, 5)
    t.ok(
      found.some((href) => place.test(href)),
      `${query}: ${found.join(' ')}`,
    )
  }
})

t.test('a field of the reference is found by its name', async (t) => {
  const found = search.find('disable_web_security')
  t.ok(found.some(({ kind, under }) => kind === 'reference' && under === 'POST /v1/sessions'))
})

t.test('an excerpt shows the words that were found', async (t) => {
  const [hit] = search.find('clickjacking')
  t.match(hit!.href, /live-view#in-a-frame/)
  t.match(hit!.excerpt[1], /^clickjacking$/i)
  t.ok(hit!.excerpt.join('').length < 260)
  const code = search.find('service api key').map(({ excerpt }) => excerpt.join(''))
  t.notMatch([hit!.excerpt.join(''), ...code].join(), /<\/|&#/)
})

t.test('nothing is found for nothing, and odd texts do no harm', async (t) => {
  for (const query of ['', '   ', '(((', '*', '\\', 'qqzzxx', '<script>'.repeat(20)]) {
    t.ok(Array.isArray(search.find(query)), query)
  }
  t.same(hrefs('qqzzxx'), [])
})
