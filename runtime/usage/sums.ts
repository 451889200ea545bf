/** Sums of what was used, by tenant, by key or by time. */
import type { ActorUse } from '../actor/archive/archived-kind.ts'
import { dollarsOf, useFigures, type UseFigure } from './figures.ts'

/** What a row is about besides its tenant; a day or month is that of the creation, in UTC. */
export const usageGroups = ['tenant', 'key', 'day', 'month'] as const
export type UsageGroup = (typeof usageGroups)[number]

export interface UsageFigures {
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

export interface UsageAbout {
  readonly tenant: string
  /** Its name. */
  readonly key?: string
  /** `2026-11-30` */
  readonly day?: string
  /** `2026-11` */
  readonly month?: string
}

export type UsageRow = UsageAbout & UsageFigures

type Sums = Record<UseFigure, number>
const nothing = (): Sums => Object.fromEntries(useFigures.map((name) => [name, 0])) as Sums

/** Holds only the sums, because there may be a million sessions. */
export class UsageSums {
  readonly #group: UsageGroup
  readonly #total = nothing()
  readonly #rows = new Map<string, { readonly about: UsageAbout; readonly sums: Sums }>()

  constructor(group: UsageGroup) {
    this.#group = group
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
    const about = aboutOf(this.#group, use)
    const { day, month, tenant, key } = about
    const name = JSON.stringify([day ?? month ?? '', tenant, key ?? ''])
    const row = this.#rows.get(name) ?? { about, sums: nothing() }
    this.#rows.set(name, row)
    return row
  }
}

function aboutOf(group: UsageGroup, { tenant, key, day }: ActorUse): UsageAbout {
  switch (group) {
    case 'tenant':
      return { tenant }
    case 'key':
      return { tenant, key }
    case 'day':
      return { day, tenant }
    case 'month':
      return { month: day.slice(0, 7), tenant }
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
