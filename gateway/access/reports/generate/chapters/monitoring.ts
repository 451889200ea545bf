/** Availability of monitored sites: uptime of the last days, and incidents in the period. */
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { countPhrase, sumOf, countWere } from '../phrases.ts'

const monitor = z.looseObject({
  name: z.string(),
  uptime: z.looseObject({ d30: z.number().optional() }).default({}),
  latency: z.looseObject({ p50: z.number(), p95: z.number() }).optional(),
  incidents: z
    .array(
      z.looseObject({
        started_at: z.string(),
        ended_at: z.string().optional(),
        cause: z.string().optional(),
      }),
    )
    .default([]),
})

export const availabilityChapter: ReportChapter = {
  area: 'monitoring',
  write(draft, { records, period }) {
    const monitors = readAll(records.monitoring, monitor)
    if (monitors.length === 0) return
    const from = sourcesOf(monitors)
    const measured = monitors.flatMap(({ fields }) => {
      const { d30 } = fields.uptime
      return d30 === undefined ? [] : [{ name: fields.name, d30 }]
    })
    const incidents = monitors.flatMap(({ fields, from: record }) =>
      fields.incidents
        .filter(({ started_at }) => isWithin(period, started_at))
        .map((incident) => ({ ...incident, name: fields.name, record })),
    )
    const mean =
      measured.length === 0 ? null : sumOf(measured.map(({ d30 }) => d30)) / measured.length
    const over = 'mean of the last 30 days'
    draft.figure({ label: 'Uptime', value: mean, unit: 'percent', note: over }, from)
    draft.figure({ label: 'Incidents', value: incidents.length, unit: 'count' }, from)
    const seen = countWere(incidents.length, 'incident')
    draft.addSummary(`${seen} seen by ${countPhrase(monitors.length, 'monitor')} in this period.`)
    draft.table(
      'Availability',
      [
        'Monitor',
        { label: 'Uptime, 30 days', unit: 'percent' },
        { label: 'Response, median', unit: 'ms' },
        { label: 'Response, 95th percentile', unit: 'ms' },
        { label: 'Incidents', unit: 'count' },
      ],
      monitors.map(({ fields: { name, uptime, latency }, from: { id } }) => [
        ...[name, uptime.d30 ?? null, latency?.p50 ?? null, latency?.p95 ?? null],
        incidents.filter(({ record }) => record.id === id).length,
      ]),
      from,
    )
    if (incidents.length === 0) return
    draft.table(
      'Incidents',
      ['Monitor', { label: 'Began', unit: 'date' }, { label: 'Ended', unit: 'date' }, 'Cause'],
      incidents.map(({ name, started_at, ended_at, cause }) => [
        ...[name, started_at, ended_at ?? 'still open', cause ?? ''],
      ]),
      incidents.map(({ record }) => record),
    )
  },
}
