/** `troupe usage`: what each tenant has used, from the records that are still kept. */
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { isFinal, type SessionView } from '../../../proto/session/session.ts'
import { taskActor } from '../../../proto/task/task-protocol.ts'
import { isTaskOver, type TaskView } from '../../../proto/task/task.ts'
import { allKeptViews } from '../../actor/archive/read-all.ts'
import { tokenText } from '../../config/value-texts.ts'
import type { CliCommand } from '../command.ts'
import { parseOption } from '../terminal/parse-option.ts'
import { readSince } from '../terminal/parse-time.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { withStore } from '../with-store.ts'

export interface TenantUsage {
  readonly tenant: string
  readonly sessions: number
  readonly running: number
  /** Minutes that its browsers ran, rounded. */
  readonly browser_minutes: number
  readonly tasks: number
  readonly tasks_running: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** US dollars; covers only tasks whose cost is known. */
  readonly cost_usd: number
  /** Tasks that have used tokens of a model whose price is not known. */
  readonly tasks_without_cost: number
}

const columns: readonly TextColumn<TenantUsage>[] = [
  { head: 'TENANT', cell: ({ tenant }) => tenant },
  { head: 'SESSIONS', cell: ({ sessions }) => sessions, alignsRight: true },
  { head: 'RUNNING', cell: ({ running }) => running, alignsRight: true },
  { head: 'MINUTES', cell: (row) => row.browser_minutes, alignsRight: true },
  { head: 'TASKS', cell: ({ tasks }) => tasks, alignsRight: true },
  { head: 'RUNNING', cell: (row) => row.tasks_running, alignsRight: true },
  { head: 'TOKENS IN', cell: (row) => row.input_tokens, alignsRight: true },
  { head: 'TOKENS OUT', cell: (row) => row.output_tokens, alignsRight: true },
  { head: 'COST', cell: costText, alignsRight: true },
]

/** What is not known is not shown as nothing. */
function costText({ cost_usd: cost, tasks_without_cost: unknown }: TenantUsage): string {
  const known = `$${cost.toFixed(4)}`
  if (unknown === 0) return known
  return cost === 0 ? 'not known' : `${known}, ${unknown} not known`
}

export const usageCommand: CliCommand = {
  usage: 'usage [--tenant T] [--since TIME] [--json]',
  about: 'Show what each tenant has used: sessions, browser minutes, tasks, tokens, cost.',
  more: 'Counted from what is kept: RETENTION_DAYS, and RETENTION_PER_TENANT sessions and tasks.',
  options: {
    tenant: { value: 'T', help: 'Only this tenant.' },
    since: { value: 'TIME', help: 'Only what was created since then: 24h or 30d ago, or a date.' },
    json: { help: 'Print it as JSON.' },
  },
  settings: ['NATS_URL', 'DATA_DIR', 'RETENTION_DAYS', 'RETENTION_PER_TENANT'],
  examples: ['troupe usage --since 24h', 'troupe usage --tenant acme --json'],
  async run({ values, switches }) {
    const asked = values['tenant']
    const tenant = asked ? parseOption('tenant', asked, tokenText) : undefined
    const since = readSince(values['since'], Date.now())
    const sinceMs = since === undefined ? 0 : Date.parse(since)
    const rows = await withStore(async (store) => {
      const usage = new UsageByTenant(Date.now())
      for await (const view of allKeptViews<SessionView>(store, sessionActor.kind, tenant)) {
        if (view.createdAtMs >= sinceMs) usage.addSession(view)
      }
      for await (const view of allKeptViews<TaskView>(store, taskActor.kind, tenant)) {
        if (view.createdAtMs >= sinceMs) usage.addTask(view)
      }
      return usage.rows()
    })
    if (switches.has('json')) console.log(prettyJson(rows))
    else console.log(rows.length === 0 ? 'nothing was used' : tableText(columns, rows))
    return 0
  },
}

type Sums = { -readonly [field in keyof Omit<TenantUsage, 'tenant' | 'browser_minutes'>]: number }

const none: Sums = {
  ...{ sessions: 0, running: 0, tasks: 0, tasks_running: 0 },
  ...{ input_tokens: 0, output_tokens: 0, cost_usd: 0, tasks_without_cost: 0 },
}

/** Holds only the sums, because there may be a million sessions. */
class UsageByTenant {
  readonly #nowMs: number
  readonly #sums = new Map<string, Sums & { ranMs: number }>()

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  addSession({ tenant, status, createdAtMs, endedAtMs = this.#nowMs }: SessionView): void {
    const sums = this.#of(tenant)
    sums.sessions++
    if (!isFinal(status)) sums.running++
    sums.ranMs += endedAtMs - createdAtMs
  }

  addTask({ tenant, state, usage }: TaskView): void {
    const sums = this.#of(tenant)
    sums.tasks++
    if (!isTaskOver(state)) sums.tasks_running++
    sums.input_tokens += usage.inputTokens
    sums.output_tokens += usage.outputTokens
    sums.cost_usd += usage.costUsd ?? 0
    if (usage.costUsd === undefined && usage.inputTokens > 0) sums.tasks_without_cost++
  }

  /** Sorted by tenant. */
  rows(): readonly TenantUsage[] {
    const sorted = [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([tenant, { ranMs, sessions, running, ...tasks }]) => {
      const minutes = Math.round(ranMs / 60_000)
      return { tenant, sessions, running, browser_minutes: minutes, ...tasks }
    })
  }

  #of(tenant: string) {
    const sums = this.#sums.get(tenant) ?? { ...none, ranMs: 0 }
    this.#sums.set(tenant, sums)
    return sums
  }
}
