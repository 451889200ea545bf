/** `troupe usage`: what tenants and keys have used, from the records that are still kept. */
import { z } from 'zod'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import type { SessionView } from '../../../proto/session/session.ts'
import { taskActor } from '../../../proto/task/task-protocol.ts'
import type { TaskView } from '../../../proto/task/task.ts'
import { allKeptViews } from '../../actor/archive/read-all.ts'
import { tokenText } from '../../config/value-texts.ts'
import type { CliCommand } from '../command.ts'
import { parseOption } from '../terminal/parse-option.ts'
import { readSince } from '../terminal/parse-time.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { withStore } from '../with-store.ts'
import { costText } from '../../usage/cost-text.ts'
import { usageCsv } from '../../usage/csv.ts'
import { useOfSession, useOfTask } from '../../usage/figures.ts'
import { UsageSums } from '../../usage/sums.ts'
import { usageGroups, type UsageGroup, type UsageRow } from '../../usage/usage-row.ts'

const columnsBy: Readonly<Record<UsageGroup, readonly TextColumn<UsageRow>[]>> = {
  tenant: [],
  key: [{ head: 'KEY', cell: ({ key }) => key }],
  day: [{ head: 'DAY', cell: ({ day }) => day }],
  month: [{ head: 'MONTH', cell: ({ month }) => month }],
}

const columns: readonly TextColumn<UsageRow>[] = [
  { head: 'TENANT', cell: ({ tenant }) => tenant },
  { head: 'SESSIONS', cell: ({ sessions }) => sessions, alignsRight: true },
  { head: 'RUNNING', cell: ({ running }) => running, alignsRight: true },
  { head: 'MINUTES', cell: (row) => row.browser_minutes, alignsRight: true },
  { head: 'MB IN', cell: (row) => megabytes(row.received_bytes), alignsRight: true },
  { head: 'MB OUT', cell: (row) => megabytes(row.sent_bytes), alignsRight: true },
  { head: 'TASKS', cell: ({ tasks }) => tasks, alignsRight: true },
  { head: 'RUNNING', cell: (row) => row.tasks_running, alignsRight: true },
  { head: 'TOKENS IN', cell: (row) => row.input_tokens, alignsRight: true },
  { head: 'TOKENS OUT', cell: (row) => row.output_tokens, alignsRight: true },
  { head: 'COST', cell: costText, alignsRight: true },
]

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

const groupText = z.enum(usageGroups, { error: `use ${usageGroups.join(', ')}` })

export const usageCommand: CliCommand = {
  usage: 'usage [--by GROUP] [--tenant T] [--since TIME] [--json | --csv]',
  about: 'Show what was used: sessions, browser minutes, bytes, tasks, tokens, cost.',
  more:
    'Counted from what is kept: RETENTION_DAYS, and RETENTION_PER_TENANT sessions and tasks. ' +
    'What runs over midnight counts on the day of its creation, in UTC.',
  options: {
    by: { value: 'GROUP', help: 'A row for each tenant (default), key, day or month.' },
    tenant: { value: 'T', help: 'Only this tenant.' },
    since: { value: 'TIME', help: 'Only what was created since then: 24h or 30d ago, or a date.' },
    json: { help: 'Print it as JSON.' },
    csv: { help: 'Print it as CSV, for a spreadsheet.' },
  },
  settings: ['NATS_URL', 'DATA_DIR', 'RETENTION_DAYS', 'RETENTION_PER_TENANT'],
  examples: [
    'troupe usage --since 24h',
    'troupe usage --by day --tenant acme',
    'troupe usage --by key --csv > usage.csv',
  ],
  async run({ values, switches }) {
    const asked = values['tenant']
    const tenant = asked ? parseOption('tenant', asked, tokenText) : undefined
    const group = parseOption('by', values['by'] ?? 'tenant', groupText)
    const since = readSince(values['since'], Date.now())
    const sinceMs = since === undefined ? 0 : Date.parse(since)
    const rows = await withStore(async (store) => {
      const usage = new UsageSums(group)
      const now = Date.now()
      for await (const view of allKeptViews<SessionView>(store, sessionActor.kind, tenant)) {
        if (view.createdAtMs >= sinceMs) usage.add(useOfSession(view, now))
      }
      for await (const view of allKeptViews<TaskView>(store, taskActor.kind, tenant)) {
        if (view.createdAtMs >= sinceMs) usage.add(useOfTask(view))
      }
      return usage.rows()
    })
    if (switches.has('json')) console.log(prettyJson(rows))
    else if (switches.has('csv')) process.stdout.write(usageCsv(rows))
    else if (rows.length === 0) console.log('nothing was used')
    else console.log(tableText([...columnsBy[group], ...columns], rows))
    return 0
  },
}
