/**
 * Goal: from a site with faults to a report that can be sent: a real audit, the report generated
 * from it and published, its page accessible in a real Chromium, and its PDF from a browser of the
 * pool.
 */
import t from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { dataOf, type Heard } from '../../helpers/access/asking.ts'
import { recordsOf, staffWithGrant } from '../../helpers/access/report-people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { faultySite } from '../../helpers/access/jobs/audited-site.ts'
import { isOver } from '../../helpers/access/jobs/job-service.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { until } from '../../helpers/lib/until.ts'

interface ReportJson {
  readonly id: string
  readonly version: number
  readonly digest: string
  readonly status: string
  readonly sources: readonly {
    readonly area: string
    readonly id: string
    readonly version: number
  }[]
}
const faulty = await faultySite(t, 'http://127.0.0.1:9/elsewhere')
const world = await openWorld(t, { JOB_PRIVATE_HOSTS: faulty.host, POOL_HEADLESS: '1' })
const { ask, a } = world
const { token } = a.all
const maker = await staffWithGrant(world, a, ['operator'])
const publisher = await staffWithGrant(world, a, ['reviewer'])
const addRecord = recordsOf(world, a.id)

/** A hostile title on the audited site, which a report shows as text. */
await addRecord('seo-audits', {
  ...{ site_url: 'https://other.example/', status: 'completed' },
  finished_at: new Date().toISOString(),
  ...{ pages_crawled: 1, scores: { overall: 40 } },
  findings: [
    {
      ...{ rule: 'x', category: 'content', severity: 'critical', recommendation: 'Escape it.' },
      ...{ title: '<img src=x onerror="document.title=1">', affected_count: 1 },
    },
  ],
})

const order = { site_url: `${faulty.url}/`, pages_most: 12 }
const started = dataOf(await ask('POST', '/v1/seo-audits', { token, body: order }))
const store = new RecordStore(world.insider.store.bucket(buckets.records))
const { version: auditVersion, fields: audit } = await until(
  'the audit has ended',
  async () => {
    const found = (await store.get(a.id, 'seo-audits', started.id))?.record
    return found && isOver(found.fields) && found
  },
  240_000,
)
const findings = audit['findings'] as readonly { readonly title: string }[]
const { overall } = audit['scores'] as { readonly overall: number }

const today = new Date().toISOString().slice(0, 10)
const body = { client_id: a.id, kind: 'audit', period: { from: today, to: today } }
const draft = reportOf(await ask('POST', '/v1/reports', { token: maker.token, body }))
const { id, version, digest } = draft
const seen = { token: publisher.token, seen: version, body: { digest } }
const published = reportOf(await ask('POST', `/v1/reports/${id}/publish`, seen))

function reportOf(heard: Heard): ReportJson {
  return dataOf<ReportJson>(heard)
}

t.test('the report has the findings of the audit, at the audit’s version', async (t) => {
  t.equal(audit['status'], 'completed')
  t.equal(published.status, 'published')
  const pinned = published.sources.find((source) => source.id === started.id)
  t.match(pinned, { area: 'seo-audits', version: auditVersion })
  const csv = await ask('GET', `/v1/reports/${id}/content`, {
    token,
    headers: { accept: 'text/csv' },
  })
  t.ok(findings.length > 5)
  for (const { title } of findings) t.match(csv.text, title)
  t.match(csv.text, new RegExp(`Overall score,Now,${overall},score`))
})

t.test('its page runs and loads nothing, and is accessible', async (t) => {
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const headers = { authorization: `Bearer ${token}`, accept: 'text/html' }
  const page = await browser.newPage()
  const loaded: string[] = []
  const complaints: string[] = []
  // Without the sandbox, as a reader's own program would send this page: in a sandbox nothing runs,
  // and neither would the checks here. The rest of the policy stays.
  await page.route('**', async (route, request) => {
    loaded.push(request.url())
    const response = await route.fetch({ headers: { ...request.headers(), ...headers } })
    const { 'content-security-policy': policy = '', ...others } = response.headers()
    t.match(policy, /^sandbox; default-src 'none'/)
    const outside = { ...others, 'content-security-policy': policy.replace(/^sandbox; /, '') }
    return route.fulfill({ response, headers: outside })
  })
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(`${world.service.baseUrl}/v1/reports/${id}/content`)
  t.match(await page.title(), /Same & Sons$/)
  t.equal(await page.locator('img, script, iframe').count(), 0)
  t.match(await page.locator('main').textContent(), /<img src=x onerror/)
  t.equal(await page.locator('h1').count(), 1)
  const charts = await page.locator('svg.chart').count()
  t.ok(charts >= 2)
  t.equal(await page.locator('figure table').count(), charts)
  const pages = loaded.filter((url) => !url.endsWith('/favicon.ico'))
  t.equal(pages.length, 1, pages.join(' '))
  for (const width of [1_200, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const sideways = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    t.equal(sideways, 0, `no sideways scroll at ${width} px`)
    await isAccessible(t, page, `${width} px`)
  }
  t.same(complaints, [], 'the policy has nothing to complain of')
})

t.test('its PDF has pages, and no browser is left behind', async (t) => {
  const answer = await fetch(`${world.service.baseUrl}/v1/reports/${id}/content`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/pdf' },
  })
  t.equal(answer.status, 200)
  const pdf = Buffer.from(await answer.arrayBuffer()).toString('latin1')
  t.match(pdf, /^%PDF-1/)
  const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0
  t.ok(pages >= 2, `${pages} pages`)
  const views = await until('its session has ended', async () => {
    const texts = []
    for await (const { value } of world.insider.store.bucket('views').scan(`session.${a.id}.`)) {
      texts.push(Buffer.from(value).toString('latin1'))
    }
    const prints = texts.filter((text) => text.includes('report-pdf'))
    return prints.length > 0 && prints.every((text) => text.includes('endedAtMs')) && prints
  })
  t.equal(views.length, 1)
})
