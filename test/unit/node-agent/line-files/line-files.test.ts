/**
 * Goal: traces have a bound for all tenants together, and one tenant’s traces push out its own; a
 * trace is found by its session, also by the next agent. Method: real files, small bounds, and a
 * clock that the test moves on.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TraceLine } from '../../../../proto/browser-host/trace.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { SessionId } from '../../../../proto/ids.ts'
import { newId } from '../../../../proto/ids.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { LineFiles } from '../../../../node-agent/line-files/line-files.ts'
import { removedForRoom } from '../../../../node-agent/line-files/room.ts'
import { lineFileLimits } from '../../../../node-agent/line-files/limits.ts'
import { until } from '../../../helpers/lib/until.ts'
import { silent } from '../../../helpers/nats/nats.ts'

const lineBytes = 1_000

function openFiles(t: Test, allBytes = 10 * lineBytes, fileBytes = Infinity) {
  const folder = join(t.testdir(), 'traces')
  const sweeps: (() => void)[] = []
  let nowMs = Date.now()
  const clock = {
    ...systemClock,
    now: () => ++nowMs,
    timer(ms: number, fire: () => void) {
      if (ms > 0) sweeps.push(fire)
      else fire()
      return { cancel: () => undefined }
    },
  }
  const missing = () => new ServiceError('not_found', 'There is none.')
  const settings = { folder, clock, log: silent, allBytes, fileBytes, missing }
  const open = () => new LineFiles<TraceLine>(settings)
  const traces = open()
  const write = async (tenant: string, session: SessionId = newId('ses')) => {
    const line = { type: 'full', at: '', message: '' } as const
    const overhead = Buffer.byteLength(`${JSON.stringify(line)}\n`)
    await traces.append(session, tenant, [{ ...line, message: 'x'.repeat(lineBytes - overhead) }])
    return session
  }
  const isKept = async (session: string, from: LineFiles<TraceLine> = traces) =>
    from.read(session, 0).then(
      ({ bytes }) => bytes.byteLength,
      () => 0,
    )
  const later = (ms: number) => {
    nowMs += ms
    for (const fire of sweeps.splice(0)) fire()
  }
  return { folder, traces, open, write, isKept, later }
}

t.test('a tenant with many traces pushes out its own oldest ones', async (t) => {
  const { folder, write, isKept } = openFiles(t)
  const other = await write('other')
  const theirs: string[] = []
  for (let n = 0; n < 20; n++) theirs.push(await write('greedy'))
  t.equal(await isKept(other), lineBytes)
  const kept = await Promise.all(theirs.map((id) => isKept(id)))
  t.same(kept, [...new Array<number>(11).fill(0), ...new Array<number>(9).fill(lineBytes)])
  t.equal(readdirSync(folder).length, 10, 'the others are removed from the disk')
})

t.test('the next agent knows the traces, and whose they are', async (t) => {
  const { folder, traces, open, write, isKept } = openFiles(t)
  const other = await write('other')
  for (let n = 0; n < 9; n++) await write('greedy')
  traces.stop()
  const old = newId('ses')
  writeFileSync(join(folder, `${old}.jsonl`), 'of a version whose files had no tenant\n')
  const next = open()
  await next.append(newId('ses'), 'greedy', [{ type: 'full', at: '', message: '' }])
  t.equal(await isKept(other, next), lineBytes)
  t.not(await isKept(old, next), 0)
  t.ok(readdirSync(folder).length <= 11)
})

t.test('a trace is removed a day after its last line', async (t) => {
  const { folder, write, isKept, later } = openFiles(t)
  const session = await write('acme')
  later(lineFileLimits.keptMs - 1_000)
  await write('acme', session)
  later(lineFileLimits.keptMs - 1_000)
  t.equal(await isKept(session), 2 * lineBytes)
  later(2_000)
  t.equal(await isKept(session), 0)
  await until('its file is gone', () => readdirSync(folder).length === 0)
})

t.test('equal users lose equally', (t) => {
  const trace = (tenant: string, atMs: number) => ({
    name: `${tenant} ${atMs}`,
    tenant,
    bytes: 1,
    atMs,
  })
  const all = [trace('a', 1), trace('a', 2), trace('b', 3), trace('b', 4)]
  t.same(
    removedForRoom(all, 2)
      .map(({ name }) => name)
      .toSorted(),
    ['a 1', 'b 3'],
  )
  t.same(removedForRoom(all, 4), [])
  t.equal(removedForRoom(all, -1).length, 4, 'a bound that nothing fits ends')
  t.end()
})
