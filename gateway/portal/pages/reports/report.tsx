/** One report: its facts, main figures, sources, and actions. */
import { areaRules, isAreaKey } from '../../../../proto/access/areas.ts'
import type { ReportSource } from '../../../../proto/access/report-content.ts'
import { figureText } from '../../../access/reports/page/figures.ts'
import { ErrorSummary, Folded } from '../../html/form.tsx'
import { ButtonLink, Code, Facts, Notice, Section, Time } from '../../html/parts.tsx'
import { Table } from '../../html/table.tsx'
import type { Problem, Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { clientName, nameOf } from '../../words/names.ts'
import { plural, words } from '../../words/words.ts'
import { contentHref, formats } from './content.ts'
import { Decide } from './decide.tsx'
import { reportOf, type Report } from './found.ts'
import { ReportStatusMark } from './list.tsx'
import { kindWords, periodWord } from './words.ts'

export async function showReport(visit: Visit, problem?: Problem): Promise<Shown> {
  const report = await reportOf(visit)
  const { id, title, status } = report
  const isWithdrawn = status === 'withdrawn'
  return {
    title,
    up: { href: visit.at('/reports'), label: 'Reports' },
    actions: <ReportStatusMark of={report} />,
    body: (
      <>
        <ErrorSummary
          problem={problem}
          fields={[{ name: 'reason', id: 'reason-withdraw', label: 'Reason' }]}
        />
        <Standing visit={visit} of={report} />
        {isWithdrawn ? '' : <Reading visit={visit} id={id} />}
        {report.summary === '' ? '' : <p class="summary">{report.summary}</p>}
        {isWithdrawn ? '' : <AtAGlance of={report} />}
        <Section title="About this report">
          <About visit={visit} of={report} />
        </Section>
        {isWithdrawn ? '' : <Contents of={report} />}
        {isWithdrawn ? '' : <Sources visit={visit} of={report} />}
        {visit.isStaff ? <Decide visit={visit} report={report} problem={problem} /> : ''}
      </>
    ),
  }
}

const Reading = ({ visit, id }: { visit: Visit; id: string }) => (
  <div class="buttons">
    <ButtonLink href={contentHref(visit, id, 'html')} kind="main">
      Read the report
    </ButtonLink>
    {(['pdf', 'csv', 'json'] as const).map((format) => (
      <ButtonLink href={contentHref(visit, id, format)}>{formats[format].label}</ButtonLink>
    ))}
  </div>
)

const Standing = ({ visit, of }: { visit: Visit; of: Report }) => {
  const { status, superseded_by: next, withdrawn_reason: reason, withdrawn_at: at } = of
  switch (status) {
    case 'draft':
      return (
        <Notice tone="wait" title="This is a draft">
          <p>
            Only staff who make reports see it. It is published by a reviewer who has not written on
            it, and does not change afterwards.
          </p>
        </Notice>
      )
    case 'superseded':
      return (
        <Notice tone="info" title="A newer report has taken its place">
          {next === undefined ? (
            ''
          ) : (
            <p>
              <a href={visit.at(`/reports/${next}`)}>See the newer one</a>
            </p>
          )}
        </Notice>
      )
    case 'withdrawn':
      return (
        <Notice tone="bad" title="It was withdrawn: what it said is not to be used">
          <p>{reason ?? ''}</p>
          {at === undefined ? (
            ''
          ) : (
            <p class="quiet">
              <Time ms={Date.parse(at)} zone={visit.zone} />
            </p>
          )}
        </Notice>
      )
    default:
      return <></>
  }
}

/** The figures of its first section, as the report shows them. */
const AtAGlance = ({ of: { sections } }: { of: Report }) => {
  const first = sections.find((section) => section.kind === 'metric')
  if (first?.kind !== 'metric' || first.body.items.length === 0) return <></>
  return (
    <Section title={first.heading}>
      <Facts
        of={first.body.items.map(({ label, value, note, ...kind }) => ({
          term: label,
          is: (
            <>
              {figureText(value, kind)}
              {note === undefined ? '' : <span class="quiet"> {note}</span>}
            </>
          ),
        }))}
      />
    </Section>
  )
}

const About = ({ visit, of }: { visit: Visit; of: Report }) => {
  const view = visit.find('report', of.id)
  const authors = visit.isStaff ? (view?.authorIds ?? []) : []
  const time = (text: string) => <Time ms={Date.parse(text)} zone={visit.zone} />
  return (
    <Facts
      of={[
        visit.isStaff &&
          view !== undefined && { term: 'Client', is: clientName(visit, view.tenant) },
        of.kind && { term: 'Kind', is: kindWords[of.kind] },
        { term: 'Period', is: periodWord(of.period) },
        {
          term: 'Tells of',
          is: of.audience_areas.map((area) => areaRules[area].label).join(', ') || 'Access alone',
        },
        {
          term: 'Made',
          is: (
            <>
              {time(of.created_at)}, by {nameOf(visit, of.created_by)}
            </>
          ),
        },
        authors.length > 1 && {
          term: 'Written on by',
          is: authors.map((id) => nameOf(visit, id)).join(', '),
        },
        {
          term: 'Published',
          is:
            of.published_at === undefined ? (
              'Not yet'
            ) : (
              <>
                {time(of.published_at)}
                {of.published_by === undefined ? '' : `, by ${nameOf(visit, of.published_by)}`}
              </>
            ),
        },
        of.supersedes !== undefined && {
          term: 'Takes the place of',
          is: <a href={visit.at(`/reports/${of.supersedes}`)}>An earlier report</a>,
        },
        { term: 'Version', is: String(of.version) },
        of.digest !== undefined && { term: 'Digest (SHA-256)', is: <Code>{of.digest}</Code> },
        { term: 'ID', is: <Code>{of.id}</Code> },
      ]}
    />
  )
}

const Contents = ({ of: { sections } }: { of: Report }) =>
  sections.length === 0 ? (
    <></>
  ) : (
    <Section title="What it contains">
      <ol class="contents">
        {sections.map(({ heading, sources }) => (
          <li>
            {heading}{' '}
            <span class="quiet">
              {sources.length === 0
                ? 'a remark of a person'
                : `from ${plural(sources.length, 'source')}`}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )

const sourcesShown = 100

const Sources = ({ visit, of: { sources } }: { visit: Visit; of: Report }) =>
  sources.length === 0 ? (
    <></>
  ) : (
    <Section title="Where its figures come from">
      <p>
        {plural(sources.length, 'source')}, each at the version that was read: what is written
        afterwards changes nothing of the report.
      </p>
      <Folded label="The pinned sources">
        <Table
          caption={
            sources.length > sourcesShown
              ? `The first ${sourcesShown}; the JSON has all of them`
              : 'In the order of the report'
          }
          rows={sources.slice(0, sourcesShown)}
          columns={[
            { label: 'Area', cell: ({ area }) => areaWord(area) },
            {
              label: 'Record',
              isHead: true,
              cell: (source) => <SourceLink visit={visit} of={source} />,
            },
            { label: 'Version', isNumber: true, cell: ({ version }) => String(version) },
          ]}
        />
      </Folded>
    </Section>
  )

const areaWord = (area: ReportSource['area']): string =>
  isAreaKey(area) ? areaRules[area].label : words(area)

/** A link if this person has a page for the source. */
const SourceLink = ({ visit, of: { area, id } }: { visit: Visit; of: ReportSource }) => {
  const page = isAreaKey(area)
    ? visit.held(area, 'read').length > 0 && `/records/${area}/${id}`
    : area === 'needs'
      ? `/needs/${id}`
      : area === 'grants' && `/access/${id}`
  return page ? (
    <a href={visit.at(page)}>
      <Code>{id}</Code>
    </a>
  ) : (
    <Code>{id}</Code>
  )
}
