/**
 * Goal: an SEO audit finds the faults of a site and nothing else, in browsers of the pool that can
 * reach only that site; it can be cancelled, and it survives its host. Method: sites on loopback
 * with one planted fault per page, the routes of jobs, a whole service with real Chromium.
 */
import t, { type Test } from 'tap'
import { jobActor } from '../../../proto/access/jobs/job.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { endlessSite, faultySite, planted } from '../../helpers/access/jobs/audited-site.ts'
import { isOver, startJobService } from '../../helpers/access/jobs/job-service.ts'

interface Finding {
  readonly rule: string
  readonly severity: string
  readonly affected_count: number
  readonly affected: readonly { readonly url: string; readonly evidence?: string }[]
}
interface Started {
  readonly id: string
  readonly status: string
}

const permissions = [{ area: 'seo-audits', actions: ['read', 'run'] }] as const
/** Findings that depend on how busy this machine is. */
const measured = ['lcp_poor', 'lcp_slow', 'ttfb_slow']

const endless = await endlessSite(t)
const faulty = await faultySite(t, `${endless.url}/elsewhere`)
const privateHosts = [faulty.host, endless.host]
const { service, insider, clientId, records, say, post, waitFor, addRecord } =
  await startJobService(t, { permissions, privateHosts })

const start = async (t: Test, body: object) => {
  const { status, headers, body: answer } = await post('/v1/seo-audits', body)
  const job = answer.data as Started
  t.equal(status, 202, JSON.stringify(answer))
  t.equal(headers.get('location'), `/v1/seo-audits/${job.id}`)
  return job.id
}
const sessionsOf = (fields: RecordFields) =>
  (fields['provenance'] as { session_ids: string[] }).session_ids

async function allEnded(fields: RecordFields): Promise<boolean> {
  const views = await Promise.all(
    sessionsOf(fields).map((id) => insider.directory.ask(sessionActor, id, { type: 'get' })),
  )
  return views.every(({ view }) => view.endedAtMs !== undefined || view.status === 'ending')
}

t.test('each planted fault is found, and nothing else', async (t) => {
  const id = await start(t, { site_url: `${faulty.url}/`, pages_most: 50 })
  const fields = await waitFor(id, isOver, 240_000)
  t.equal(fields['status'], 'completed', String(fields['error']))
  const answer = await say('GET', `/v1/seo-audits/${id}/findings`)
  const findings = answer.body.data as Finding[]
  const found = findings
    .filter(({ rule }) => !measured.includes(rule))
    .flatMap(({ rule, affected }) =>
      [...new Set(affected.map(({ url }) => new URL(url).pathname))].map(
        (path) => `${rule} ${path}`,
      ),
    )
  t.strictSame(found.sort(), planted.map(([rule, path]) => `${rule} ${path}`).sort())
  const broken = findings.find(({ rule }) => rule === 'link_broken')
  t.match(
    broken?.affected.map(({ evidence }) => evidence),
    [/missing returns status 404/, /gone\.pdf returns status 404/],
  )
  t.notOk(faulty.asked.includes('/secret'), 'robots.txt was heeded')
  t.strictSame(endless.asked, [], 'no other site was asked for anything')
  const high = await say('GET', `/v1/seo-audits/${id}/findings?severity=high`)
  const severities = (high.body.data as Finding[]).map(({ severity }) => severity)
  t.strictSame([...new Set(severities)], ['high'])
  const { scores, summary, metrics, provenance, pages_crawled, pages_found, progress } = fields
  t.match(provenance, { tool: 'troupe-seo-audit', untrusted: true })
  t.equal(pages_crawled, pages_found)
  t.equal(progress, 1)
  const { seo, best_practices } = scores as Record<string, number>
  t.ok(seo! >= 0 && seo! < 60, 'a site with that many faults has few points')
  t.ok(best_practices! >= 85 && best_practices! < 95, 'one page of many has one grave fault')
  t.match(summary, { critical: 0, high: Number })
  t.match(metrics, { inp_ms: null, cls: Number, ttfb_ms: Number, bytes: Number })
  t.ok(await allEnded(fields), 'its browser is given back')
})
t.test('one page alone can be audited, and a faultless page has no finding', async (t) => {
  const id = await start(t, { site_url: `${faulty.url}/clean#part`, strategy: 'desktop' })
  const fields = await waitFor(id, isOver)
  t.match(fields, { status: 'completed', pages_crawled: 1, site_url: `${faulty.url}/clean` })
  const findings = fields['findings'] as Finding[]
  t.strictSame(
    findings.map(({ rule }) => rule).filter((rule) => !measured.includes(rule)),
    [],
  )
})

t.test('a site without an end is left after the requested number of pages', async (t) => {
  const before = endless.asked.length
  const id = await start(t, { site_url: endless.url, pages_most: 6 })
  const fields = await waitFor(id, isOver)
  t.match(fields, { status: 'completed', pages_crawled: 6, pages_found: 6 })
  const pages = endless.asked.slice(before).filter((path) => /^\/\d*$/.test(path))
  t.equal(pages.length, 6)
  const beyond = await post('/v1/seo-audits', { site_url: endless.url, pages_most: 201 })
  t.match([beyond.status, beyond.body.error], [422, { type: 'validation_failed' }])
})

t.test('a cancelled audit keeps what it has found and holds no browser', async (t) => {
  const id = await start(t, { site_url: endless.url, pages_most: 200 })
  const seen = await waitFor(id, ({ pages_crawled }) => Number(pages_crawled) >= 2)
  t.match(seen, { status: 'running', pages_found: Number, progress: Number })
  const { status, body } = await post(`/v1/seo-audits/${id}/cancel`)
  t.match([status, body.data], [200, { id, status: 'cancelled', pages_crawled: Number }])
  const fields = await waitFor(id, isOver)
  t.ok(Array.isArray(fields['findings']))
  t.ok(await allEnded(fields))
  const again = await post(`/v1/seo-audits/${id}/cancel`)
  t.match([again.status, again.body.error], [409, { type: 'invalid_transition' }])
  const unknown = await post(`/v1/seo-audits/${newRecordId('seo-audits')}/cancel`)
  t.equal(unknown.status, 404)
})

t.test('SIGKILL of its host midway: it goes on, and ends once', async (t) => {
  const before = endless.asked.length
  const id = await start(t, { site_url: endless.url, pages_most: 10 })
  let ends = 0
  const watch = await records.watch(clientId, (news) => {
    if (news.type === 'put' && news.held.record.id === id && isOver(news.held.record.fields)) ends++
  })
  t.teardown(() => watch.stop())
  await waitFor(id, ({ pages_crawled }) => Number(pages_crawled) >= 3)
  await service.strike('actors')
  const fields = await waitFor(id, isOver, 180_000)
  t.match(fields, { status: 'completed', pages_crawled: 10 })
  const pages = endless.asked.slice(before).filter((path) => /^\/\d*$/.test(path))
  t.equal(new Set(pages).size, 10)
  t.ok(pages.length <= 12, `the page that was open is visited again, no other (${pages.length})`)
  const settled = { untilSettled: true }
  const { view } = await insider.directory.ask(jobActor, id, { type: 'get' }, settled)
  t.equal(view.status, 'completed')
  t.equal(ends, 1)
})

t.test('a private address, or a domain of another client, is refused', async (t) => {
  const refused = [
    'http://127.0.0.1:4222/',
    'http://[::1]/',
    'http://0x7f.1/',
    'http://169.254.169.254/latest',
    'http://intranet/',
    'http://user:pw@example.com/',
    'https://example.com/',
    'file:///etc/passwd',
  ]
  for (const site_url of refused) {
    const { status, body } = await post('/v1/seo-audits', { site_url })
    t.match(
      [status, body.error],
      [422, { type: 'validation_failed', fields: ['/site_url'] }],
      site_url,
    )
  }
  await addRecord('domains', { hostname: 'localtest.example', status: 'expired' })
  const expired = await post('/v1/seo-audits', { site_url: 'https://localtest.example/' })
  t.equal(expired.status, 422, 'nor is a domain that is not active')
})
