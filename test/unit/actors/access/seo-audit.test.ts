/**
 * Goal: the findings of rules on captured pages, and the bounds of an audit, without a browser.
 * Method: the facts of a page as our script reports them, with one thing changed at a time.
 */
import { defined } from '../../../../proto/defined.ts'
import t from 'tap'
import {
  domainOfSite,
  isFollowable,
  siteAddress,
} from '../../../../actors/access/job/seo/addresses.ts'
import { pageFacts, type PageFacts } from '../../../../actors/access/job/seo/facts.ts'
import { foldAudit, isAudited, uncheckedLinks } from '../../../../actors/access/job/seo/fold.ts'
import { evaluatePage } from '../../../../actors/access/job/seo/evaluate-page.ts'
import {
  findingsOf,
  metricsOf,
  scoresOf,
  summaryOf,
} from '../../../../actors/access/job/seo/report.ts'
import {
  delayMs,
  isAllowed,
  truncatedRobots,
  sitemapsIn,
} from '../../../../actors/access/job/seo/robots.ts'
import { beginAudit, type SeoState, type SeoStep } from '../../../../actors/access/job/seo/state.ts'
import { redirectsFrom } from '../../../../actors/access/job/seo/visit.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { jobMachine } from '../../../../actors/access/job/machine.ts'
import { jobRehearsal } from '../../../../actors/access/job/rehearsal.ts'
import { startMachine, stepMachine } from '../../../../runtime/actor/cell/machine.ts'

const url = 'https://example.com/page'
const none = { count: 0, spots: [] }
const one = { count: 3, spots: [{ selector: 'body > a', evidence: 'seen' }] }

/** The facts of a page without a fault. */
const clean: PageFacts = pageFacts.parse({
  url,
  status: 200,
  contentType: 'text/html',
  title: ['All about one subject'],
  lang: 'en',
  description: ['What there is to say of it.'],
  robots: ['index, follow'],
  viewport: ['width=device-width, initial-scale=1'],
  canonical: [url],
  alternates: [
    { lang: 'en', url },
    { lang: 'de-AT', url: 'https://example.com/de' },
  ],
  headings: [
    { level: 1, text: 'One subject' },
    { level: 2, text: 'More' },
  ],
  words: 300,
  links: {
    count: 1,
    listed: [{ url: 'https://example.com/next', nofollow: false }],
    unnamed: none,
    nofollow: none,
  },
  images: { count: 0, withoutAlt: none, broken: none, withoutSize: none },
  jsonLd: { count: 1, invalid: none, incomplete: none },
  security: { isSecure: true, mixed: none, forms: none },
  width: { content: 412, window: 412 },
  vitals: { lcp: 900, cls: 0.01, ttfb: 90, bytes: 90_000, requests: 5 },
})

const rulesFor = (facts: PageFacts | undefined, arrival: object = {}) =>
  evaluatePage({
    arrival: { url, status: 200, kind: 'html', hops: 0, ...arrival },
    strategy: 'mobile',
    domain: 'example.com',
    ...(facts && { facts }),
  }).found.map(({ rule }) => rule)

t.test('a page without a fault has no finding', async (t) => {
  t.strictSame(rulesFor(clean), [])
})

type Fault = readonly [rule: string, change: Partial<PageFacts>]
const faults: readonly Fault[] = [
  ['title_missing', { title: [] }],
  ['title_missing', { title: [''] }],
  ['title_length', { title: ['Short'] }],
  ['title_length', { title: ['x'.repeat(66)] }],
  ['title_several', { title: ['All about one subject', 'And another'] }],
  ['description_missing', { description: [] }],
  ['description_length', { description: ['x'.repeat(166)] }],
  ['h1_missing', { headings: [{ level: 2, text: 'More' }] }],
  ['h1_several', { headings: [1, 1].map((level) => ({ level, text: 'Main' })) }],
  ['heading_skipped', { headings: [1, 3].map((level) => ({ level, text: 'Gap' })) }],
  ['content_thin', { words: 49 }],
  ['noindex', { robots: ['NOINDEX'] }],
  ['noindex', { robots: ['none'] }],
  ['canonical_missing', { canonical: [] }],
  ['canonical_conflict', { canonical: [url, 'https://example.com/other'] }],
  ['canonical_elsewhere', { canonical: ['https://www.example.org/subject'] }],
  ['canonical_elsewhere', { canonical: ['//example.org/subject'] }],
  ['link_unnamed', { links: { ...clean.links, unnamed: one } }],
  ['nofollow_internal', { links: { ...clean.links, nofollow: one } }],
  ['image_alt_missing', { images: { ...clean.images, withoutAlt: one } }],
  ['image_broken', { images: { ...clean.images, broken: one } }],
  ['image_size_missing', { images: { ...clean.images, withoutSize: one } }],
  ['json_ld_invalid', { jsonLd: { ...clean.jsonLd, invalid: one } }],
  ['json_ld_incomplete', { jsonLd: { ...clean.jsonLd, incomplete: one } }],
  ['lcp_slow', { vitals: { ...clean.vitals, lcp: 2_600 } }],
  ['lcp_poor', { vitals: { ...clean.vitals, lcp: 4_100 } }],
  ['layout_shift', { vitals: { ...clean.vitals, cls: 0.2 } }],
  ['ttfb_slow', { vitals: { ...clean.vitals, ttfb: 900 } }],
  ['page_heavy', { vitals: { ...clean.vitals, bytes: 4 * 1024 * 1024 } }],
  ['viewport_missing', { viewport: [] }],
  ['viewport_missing', { viewport: ['width=1024'] }],
  ['zoom_blocked', { viewport: ['width=device-width, user-scalable=no'] }],
  ['zoom_blocked', { viewport: ['width=device-width, maximum-scale=1.0'] }],
  ['content_too_wide', { width: { content: 500, window: 412 } }],
  ['not_secure', { security: { ...clean.security, isSecure: false } }],
  ['mixed_content', { security: { ...clean.security, mixed: one } }],
  ['form_insecure', { security: { ...clean.security, forms: one } }],
  ['lang_missing', { lang: '' }],
  ...['english', 'xx', 'jp', 'eng', 'en-UK', 'de-EU', 'en-999'].map((lang): Fault => [
    'hreflang_invalid',
    { alternates: [...clean.alternates, { lang, url }] },
  ]),
  ['hreflang_no_self', { alternates: [{ lang: 'de', url: 'https://example.com/de' }] }],
]
for (const [rule, change] of faults) {
  t.test(`${rule}: ${JSON.stringify(change).slice(0, 60)}`, async (t) => {
    t.strictSame(rulesFor({ ...clean, ...change }), [rule])
  })
}

t.test('language codes that exist have no finding', async (t) => {
  const codes = ['en', 'en-GB', 'pt-br', 'zh-Hant-TW', 'es-419', 'fil', 'yue', 'x-default']
  const alternates = [...clean.alternates, ...codes.map((lang) => ({ lang, url }))]
  t.strictSame(rulesFor({ ...clean, alternates }), [])
})

t.test('a page that did not load has only that finding', async (t) => {
  t.strictSame(rulesFor(undefined, { status: 0, kind: 'failed' }), ['page_failed'])
  t.strictSame(rulesFor({ ...clean, title: [] }, { status: 404 }), ['http_error'])
  t.strictSame(rulesFor({ ...clean, title: [], contentType: 'text/plain' }), [])
  t.strictSame(rulesFor(clean, { hops: 2, to: url }), ['redirect_chain'])
})

t.test('facts forged by a page are checked, and bounded', async (t) => {
  t.notOk(pageFacts.safeParse({ ...clean, status: 'fine' }).success)
  t.notOk(pageFacts.safeParse({ ...clean, title: ['x'.repeat(301)] }).success)
  const listed = Array.from({ length: 300 }, (_, i) => ({
    url: `https://example.com/${'x'.repeat(400)}${i}`,
    nofollow: false,
  }))
  const judged = evaluatePage({
    arrival: { url, status: 200, kind: 'html', hops: 0 },
    facts: pageFacts.parse({ ...clean, links: { ...clean.links, listed } }),
    strategy: 'mobile',
    domain: 'example.com',
  })
  t.ok(JSON.stringify(judged).length <= limits.seoStepBytes)
  t.ok(judged.links.length > 0)
})

const order = {
  area: 'seo-audits',
  siteUrl: 'https://example.com/',
  strategy: 'mobile',
  pagesMost: 200,
  sessionIds: ['ses_1', 'ses_2'],
} as const
const area = order.area
const turn = { sessionId: 'ses_1', nodeId: 'n', browserId: 'brw_1', epoch: 1 } as const
type Visited = Extract<SeoStep, { kind: 'visited' }>

const visited = (
  path: string,
  page: Partial<Visited['page']> = {},
  links: string[] = [],
): SeoStep => ({
  ...{ area, kind: 'visited', turn, found: [], warnings: [] },
  page: { url: at(path), status: 200, kind: 'html', hops: 0, noindex: false, ...page },
  links: links.map(at),
})
const at = (path: string) => `https://example.com${path}`
const fold = (steps: readonly SeoStep[], from: SeoState = beginAudit(order)) =>
  steps.reduce(foldAudit, from)
const siteRules = (steps: readonly SeoStep[]) =>
  findingsOf(fold(steps)).flatMap(({ rule, affected }) =>
    affected.map((spot) => `${rule} ${new URL(spot.url).pathname}`),
  )

t.test('rules about several pages find their faults', async (t) => {
  t.strictSame(
    siteRules([
      visited('/', { title: 'same' }, ['/b', '/old', '/gone', '/c']),
      visited('/b', { title: 'same', alternates: [{ lang: 'de', url: at('/c') }] }),
      visited('/c', { title: 'same', canonical: at('/b'), alternates: [] }),
      visited('/old', { to: at('/b'), hops: 1, title: 'same' }),
      { area, kind: 'links', statuses: [{ url: at('/gone'), status: 410 }] },
    ]).sort(),
    [
      'hreflang_no_return /b',
      'link_broken /',
      'link_redirected /',
      'title_duplicate /',
      'title_duplicate /b',
    ],
  )
  t.match(siteRules([visited('/', { canonical: at('/n') }), visited('/n', { noindex: true })]), [
    'canonical_bad_target /',
  ])
})

t.test('no more than 200 pages are visited, whatever they link to', async (t) => {
  let state = beginAudit(order)
  for (let n = 0; state.queue.length > 0; n++) {
    const links = Array.from({ length: 50 }, (_, i) => `/${n}-${i}`)
    const path = new URL(state.queue[0]!).pathname
    state = foldAudit(state, visited(path, {}, links))
    if (n > limits.seoPages) break
  }
  t.equal(state.pages.length, limits.seoPages)
  t.ok(JSON.stringify(state).length < 200_000, 'an entry of the log has room for it')
})

t.test('the capture of a site with long texts is cut, and says so', async (t) => {
  const found = [
    {
      rule: 'image_alt_missing',
      count: 500,
      spots: Array(10).fill({ selector: 's'.repeat(200), evidence: 'e'.repeat(200) }),
    },
  ]
  let state = beginAudit(order)
  for (let n = 0; n < limits.seoPages && state.queue.length > 0; n++) {
    const links = Array.from({ length: 80 }, (_, i) => `/${n}-${i}-${'x'.repeat(400)}`)
    const path = new URL(state.queue[0]!).pathname
    state = foldAudit(state, { ...(visited(path, {}, links) as Visited), found })
  }
  t.match(state.warnings, [/too large for one audit/])
  t.ok(JSON.stringify(state).length < limits.seoStateBytes + 2 * limits.seoStepBytes)
  const [finding] = findingsOf(state).filter(({ rule }) => rule === 'image_alt_missing')
  t.equal(finding!.affected_count, 500 * state.pages.length, 'counts stay exact')
  t.ok(finding!.affected.length <= limits.seoAffected)
  t.ok(JSON.stringify(findingsOf(state)).length <= limits.seoFindingsBytes)
})

t.test('links are checked in parts, 100 at most; then the audit is done', async (t) => {
  const links = Array.from({ length: 150 }, (_, i) => `/file-${i}.pdf`)
  let state = fold([visited('/', {}, links)])
  let asked = 0
  while (!isAudited(state)) {
    const some = uncheckedLinks(state)
    asked += some.length
    state = foldAudit(state, {
      area,
      kind: 'links',
      statuses: some.map((url) => ({ url, status: 200 })),
    })
  }
  t.equal(asked, limits.seoLinkChecks)
})

t.test('a lost browser is replaced, a limited number of times', async (t) => {
  const lost = { area, kind: 'session_lost', why: 'crashed' } as const
  const once = fold([{ area, kind: 'opened', turn }, lost])
  t.match(once, { session: 1, turn: null, failure: null })
  t.match(foldAudit(once, lost).failure, /crashed/)
})

t.test('scores: full without a fault, less with each, none without a page', async (t) => {
  const good = fold([visited('/')])
  t.match(scoresOf(good, []), { overall: 100, seo: 100, performance: 100 })
  const bad = fold([visited('/', {}, ['/x']), visited('/x', { status: 404, kind: 'html' })])
  const findings = findingsOf(bad)
  t.ok(scoresOf(bad, findings).seo! < 100)
  t.match(summaryOf(findings), { high: 1, critical: 0 })
  const empty = beginAudit(order)
  t.match(scoresOf(empty, []), { overall: null, seo: null })
  t.same(metricsOf(empty), { inp_ms: null })
})

t.test('robots.txt: our group, otherwise the one for all; delays and sitemaps', async (t) => {
  const origin = 'https://example.com'
  const text = `# hello\nUser-agent: *\nDisallow: /a # why\nCrawl-delay: 2\nSitemap: ${origin}/m.xml\n`
  const { robots, isCut } = truncatedRobots(text)
  t.notOk(isCut)
  t.notMatch(robots, /#|Sitemap/)
  t.notOk(isAllowed(origin, robots, `${origin}/a/b`))
  t.ok(isAllowed(origin, robots, `${origin}/b`))
  t.equal(delayMs(origin, robots), 2_000)
  t.equal(delayMs(origin, 'User-agent: *\nCrawl-delay: 900'), limits.seoDelayMs)
  t.same(sitemapsIn(origin, text), [`${origin}/m.xml`])
  const own = 'User-agent: TroupeAudit\nDisallow: /x\nUser-agent: *\nDisallow: /'
  t.ok(isAllowed(origin, own, `${origin}/y`))
  t.ok(truncatedRobots('Disallow: /x\n'.repeat(5_000)).isCut)
})

t.test('addresses of the site, and those that may be pages', async (t) => {
  t.equal(domainOfSite('https://www.example.com/x'), 'example.com')
  t.equal(domainOfSite('http://127.0.0.1:8000/'), '127.0.0.1:8000')
  t.equal(domainOfSite('http://[::1]:8000/'), '[::1]:8000')
  t.equal(siteAddress('/a#b', url, 'example.com'), at('/a'))
  t.equal(siteAddress('https://www.example.com/', url, 'example.com'), 'https://www.example.com/')
  for (const other of [
    'https://other.com/',
    'mailto:a@b.c',
    'javascript:1',
    'https://u:p@example.com/',
  ]) {
    t.equal(siteAddress(other, url, 'example.com'), undefined, other)
  }
  t.notOk(isFollowable(at('/a.pdf')))
  t.ok(isFollowable(at('/a.pdf/about')))
})

t.test('redirects are those of the last visit', async (t) => {
  const document = (to: string, status?: number) => ({
    ...{ method: 'GET', url: at(to), type: 'document' },
    ...defined({ status }),
  })
  const requests = [
    document('/a', 301),
    document('/b', 200),
    document('/a', 302),
    document('/c', 200),
  ]
  t.match(redirectsFrom(at('/a'), [...requests, document('/frame', 200)]), [
    { url: at('/a') },
    { url: at('/c'), status: 200 },
  ])
  t.same(redirectsFrom(at('/none'), requests), [])
})

t.test(
  'a job that is cancelled before its record exists makes the record and does no more work',
  async (t) => {
    const { input } = jobRehearsal
    let { snapshot, requested } = startMachine(jobMachine, input)
    t.match(requested, [{ kind: 'record' }])
    const cancel = { type: 'cancel', by: input.origin.by, at: 1 }
    snapshot = stepMachine(jobMachine, snapshot, cancel).snapshot
    const next = stepMachine(jobMachine, snapshot, { type: 'recorded', at: 2 })
    t.match(next.requested, [{ kind: 'finish' }])
    t.equal(next.snapshot.value, 'ending')
  },
)
