/** One section, rendered by its kind. */
import type {
  ReportSection,
  ReportSource,
  SectionBody,
} from '../../../../proto/access/reports/report-content.ts'
import { ReportChart } from './report-chart.tsx'
import { figureChangeText, figureText } from '../../../html/chart/figures.ts'
import { FindingList } from './findings.tsx'
import { sourceCounts } from './sources.tsx'
import { ReportTable } from './table.tsx'
import { paragraphs, plain } from './text.ts'

interface BodyProps {
  readonly section: ReportSection
  /** The index in the report, used for element ids. */
  readonly place: number
}

interface Props extends BodyProps {
  /** Those of the report, which the section cites by their index. */
  readonly sources: readonly ReportSource[]
}

/** A table of so many rows stays on one page of paper. */
const shortRows = 12

const isShort = ({ kind, body }: ReportSection): boolean =>
  kind === 'table' ? body.rows.length <= shortRows : kind === 'metric'

export function ReportSectionPart({ section, place, sources: all }: Props) {
  const { heading, kind, sources } = section
  const id = `section-${place + 1}`
  const cited = sources.flatMap((n) => all[n] ?? [])
  return (
    <section class={`of-${kind}${isShort(section) ? ' short' : ''}`} aria-labelledby={id}>
      <h2 id={id}>{plain(heading)}</h2>
      <Body section={section} place={place} />
      {cited.length > 0 && (
        <p class="from">
          From <a href="#sources">{sourceCounts(cited)}</a>
        </p>
      )}
    </section>
  )
}

function Body({ section, place }: BodyProps) {
  switch (section.kind) {
    case 'text':
      return (
        <>
          {paragraphs(section.body).map((text, n) => (
            <p key={n}>{text}</p>
          ))}
        </>
      )
    case 'metric':
      return <Metrics items={section.body.items} />
    case 'table':
      return <ReportTable caption={section.heading} {...section.body} />
    case 'chart':
      return (
        <ReportChart heading={section.heading} chart={section.body} id={`chart-${place + 1}`} />
      )
    case 'findings':
      return <FindingList items={section.body.items} />
  }
}

type Items = SectionBody<'metric'>['items']

/** The number per row, chosen so that rows are equally long if possible. */
const perRow = (n: number): number => (n <= 4 ? n : n % 4 !== 0 && n % 3 === 0 ? 3 : 4)

const Metrics = ({ items }: { readonly items: Items }) => (
  <dl class={`figures by-${perRow(items.length)}`}>
    {items.map((item, n) => (
      <div key={n}>
        <dt>{plain(item.label)}</dt>
        <dd>
          <span class="value">
            {figureText(item.value, item)}
            {item.unit === 'score' && item.value !== null && <small> of 100</small>}
          </span>
          <FigureNote {...item} />
        </dd>
      </div>
    ))}
  </dl>
)

function FigureNote({ value, before, note, unit, currency }: Items[number]) {
  const change = before === undefined ? '' : figureChangeText(value, before, { unit, currency })
  const was =
    change === '' ? '' : `${figureText(before ?? null, { unit, currency })} before, ${change}`
  const text = [was, note ?? ''].filter((one) => one !== '').join('; ')
  return text === '' ? null : <span class="aside">{plain(text)}</span>
}
