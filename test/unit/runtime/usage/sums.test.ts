/** Goal: what was used is summed by tenant, key, day and month, and nothing is counted twice or left out. */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import { sessionOptions, type SessionView } from '../../../../proto/session/session.ts'
import type { TaskView } from '../../../../proto/task/task.ts'
import { useOfSession, useOfTask } from '../../../../runtime/usage/figures.ts'
import { UsageSums } from '../../../../runtime/usage/sums.ts'
import type { UsageGroup } from '../../../../runtime/usage/usage-row.ts'

const minuteMs = 60_000
const nowMs = Date.parse('2026-12-01T00:30:00Z')
const at = (time: string) => Date.parse(time)

const session = (tenant: string, keyName: string, createdAtMs: number, its = {}): SessionView => ({
  ...{ id: newId('ses'), tenant, keyName, keyId: 'k', status: 'completed', tags: [] },
  ...{ createdAtMs, endedAtMs: createdAtMs + minuteMs, options: sessionOptions({}) },
  ...its,
})

const task = (tenant: string, keyName: string, createdAtMs: number, costUsd?: number) =>
  ({
    ...{ tenant, keyName, createdAtMs, state: 'completed' },
    usage: { calls: 1, inputTokens: 10, cachedTokens: 0, outputTokens: 2, costUsd },
  }) as TaskView

const traffic = { sentBytes: 1, receivedBytes: 1_000 }
const sessions = [
  session('acme', 'ci', at('2026-11-30T10:00:00Z'), { use: { traffic, domains: [] } }),
  session('acme', 'bot', at('2026-11-30T23:50:00Z'), { use: { traffic, domains: ['a.example'] } }),
  session('acme', 'ci', at('2026-12-01T00:10:00Z'), { status: 'running', endedAtMs: undefined }),
  // Without a network of its own.
  session('zoo', 'ci', at('2026-12-01T00:20:00Z'), { use: { domains: [] } }),
]
const tasks = [
  task('acme', 'ci', at('2026-11-30T10:00:00Z'), 0.5),
  task('acme', 'ci', at('2026-12-01T00:10:00Z')),
]

function sumsBy(group: UsageGroup) {
  const usage = new UsageSums(group)
  for (const one of sessions) usage.add(useOfSession(one, nowMs))
  for (const one of tasks) usage.add(useOfTask(one))
  return usage
}
const rowsBy = (group: UsageGroup) => sumsBy(group).rows()

t.test('by tenant: everything', async (t) => {
  t.same(rowsBy('tenant'), [
    {
      ...{ tenant: 'acme', sessions: 3, running: 1, browser_minutes: 22 },
      ...{ received_bytes: 2_000, sent_bytes: 2, tasks: 2, tasks_running: 0 },
      ...{ input_tokens: 20, output_tokens: 4, cost_usd: 0.5, tasks_without_cost: 1 },
    },
    {
      ...{ tenant: 'zoo', sessions: 1, running: 0, browser_minutes: 1 },
      ...{ received_bytes: 0, sent_bytes: 0, tasks: 0, tasks_running: 0 },
      ...{ input_tokens: 0, output_tokens: 0, cost_usd: 0, tasks_without_cost: 0 },
    },
  ])
})

t.test('by key, by day, by month: the same sums in parts', async (t) => {
  const shown = (group: UsageGroup) =>
    rowsBy(group).map(({ day, month, tenant, key, sessions: count, tasks: of }) =>
      [day ?? month ?? '', tenant, key ?? '', count, of].join(' ').trim(),
    )
  t.same(shown('key'), ['acme bot 1 0', 'acme ci 2 2', 'zoo ci 1 0'])
  t.same(shown('day'), ['2026-11-30 acme  2 1', '2026-12-01 acme  1 1', '2026-12-01 zoo  1 0'])
  t.same(shown('month'), ['2026-11 acme  2 1', '2026-12 acme  1 1', '2026-12 zoo  1 0'])
  for (const group of ['key', 'day', 'month'] as const) {
    const sum = rowsBy(group).reduce((all, { received_bytes: bytes }) => all + bytes, 0)
    t.equal(sum, 2_000, group)
  }
})

t.test('of all tenants together: a row for each time', async (t) => {
  const usage = new UsageSums('day', true)
  for (const one of sessions) usage.add(useOfSession(one, nowMs))
  for (const one of tasks) usage.add(useOfTask(one))
  const rows = usage.rows().map(({ day, sessions: count, tasks: of }) => [day, count, of])
  t.same(rows, [
    ['2026-11-30', 2, 1],
    ['2026-12-01', 2, 1],
  ])
  t.notOk(usage.rows().some((row) => 'tenant' in row))
  t.same(usage.total(), sumsBy('day').total())
})

t.test('the total is that of all rows, and exact', async (t) => {
  t.match(sumsBy('key').total(), { sessions: 4, browser_minutes: 23, tasks: 2, cost_usd: 0.5 })
  const usage = new UsageSums('tenant')
  for (let n = 0; n < 3; n++) usage.add(useOfTask(task('acme', 'ci', nowMs, 0.1)))
  t.equal(usage.total().cost_usd, 0.3)
})
