// Goal: whatever a record or an audited page has put into a report is text in every format: no
// formula in CSV, no markup, script or foreign link in HTML, no special character in a file name.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import t from 'tap'
import { reportCsv, toReportCell } from '../../../../gateway/access/reports/formats/csv.ts'
import { reportFileName } from '../../../../gateway/access/reports/formats/file-name.ts'
import { ReportFormats } from '../../../../gateway/access/reports/formats/formats.ts'
import { figureChangeText, figureText } from '../../../../gateway/html/chart/figures.ts'
import { footerHtml } from '../../../../gateway/access/reports/page/footer.tsx'
import { readLetterhead } from '../../../../gateway/access/reports/letterhead.ts'
import { plainLook, reportLook } from '../../../../gateway/access/reports/page/look.ts'
import { reportHtml } from '../../../../gateway/access/reports/page/page.tsx'
import type { ShownReport } from '../../../../gateway/access/reports/shown.ts'
import type { ReportSection } from '../../../../proto/access/reports/report-content.ts'
import { refusal } from '../../../helpers/access/actors/records.ts'
import { demoReports } from '../../../helpers/access/jobs/demo-reports.ts'

const nowMs = Date.parse('2026-04-02T10:00:00Z')
const shown = demoReports(nowMs)

/** A report that has this text in every place for a text. */
function saying(text: string): ShownReport {
  const sources = [0]
  const sections: ReportSection[] = [
    { kind: 'text', heading: text, body: text, sources },
    {
      ...{ kind: 'metric', heading: 'm', sources },
      body: { items: [{ label: text, value: 1, unit: 'count', note: text }] },
    },
    {
      ...{ kind: 'table', heading: text, sources },
      body: { columns: [{ label: text }, { label: 'n', unit: 'count' }], rows: [[text, -1]] },
    },
    {
      ...{ kind: 'chart', heading: text, sources },
      body: {
        ...{ form: 'bars', axis: text, unit: 'count', labels: [text] },
        series: [{ name: text, values: [1] }],
      },
    },
    {
      ...{ kind: 'findings', heading: text, sources },
      body: {
        items: [
          {
            ...{ title: text, severity: 'high', category: text, description: text },
            ...{ recommendation: text, affected_count: 1 },
            affected: [{ url: text, evidence: text }],
          },
        ],
      },
    },
  ]
  const { audit } = shown
  return { ...audit, title: text, summary: text, sections, client: { ...audit.client, name: text } }
}

const hostile = [
  '<img src=x onerror=alert(1)>',
  '</title></style><script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'evil\u202egnp.exe',
]

t.test('hostile text is inert in HTML, and in the footer of a PDF', async (t) => {
  for (const text of hostile) {
    const html = reportHtml(saying(text))
    const own = reportHtml(saying('x'))
    const tags = (page: string) =>
      page.match(/<[a-z/!][^>]*>/gi)!.map((tag) => tag.split(/[\s>]/)[0])
    t.same(
      [...new Set(tags(html))].filter((tag) => !tags(own).includes(tag)),
      [],
      `${text}: no tag but our own`,
    )
    const found = /<script|(href|src)="(?!#|https?:)[^"]*"|\u202e/i.exec(html)
    t.equal(found, null, text)
    t.notMatch(footerHtml(text), /<(img|script|svg)|\u202e/)
  }
  const linked = reportHtml(saying('https://shop.example/a?b=1&c="'))
  t.match(linked, 'href="https://shop.example/a?b=1&amp;c=%22" rel="noopener noreferrer nofollow"')
})

t.test('a page loads nothing, has no script, and its style is allowed by its hash', async (t) => {
  const html = reportHtml(shown.audit)
  const [, policy] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? []
  t.match(
    policy?.replaceAll('&#39;', "'"),
    /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; base-uri 'none'/,
  )
  t.notMatch(html, /<script|<link|<img|\ssrc=|\sstyle=|@import|url\(/)
  t.match(html, '<html lang="en">')
})

t.test('sources are summed by area; the list of records is folded, and not on paper', async (t) => {
  const record = (n: number) => ({ area: 'tasks', id: `wrk_${n}`, version: 1 }) as const
  const sources = [
    { area: 'seo-audits', id: 'seo_1', version: 2 } as const,
    ...Array.from({ length: 999 }, (_, n) => record(n)),
  ]
  const sections = shown.metrics.sections.map((one) => ({ ...one, sources: [0, 1, 2] }))
  const html = reportHtml({ ...shown.metrics, sources, sections }, plainLook, 'https://b.example/r')
  const [before, list = ''] = html.split('<details>')
  t.match(
    before,
    /comes from 1,000 records, read for the period [^:]+: SEO audits \(1\), Tasks \(999\)\./,
  )
  t.match(before, '<a href="#sources">SEO audits (1), Tasks (2)</a>')
  t.match(before, 'read: <a href="https://b.example/r">https://b.example/r</a>.')
  t.notMatch(before, /wrk_\d/)
  t.match(list, /wrk_998/)
  const [, paper = ''] = plainLook.style.split('@media print')
  t.match(paper, /\.sources details \{\s*display: none/)
  t.notMatch(reportHtml(shown.metrics), 'read: <a')
})

t.test('the letterhead is that of the settings, and loads nothing', async (t) => {
  const header = Buffer.from('89504e470d0a1a0a00', 'hex')
  const png = join(t.testdir({ 'logo.png': header }), 'logo.png')
  const settings = {
    ...{ AGENCY_NAME: 'North <& Co>', AGENCY_LOGO: png, AGENCY_COLOUR: '#0b6e4f' },
    AGENCY_CONTACT: 'hello@north.example; +49 351 1',
  }
  const look = reportLook(readLetterhead(settings))
  const html = reportHtml(shown.audit, look)
  t.match(html, '<span>North &lt;&amp; Co&gt;</span>')
  t.match(html, '<li>hello@north.example</li><li>+49 351 1</li>')
  t.match(html, '<img src="data:image/png;base64,iVBORw0KGgoA" alt=""/>')
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(html) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  t.match(style, '--brand:#0b6e4f;--accent:light-dark(#0b6e4f,')
  t.match(look.policy, `default-src 'none'; style-src 'sha256-${hash}'; img-src data:;`)
  t.match(footerHtml('Audit', 'North'), 'North – Audit')
  const yellow = reportLook(readLetterhead({ ...settings, AGENCY_COLOUR: '#ffd500' }))
  t.match(yellow.style, '--brand:#ffd500;--accent:light-dark(var(--ink),')
  const none = { AGENCY_NAME: '', AGENCY_LOGO: '', AGENCY_COLOUR: '', AGENCY_CONTACT: '' }
  t.equal(reportHtml(shown.audit, reportLook(readLetterhead(none))), reportHtml(shown.audit))
  const dir = t.testdir({
    'page.html': '<html><svg/></html>',
    'big.png': Buffer.concat([header, Buffer.alloc(300_000)]),
  })
  for (const name of ['page.html', 'big.png', 'none.png']) {
    const logo = { ...settings, AGENCY_LOGO: join(dir, name) }
    t.throws(() => readLetterhead(logo), /AGENCY_LOGO=.* use a PNG, JPEG or SVG/, name)
  }
})

t.test('each chart has its figures in a table beside it', async (t) => {
  for (const [kind, report] of Object.entries(shown)) {
    const html = reportHtml(report)
    const charts = report.sections.filter((one) => one.kind === 'chart')
    t.equal(html.match(/<figure>/g)?.length ?? 0, charts.length, kind)
    for (const figure of html.match(/<figure>[^]*?<\/figure>/g) ?? []) {
      t.match(figure, /<svg class="chart"[^>]* role="img" aria-labelledby="chart-\d+"><title id/)
      t.match(figure, /<table[^>]*><caption[^>]*>[^<]+, in figures<\/caption>/)
    }
  }
})

t.test('a draft and a superseded report are marked as such', async (t) => {
  t.match(reportHtml({ ...shown.audit, status: 'draft' }), 'This is a draft.')
  const newer = { ...shown.audit, status: 'superseded', superseded_by: 'rpt_newer' } as const
  t.match(reportHtml(newer), 'This report was replaced by a newer one: rpt_newer.')
  t.notMatch(reportHtml(shown.audit), 'class="standing"')
})

t.test('no CSV cell starts like a formula, and every line has as many cells', async (t) => {
  const formulas = ['=HYPERLINK("http://x")', '+1', '-1+2', '@SUM(A1)', '\tx', '\rx']
  for (const text of formulas) {
    t.equal(toReportCell(text), `'${text}`)
    const rows = parse(reportCsv(saying(text))) as string[][]
    t.notOk(
      rows.flat().some((cell) => /^[=+\-@\t\r]/.test(cell)),
      JSON.stringify(text),
    )
    t.ok(rows.flat().includes(`'${text}`))
  }
  t.equal(toReportCell(-5), "'-5")
  t.equal(toReportCell(null), '')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }), (text) => {
      const csv = reportCsv(saying(text))
      const rows = parse(csv) as string[][]
      const isOneWide = rows.every(({ length }) => length === rows[0]!.length)
      return isOneWide && !rows.flat().some((cell) => /^[=+\-@\t\r]/.test(cell))
    }),
  )
})

t.test('a CSV has every figure and every source', async (t) => {
  const rows = parse(reportCsv(shown.metrics)) as string[][]
  t.same(rows[0], ['section', 'item', 'measure', 'value', 'unit', 'sources'])
  const { sections, sources, digest } = shown.metrics
  for (const { heading } of sections)
    t.ok(
      rows.some(([section]) => section === heading),
      heading,
    )
  for (const { id, version } of sources) {
    t.ok(rows.some((row) => row[1] === id && row[3] === String(version)))
  }
  t.ok(rows.some((row) => row[3] === digest))
})

t.test('a file name is ASCII, and never empty', async (t) => {
  const { id } = shown.audit
  t.equal(
    reportFileName({ id, title: 'Überblick: März 2026 / "Q1"' }, 'pdf'),
    'uberblick-marz-2026-q1.pdf',
  )
  t.equal(reportFileName({ id, title: '報告' }, 'csv'), `${id}.csv`)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (title) =>
      /^[a-z0-9_-]+\.html$/.test(reportFileName({ id, title }, 'html')),
    ),
  )
})

t.test('the format is what Accept prefers, JSON by default', async (t) => {
  const formats = new ReportFormats({ print: () => Promise.reject(new Error('not asked here')) })
  t.equal(formats.named(undefined), 'application/json')
  t.equal(formats.named('*/*'), 'application/json')
  t.equal(formats.named('text/html,application/xhtml+xml,*/*;q=0.8'), 'text/html')
  t.equal(formats.named('text/csv;q=0.5, application/pdf'), 'application/pdf')
  for (const accept of ['image/png', 'text/html;q=0']) {
    t.equal(await refusal(() => formats.named(accept)), 'not_acceptable', accept)
  }
})

t.test('figures are formatted for people', async (t) => {
  t.equal(figureText(1_234_567), '1,234,567')
  t.equal(figureText(99.954, { unit: 'percent' }), '99.95 %')
  t.equal(figureText(420, { unit: 'ms' }), '420 ms')
  t.equal(figureText(2_431, { unit: 'ms' }), '2.4 s')
  t.equal(figureText(3_870_000, { unit: 'bytes' }), '3.9 MB')
  t.equal(figureText(0, { unit: 'bytes' }), '0 bytes')
  t.equal(figureText(120_050, { unit: 'money', currency: 'EUR' }), '€1,200.50')
  t.equal(figureText(1_200, { unit: 'money', currency: 'JPY' }), 'JP¥1,200')
  t.equal(figureText(null), '–')
  t.equal(figureText('2026-03-12', { unit: 'date' }), '12 Mar 2026')
  t.equal(figureText('still open', { unit: 'date' }), 'still open')
  t.equal(figureChangeText(71, 58, { unit: 'score' }), '+13')
  t.equal(figureChangeText(58, 71, { unit: 'score' }), '−13')
  t.equal(figureChangeText(58, 58, {}), 'unchanged')
})
