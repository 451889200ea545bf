/** Sums of what sessions and tasks have used, by tenant, by key or by time. */
import { noTraffic } from '../../../proto/session/browser-reports.ts'
import { isFinal, type SessionView } from '../../../proto/session/session.ts'
import { isTaskOver, type TaskView } from '../../../proto/task/task.ts'

/** What a row is about besides its tenant; a day or month is that of the creation, in UTC. */
export const usageGroups = ['tenant', 'key', 'day', 'month'] as const
export type UsageGroup = (typeof usageGroups)[number]

export interface UsageRow {
  readonly tenant: string
  /** Its name. */
  readonly key?: string
  /** `2026-11-30` */
  readonly day?: string
  /** `2026-11` */
  readonly month?: string
  readonly sessions: number
  readonly running: number
  /** Minutes that its browsers ran, rounded. */
  readonly browser_minutes: number
  /** Only of browsers with networks of their own. */
  readonly received_bytes: number
  readonly sent_bytes: number
  readonly tasks: number
  readonly tasks_running: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** US dollars; covers only tasks whose cost is known. */
  readonly cost_usd: number
  /** Tasks that have used tokens of a model whose price is not known. */
  readonly tasks_without_cost: number
}

type About = Pick<UsageRow, 'tenant' | 'key' | 'day' | 'month'>
type Sums = { -readonly [field in keyof Omit<UsageRow, keyof About | 'browser_minutes'>]: number }

const none: Sums = {
  ...{ sessions: 0, running: 0, received_bytes: 0, sent_bytes: 0, tasks: 0, tasks_running: 0 },
  ...{ input_tokens: 0, output_tokens: 0, cost_usd: 0, tasks_without_cost: 0 },
}

type Counted = Pick<SessionView, 'tenant' | 'keyName' | 'createdAtMs'>

/** Holds only the sums, because there may be a million sessions. */
export class UsageSums {
  readonly #group: UsageGroup
  readonly #nowMs: number
  readonly #rows = new Map<string, { readonly about: About; sums: Sums; ranMs: number }>()

  constructor(group: UsageGroup, nowMs: number) {
    this.#group = group
    this.#nowMs = nowMs
  }

  addSession(view: SessionView): void {
    const { status, createdAtMs, endedAtMs = this.#nowMs, use } = view
    const { sentBytes, receivedBytes } = use?.traffic ?? noTraffic
    const row = this.#rowOf(view)
    row.sums.sessions++
    if (!isFinal(status)) row.sums.running++
    row.ranMs += endedAtMs - createdAtMs
    row.sums.sent_bytes += sentBytes
    row.sums.received_bytes += receivedBytes
  }

  addTask(view: TaskView): void {
    const { state, usage } = view
    const { sums } = this.#rowOf(view)
    sums.tasks++
    if (!isTaskOver(state)) sums.tasks_running++
    sums.input_tokens += usage.inputTokens
    sums.output_tokens += usage.outputTokens
    sums.cost_usd += usage.costUsd ?? 0
    if (usage.costUsd === undefined && usage.inputTokens > 0) sums.tasks_without_cost++
  }

  /** By time, then by tenant and key. */
  rows(): readonly UsageRow[] {
    const sorted = [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([, { about, ranMs, sums }]) => {
      const { sessions, running, ...rest } = sums
      const minutes = Math.round(ranMs / 60_000)
      return { ...about, sessions, running, browser_minutes: minutes, ...rest }
    })
  }

  #rowOf(view: Counted) {
    const about = this.#about(view)
    const { day, month, tenant, key } = about
    const name = JSON.stringify([day ?? month ?? '', tenant, key ?? ''])
    const row = this.#rows.get(name) ?? { about, sums: { ...none }, ranMs: 0 }
    this.#rows.set(name, row)
    return row
  }

  #about({ tenant, keyName, createdAtMs }: Counted): About {
    const time = new Date(createdAtMs).toISOString()
    switch (this.#group) {
      case 'tenant':
        return { tenant }
      case 'key':
        return { tenant, key: keyName }
      case 'day':
        return { day: time.slice(0, 10), tenant }
      case 'month':
        return { month: time.slice(0, 7), tenant }
    }
  }
}
