/** Reports of each kind, made by Ada from the demo's records and published by Grace. */
import { z } from 'zod'
import { dayMs, utcDay } from '../../../../proto/units.ts'
import type { ReportKind } from '../../../../proto/access/reports/report-content.ts'
import { dataOf } from '../service/service.ts'
import { retryWhileEarly } from './retry-while-early.ts'
import type { DemoSignIns } from './sign-ins.ts'
import type { DemoState, FoundedDemo } from './state.ts'

interface DemoReport {
  readonly kind: ReportKind
  readonly title: string
  readonly days: number
}

const plans: readonly DemoReport[] = [
  { kind: 'audit', title: 'How search engines see the shop', days: 60 },
  { kind: 'metrics', title: 'The shop in figures', days: 30 },
  { kind: 'work_summary', title: 'What was done in the last four weeks', days: 28 },
]

const path = '/v1/reports'
const answer = dataOf(z.object({ id: z.string(), version: z.number(), digest: z.string() }))

const reportOf = ({ reports }: DemoState, { kind, title }: DemoReport) =>
  reports.find((one) => one.kind === kind && one.title === title)

export const hasReports = (demo: DemoState): boolean =>
  plans.every((plan) => (reportOf(demo, plan)?.status ?? 'draft') !== 'draft')

/** Its records and grants must exist. */
export async function completeReports(signIns: DemoSignIns, demo: FoundedDemo): Promise<void> {
  for (const plan of plans) {
    const known = reportOf(demo, plan)
    if (known && known.status !== 'draft') continue
    const { id, version, digest } = known ?? (await make(signIns, demo.client.id, plan))
    const order = { method: 'POST', path: `${path}/${id}/publish`, version, answer } as const
    await onceGranted(() => signIns.as('grace', { ...order, body: { digest } }))
  }
}

function make(signIns: DemoSignIns, client: string, { kind, title, days }: DemoReport) {
  const nowMs = Date.now()
  const period = { from: utcDay(nowMs - days * dayMs), to: utcDay(nowMs) }
  const body = { client_id: client, kind, title, period }
  return onceGranted(() => signIns.as('ada', { method: 'POST', path, body, answer }))
}

/** Waits until the gateway knows the grants that were given last. */
const onceGranted = <T>(work: () => Promise<T>) => retryWhileEarly('insufficient_scope', work)

export const reportRows = (demo: DemoState): readonly (readonly string[])[] =>
  plans.flatMap((plan) => {
    const view = reportOf(demo, plan)
    return view ? [[view.id, `${view.status}: ${view.title}`]] : []
  })
