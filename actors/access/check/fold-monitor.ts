/** Updates a monitor's record after a check. Pure. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { withLatency } from './machine.ts'

export interface MonitorFound {
  /** `unknown`: the target must not be accessed. */
  readonly status: 'up' | 'down' | 'degraded' | 'unknown'
  readonly latencyMs?: number
  /** If it is not up: a code or a few words, without addresses. */
  readonly cause?: string
}

/** `isSignificant`: something besides times and latencies has changed. */
export interface MonitorFold {
  readonly after: RecordFields
  readonly isSignificant: boolean
}

const incidentsField = z.array(
  z.object({
    started_at: z.string(),
    ended_at: z.string().optional(),
    cause: z.string().optional(),
  }),
)
type Incidents = z.output<typeof incidentsField>

export function foldMonitor(
  before: RecordFields,
  found: MonitorFound,
  { atMs, latencies }: { readonly atMs: number; readonly latencies: readonly number[] },
): MonitorFold {
  if (before['status'] === 'paused') return { after: before, isSignificant: false }
  const at = new Date(atMs).toISOString()
  const known = withLatency(latencies, found.latencyMs)
  const after = {
    ...before,
    status: found.status,
    last_check_at: at,
    incidents: incidentsAfter(before['incidents'], found, at),
    ...(known.length > 0 && {
      latency: { p50: percentile(known, 50), p95: percentile(known, 95) },
    }),
  }
  return { after, isSignificant: before['status'] !== found.status }
}

/** A failure opens an incident; a success closes all open ones. */
function incidentsAfter(before: unknown, { status, cause }: MonitorFound, at: string): Incidents {
  const incidents = incidentsField.catch([]).parse(before)
  const isOpen = incidents.some(({ ended_at: ended }) => ended === undefined)
  if (status === 'down') {
    if (isOpen) return incidents
    const opened = { started_at: at, ...defined({ cause }) }
    return [...incidents, opened].slice(-limits.checkIncidentsKept)
  }
  if (status === 'unknown') return incidents
  return incidents.map((one) => (one.ended_at === undefined ? { ...one, ended_at: at } : one))
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((share / 100) * sorted.length) - 1] ?? 0
}
