/**
 * Where the figures come from: the number of records of each area. The list of all of them, with
 * their versions, is folded on the page and not on paper, where it would be longer than the report.
 */
import { areaRules, isAreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ReportSource } from '../../../../proto/access/reports/report-content.ts'
import { periodText } from '../generate/generate.ts'
import { countPhrase } from '../generate/phrases.ts'
import type { ShownReport } from '../shown.ts'

const others = { needs: 'Needs', grants: 'Grants', changes: 'Changes' } as const

const nameOf = (area: ReportSource['area']): string =>
  isAreaKey(area) ? areaRules[area].label : others[area]

/** For example `SEO audits (2), Tasks (5)`, in the order in which they are cited. */
export function sourceCounts(sources: readonly ReportSource[]): string {
  return [...countsOf(sources)].map(([area, n]) => `${nameOf(area)} (${n})`).join(', ')
}

function countsOf(sources: readonly ReportSource[]): ReadonlyMap<ReportSource['area'], number> {
  const counts = new Map<ReportSource['area'], number>()
  for (const { area } of sources) counts.set(area, (counts.get(area) ?? 0) + 1)
  return counts
}

interface Props {
  readonly report: Pick<ShownReport, 'sources' | 'period'>
  /** The report's page in the portal. */
  readonly url: string | undefined
}

export function SourceList({ report: { sources, period }, url }: Props) {
  if (sources.length === 0) return null
  return (
    <section class="sources" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <p>
        Every figure comes from {countPhrase(sources.length, 'record')}
        {period && <>, read for the period {periodText(period)}</>}: {sourceCounts(sources)}.
      </p>
      <p class="annex">
        The CSV of this report lists each record and the version that was read
        {url !== undefined && (
          <>
            : <a href={url}>{url}</a>
          </>
        )}
        .
      </p>
      <details>
        <summary>All records, as the figures cite them</summary>
        <ol>
          {sources.map(({ area, id, version }) => (
            <li key={id}>
              {nameOf(area)} <code>{id}</code>, version {version}
            </li>
          ))}
        </ol>
      </details>
    </section>
  )
}
