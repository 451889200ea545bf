/**
 * Goal: an operator sees every process with its browsers, load and predecessors, and drains a browser
 * host over REST. Method: a real gateway with records of processes and a played node agent.
 */
import t from 'tap'
import type { HostRecord } from '../../../../proto/host.ts'
import { newIncarnation, startOfIncarnation, type Role } from '../../../../proto/ids.ts'
import { readMachineLoad } from '../../../../runtime/process/machine-load.ts'
import { playService } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const admin = keyOf('house', { scopes: ['admin'] })
const acme = keyOf('acme')
const startedAtMs = Date.now() - 600_000

function processOf(nodeId: string, role: Role, more: Partial<HostRecord> = {}, atMs = startedAtMs) {
  const incarnation = newIncarnation(nodeId, role, atMs)
  const facts = { leaseMs: 10_000, machine: 'm', version: '1.2.3', state: 'alive' as const }
  return { nodeId, role, incarnation, ...facts, ...more }
}

const browsers = { capacity: 8, warm: 2, booting: 1, claimed: 3, queued: 0, ready: true }
const asked: string[] = []
const service = await playService({
  keys: [admin.record, acme.record],
  hosts: [
    processOf('b-1', 'node-agent', { browsers, isolation: 'full', machineLoad: readMachineLoad() }),
    processOf('b-1', 'node-agent', { state: 'dead' }, startedAtMs - 60_000),
    processOf('b-1', 'node-agent', { state: 'dead' }, startedAtMs - 120_000),
    processOf('a-1', 'gateway', { state: 'draining', url: 'http://10.0.0.1:8080' }),
    processOf('gone', 'node-agent', { state: 'dead' }),
  ],
  async node(subject) {
    asked.push(subject)
    return { ok: true, value: { sessions: 3 } }
  },
})
t.teardown(() => service.close())

async function ask(key: string, method: string, path: string) {
  const headers = { 'service-api-key': key }
  const answer = await fetch(service.gateway.url + path, { method, headers })
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> }
}

t.test('the start of a process is read from its name', async (t) => {
  t.equal(
    startOfIncarnation(newIncarnation('host', 'actors', 1_700_000_000_123)),
    1_700_000_000_123,
  )
})

t.test('processes are listed with what they report', async (t) => {
  const { status, body } = await ask(admin.text, 'GET', '/v1/admin/hosts')
  t.equal(status, 200)
  const { processes } = (body as { data: { processes: Readonly<Record<string, unknown>>[] } }).data
  t.match(processes, [
    { host: 'a-1', role: 'gateway', state: 'draining', address: 'http://10.0.0.1:8080' },
    {
      ...{ host: 'b-1', role: 'node-agent', state: 'alive', isolation: 'full', browsers },
      ...{ ended_last_hour: 2, started_at: new Date(startedAtMs).toISOString() },
    },
  ])
  t.equal(processes.length, 2, 'dead ones are counted, not listed')
  const machine = processes[1]!['machine'] as Readonly<Record<string, number>>
  for (const name of ['cores', 'memory_bytes', 'memory_free_bytes', 'process_bytes']) {
    t.ok(machine[name]! > 0, name)
  }
  t.ok(machine['memory_free_bytes']! <= machine['memory_bytes']!)
})

t.test('a browser host is drained, with an entry in the audit', async (t) => {
  const { status, body } = await ask(admin.text, 'POST', '/v1/admin/hosts/b-1/drain')
  t.match({ status, body }, { status: 200, body: { data: { host: 'b-1', sessions: 3 } } })
  t.match(asked, [/b-1.*drain$/])
  t.match(service.audited.at(-1), {
    ...{ action: 'host.drain', outcome: 'done', key_id: admin.record.id },
    detail: { host: 'b-1', sessions: 3 },
  })
  for (const name of ['a-1', 'gone', 'unknown', '..%2F..']) {
    const unknown = await ask(admin.text, 'POST', `/v1/admin/hosts/${name}/drain`)
    t.equal(unknown.status, 404, name)
    t.match(unknown.body, { error: { message: /Browser hosts: b-1/ } })
  }
  t.equal(asked.length, 1)
})

t.test('other keys neither see nor drain hosts', async (t) => {
  t.equal((await ask(acme.text, 'GET', '/v1/admin/hosts')).status, 403)
  t.equal((await ask(acme.text, 'POST', '/v1/admin/hosts/b-1/drain')).status, 403)
  t.equal(asked.length, 1)
})
