/** Sums of what was used, by tenant, by key or by time. */
import type { ActorUse } from '../actor/archive/archived-kind.ts'
import { dollarsOf, useFigures, type UseFigure } from './figures.ts'
import type { UsageAbout, UsageFigures, UsageGroup, UsageRow } from './usage-row.ts'

type Sums = Record<UseFigure, number>
const nothing = (): Sums => Object.fromEntries(useFigures.map((name) => [name, 0])) as Sums

/** Holds only the sums, because there may be a million sessions. */
export class UsageSums {
  readonly #group: UsageGroup
  readonly #isTogether: boolean
  readonly #total = nothing()
  readonly #rows = new Map<string, { readonly about: UsageAbout; readonly sums: Sums }>()

  /** `isTogether`: a row has what all tenants used. */
  constructor(group: UsageGroup, isTogether = false) {
    this.#group = group
    this.#isTogether = isTogether
  }

  add(use: ActorUse): void {
    const { sums } = this.#rowOf(use)
    for (const name of useFigures) {
      const figure = use.figures[name] ?? 0
      sums[name] += figure
      this.#total[name] += figure
    }
  }

  get size(): number {
    return this.#rows.size
  }

  /** By time, then by tenant and key. */
  rows(): readonly UsageRow[] {
    const sorted = [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([, { about, sums }]) => ({ ...about, ...figuresOf(sums) }))
  }

  total(): UsageFigures {
    return figuresOf(this.#total)
  }

  #rowOf(use: ActorUse) {
    const about = aboutOf(this.#group, use, this.#isTogether)
    const { day, month, tenant, key } = about
    const name = JSON.stringify([day ?? month ?? '', tenant ?? '', key ?? ''])
    const row = this.#rows.get(name) ?? { about, sums: nothing() }
    this.#rows.set(name, row)
    return row
  }
}

function aboutOf(
  group: UsageGroup,
  { tenant, key, day }: ActorUse,
  isTogether: boolean,
): UsageAbout {
  const whose = isTogether ? {} : { tenant }
  switch (group) {
    case 'tenant':
      return whose
    case 'key':
      return { ...whose, key }
    case 'day':
      return { day, ...whose }
    case 'month':
      return { month: day.slice(0, 7), ...whose }
  }
}

const figuresOf = (sums: Sums): UsageFigures => ({
  sessions: sums.sessions,
  running: sums.running,
  browser_minutes: Math.round(sums.ranMs / 60_000),
  received_bytes: sums.receivedBytes,
  sent_bytes: sums.sentBytes,
  tasks: sums.tasks,
  tasks_running: sums.tasksRunning,
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cost_usd: dollarsOf(sums.costMicros),
  tasks_without_cost: sums.tasksWithoutCost,
})
