/** One section, rendered by its kind. */
import type { ReportSection, SectionBody } from '../../../../proto/access/reports/report-content.ts'
import { ReportChart } from './chart/chart.tsx'
import { figureChangeText, figureText, rangesText } from './chart/figures.ts'
import { FindingList } from './findings.tsx'
import { ReportTable } from './table.tsx'
import { paragraphs, plain } from './text.ts'

interface Props {
  readonly section: ReportSection
  /** The index in the report, used for element ids. */
  readonly place: number
}

export function ReportSectionPart({ section, place }: Props) {
  const { heading, kind, sources } = section
  const id = `section-${place + 1}`
  return (
    <section class={`of-${kind}`} aria-labelledby={id}>
      <h2 id={id}>{plain(heading)}</h2>
      <Body section={section} place={place} />
      {sources.length > 0 && (
        <p class="from">
          From <a href="#sources">{sources.length === 1 ? 'source' : 'sources'}</a>{' '}
          {rangesText(sources)}
        </p>
      )}
    </section>
  )
}

function Body({ section, place }: Props) {
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
