/** The records that the figures come from, numbered as the sections cite them. */
import { areaRules, isAreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ReportSource } from '../../../../proto/access/reports/report-content.ts'

const others = { needs: 'Needs', grants: 'Grants', changes: 'Changes' } as const

const nameOf = (area: ReportSource['area']): string =>
  isAreaKey(area) ? areaRules[area].label : others[area]

export function SourceList({ sources }: { readonly sources: readonly ReportSource[] }) {
  if (sources.length === 0) return null
  return (
    <section class="sources" aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <p>Every figure comes from these records, at these versions.</p>
      <ol>
        {sources.map(({ area, id, version }) => (
          <li key={id}>
            {nameOf(area)} <code>{id}</code>, version {version}
          </li>
        ))}
      </ol>
    </section>
  )
}
