/** `troupe usage`: what each tenant has used, from the records that are still kept. */
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { isFinal, type SessionView } from '../../../proto/session/session.ts'
import { taskActor } from '../../../proto/task/task-protocol.ts'
import { isTaskOver, type TaskView } from '../../../proto/task/task.ts'
import { storedViews } from '../../actor/views.ts'
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
  { head: 'COST', cell: (row) => `$${row.cost_usd.toFixed(4)}`, alignsRight: true },
]

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
    const tenant = values['tenant'] && parseOption('tenant', values['tenant'], tokenText)
    const nowMs = Date.now()
    const since = readSince(values['since'], nowMs)
    const sinceMs = since === undefined ? 0 : Date.parse(since)
    const rows = await withStore(async (store) => {
      const sessions = await storedViews<SessionView>(store, sessionActor.kind, tenant || undefined)
      const tasks = await storedViews<TaskView>(store, taskActor.kind, tenant || undefined)
      const isRecent = ({ createdAtMs }: { createdAtMs: number }) => createdAtMs >= sinceMs
      return usageByTenant(sessions.filter(isRecent), tasks.filter(isRecent), nowMs)
    })
    if (switches.has('json')) console.log(prettyJson(rows))
    else console.log(rows.length === 0 ? 'nothing was used' : tableText(columns, rows))
    return 0
  },
}

/** Sorted by tenant. */
function usageByTenant(
  sessions: readonly SessionView[],
  tasks: readonly TaskView[],
  nowMs: number,
): readonly TenantUsage[] {
  const tenants = new Set([...sessions, ...tasks].map(({ tenant }) => tenant))
  return [...tenants].toSorted().map((tenant) => {
    const its = <V extends { readonly tenant: string }>(views: readonly V[]) =>
      views.filter((view) => view.tenant === tenant)
    return tenantUsage(tenant, its(sessions), its(tasks), nowMs)
  })
}

function tenantUsage(
  tenant: string,
  sessions: readonly SessionView[],
  tasks: readonly TaskView[],
  nowMs: number,
): TenantUsage {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  const ranMs = sessions.map(({ createdAtMs, endedAtMs = nowMs }) => endedAtMs - createdAtMs)
  return {
    tenant,
    sessions: sessions.length,
    running: sessions.filter(({ status }) => !isFinal(status)).length,
    browser_minutes: Math.round(sum(ranMs) / 60_000),
    tasks: tasks.length,
    tasks_running: tasks.filter(({ state }) => !isTaskOver(state)).length,
    input_tokens: sum(tasks.map(({ usage }) => usage.inputTokens)),
    output_tokens: sum(tasks.map(({ usage }) => usage.outputTokens)),
    cost_usd: sum(tasks.map(({ usage }) => usage.costUsd ?? 0)),
  }
}
