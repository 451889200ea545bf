/** One report: its facts, main figures, sources, and actions. */
import { areaRules, isAreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ReportSource } from '../../../../proto/access/reports/report-content.ts'
import { figureText } from '../../../html/chart/figures.ts'
import { ErrorSummary, Collapsible } from '../../../html/form.tsx'
import {
  ButtonLink,
  IdCode,
  FactList,
  NoticeBox,
  PageSection,
  TimeText,
} from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { plural } from '../../../html/plural.ts'
import { toWords } from '../../words/words.ts'
import { contentHref, downloadFormats, downloadsOf } from './content.ts'
import { ReportDecision } from './decide.tsx'
import { reportOf, type ReportData } from './lookup.ts'
import { ReportStatusMark } from './list.tsx'
import { kindWords, periodWord } from './words.ts'

export async function showReport(visit: Visit, problem?: FormProblem): Promise<PageContent> {
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
        <PageSection title="About this report">
          <About visit={visit} of={report} />
        </PageSection>
        {isWithdrawn ? '' : <Contents of={report} />}
        {isWithdrawn ? '' : <Sources visit={visit} of={report} />}
        {visit.isStaff ? <ReportDecision visit={visit} report={report} problem={problem} /> : ''}
      </>
    ),
  }
}

const Reading = ({ visit, id }: { visit: Visit; id: string }) => (
  <div class="buttons">
    <ButtonLink href={contentHref(visit, id, 'html')} kind="main">
      Read the report
    </ButtonLink>
    {downloadsOf(visit, id).map((format) => (
      <ButtonLink href={contentHref(visit, id, format)}>{downloadFormats[format].label}</ButtonLink>
    ))}
  </div>
)

const Standing = ({ visit, of }: { visit: Visit; of: ReportData }) => {
  const { status, superseded_by: next, withdrawn_reason: reason, withdrawn_at: at } = of
  switch (status) {
    case 'draft':
      return (
        <NoticeBox tone="wait" title="This is a draft">
          <p>
            Only staff who create reports can see it. A reviewer who did not edit it must publish
            it. It cannot be changed afterwards.
          </p>
        </NoticeBox>
      )
    case 'superseded':
      return (
        <NoticeBox tone="info" title="This report was replaced by a newer one">
          {next === undefined ? (
            ''
          ) : (
            <p>
              <a href={visit.at(`/reports/${next}`)}>View the newer report</a>
            </p>
          )}
        </NoticeBox>
      )
    case 'withdrawn':
      return (
        <NoticeBox tone="bad" title="This report was withdrawn. Do not use its content">
          <p>{reason ?? ''}</p>
          {at === undefined ? (
            ''
          ) : (
            <p class="quiet">
              <TimeText ms={Date.parse(at)} zone={visit.zone} />
            </p>
          )}
        </NoticeBox>
      )
    default:
      return <></>
  }
}

/** The figures of its first section, as the report shows them. */
const AtAGlance = ({ of: { sections } }: { of: ReportData }) => {
  const first = sections.find((section) => section.kind === 'metric')
  if (first?.kind !== 'metric' || first.body.items.length === 0) return <></>
  return (
    <PageSection title={first.heading}>
      <FactList
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
    </PageSection>
  )
}

const About = ({ visit, of }: { visit: Visit; of: ReportData }) => {
  const view = visit.find('report', of.id)
  const authors = visit.isStaff ? (view?.authorIds ?? []) : []
  const time = (text: string) => <TimeText ms={Date.parse(text)} zone={visit.zone} />
  return (
    <FactList
      of={[
        visit.isStaff &&
          view !== undefined && { term: 'Client', is: clientName(visit, view.tenant) },
        of.kind && { term: 'Kind', is: kindWords[of.kind] },
        { term: 'Period', is: periodWord(of.period) },
        {
          term: 'Areas',
          is: of.audience_areas.map((area) => areaRules[area].label).join(', ') || 'Access only',
        },
        {
          term: 'Created',
          is: (
            <>
              {time(of.created_at)}, by {objectNameOf(visit, of.created_by)}
            </>
          ),
        },
        authors.length > 1 && {
          term: 'Edited by',
          is: authors.map((id) => objectNameOf(visit, id)).join(', '),
        },
        {
          term: 'Published',
          is:
            of.published_at === undefined ? (
              'Not yet'
            ) : (
              <>
                {time(of.published_at)}
                {of.published_by === undefined
                  ? ''
                  : `, by ${objectNameOf(visit, of.published_by)}`}
              </>
            ),
        },
        of.supersedes !== undefined && {
          term: 'Replaces',
          is: <a href={visit.at(`/reports/${of.supersedes}`)}>An earlier report</a>,
        },
        { term: 'Version', is: String(of.version) },
        of.digest !== undefined && { term: 'Digest (SHA-256)', is: <IdCode>{of.digest}</IdCode> },
        { term: 'ID', is: <IdCode>{of.id}</IdCode> },
      ]}
    />
  )
}

const Contents = ({ of: { sections } }: { of: ReportData }) =>
  sections.length === 0 ? (
    <></>
  ) : (
    <PageSection title="Contents">
      <ol class="contents">
        {sections.map(({ heading, sources }) => (
          <li>
            {heading}{' '}
            <span class="quiet">
              {sources.length === 0
                ? 'a remark by a person'
                : `from ${plural(sources.length, 'source')}`}
            </span>
          </li>
        ))}
      </ol>
    </PageSection>
  )

const sourcesShown = 100

const Sources = ({ visit, of: { sources } }: { visit: Visit; of: ReportData }) =>
  sources.length === 0 ? (
    <></>
  ) : (
    <PageSection title="Sources">
      <p>
        {plural(sources.length, 'source')}, each pinned to the version that was read. Later edits do
        not affect the report.
      </p>
      <Collapsible label="Pinned sources">
        <DataTable
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
      </Collapsible>
    </PageSection>
  )

const areaWord = (area: ReportSource['area']): string =>
  isAreaKey(area) ? areaRules[area].label : toWords(area)

/** A link if this person has a page for the source. */
const SourceLink = ({ visit, of: { area, id } }: { visit: Visit; of: ReportSource }) => {
  const page = isAreaKey(area)
    ? visit.held(area, 'read').length > 0 && `/records/${area}/${id}`
    : area === 'needs'
      ? `/needs/${id}`
      : area === 'grants' && `/access/${id}`
  return page ? (
    <a href={visit.at(page)}>
      <IdCode>{id}</IdCode>
    </a>
  ) : (
    <IdCode>{id}</IdCode>
  )
}
