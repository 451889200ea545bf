/** Availability of monitored sites: uptime of the last days, and incidents in the period. */
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { countPhrase, longDayText, notRecorded, sumOf, countWere } from '../phrases.ts'

const monitor = z.looseObject({
  name: z.string(),
  status: z.string().default('unknown'),
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

/** A monitor that was never checked has seen no incident, whatever happened. */
const wasChecked = ({ status, uptime, incidents }: z.output<typeof monitor>) =>
  status !== 'unknown' || uptime.d30 !== undefined || incidents.length > 0

export const availabilityChapter: ReportChapter = {
  area: 'monitoring',
  write(draft, { records, period, nowMs }) {
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
    const of =
      measured.length < monitors.length
        ? ` of ${measured.length} of ${monitors.length} monitors`
        : ''
    const over = mean === null ? notRecorded : `mean${of}, 30 days to ${longDayText(nowMs)}`
    draft.figure({ label: 'Uptime', value: mean, unit: 'percent', note: over }, from)
    const checked = monitors.filter(({ fields }) => wasChecked(fields)).length
    draft.figure(
      checked === 0
        ? { label: 'Incidents', value: null, unit: 'count', note: notRecorded }
        : { label: 'Incidents', value: incidents.length, unit: 'count' },
      from,
    )
    const seen = countWere(incidents.length, 'incident')
    draft.addSummary(
      checked === 0
        ? `No check of ${countPhrase(monitors.length, 'monitor')} is recorded.`
        : `${seen} seen by ${countPhrase(checked, 'monitor')} in this period.`,
    )
    draft.table(
      'Availability',
      [
        'Monitor',
        { label: 'Uptime, 30 days', unit: 'percent' },
        { label: 'Response, median', unit: 'ms' },
        { label: 'Response, 95th percentile', unit: 'ms' },
        { label: 'Incidents', unit: 'count' },
      ],
      monitors.map(({ fields, from: { id } }) => [
        ...[fields.name, fields.uptime.d30 ?? null],
        ...[fields.latency?.p50 ?? null, fields.latency?.p95 ?? null],
        wasChecked(fields) ? incidents.filter(({ record }) => record.id === id).length : null,
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
