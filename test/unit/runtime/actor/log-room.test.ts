// Goal: in a full LOG there is room for ends, and for nothing that could be refused.
import t from 'tap'
import { pino } from 'pino'
import { subjects } from '../../../../proto/subjects.ts'
import { appendEntry, type LogEntry } from '../../../../runtime/actor/log.ts'
import { LogReserve } from '../../../../runtime/actor/log-room.ts'
import { actorLimits } from '../../../../runtime/actor/limits.ts'
import { StoreFull } from '../../../../runtime/store/store.ts'
import { MemoryLog } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

/** A log that refuses what exceeds its size. */
class SmallLog extends MemoryLog {
  maxBytes = Infinity
  readonly #sizes = new Map<string, number>()

  get bytes(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0)
  }

  override async append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number> {
    if (this.bytes + data.byteLength > this.maxBytes) throw new StoreFull(subject)
    const seq = await super.append(subject, data, expectedSeq)
    this.#sizes.set(subject, (this.#sizes.get(subject) ?? 0) + data.byteLength)
    return seq
  }

  override async purge(subject: string): Promise<void> {
    this.#sizes.delete(subject)
    await super.purge(subject)
  }
}

const ballastBytes = actorLimits.ballastParts * actorLimits.entryBytes

async function stage() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  const log = new SmallLog()
  const lines: string[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(line) })
  let isFull = false
  const usage = async () => ({
    ...{ stream: 'LOG', refuses: true, maxBytes: 100 },
    bytes: isFull ? 100 : 0,
  })
  const open = () => timeline.until(LogReserve.open({ log, clock, usage, logger }), 1_000)
  const room = await open()
  const write = (n: number, kind: 'request' | 'end', id = 'a') => {
    const entry = { kind: 'thing', id, n, epoch: 1, writer: 'w' } as unknown as LogEntry
    const options = { isRefusable: true, isEnd: kind === 'end' }
    const writer = { log, clock, random: () => 0.5, mayWrite: () => true, room }
    return log.last(subjects.log('thing', id)).then((last) => {
      return timeline.until(appendEntry(writer, entry, last?.seq ?? 0, options), 60_000)
    })
  }
  return { log, room, lines, write, open, fill: (full: boolean) => void (isFull = full) }
}

t.test('when little is left, only ends and what cannot be refused are written', async (t) => {
  const { room, lines, write, fill } = await stage()
  await write(1, 'request')
  fill(true)
  await room.check()
  await room.check()
  await t.rejects(write(2, 'request'), StoreFull)
  await t.rejects(write(1, 'end', 'new'), StoreFull, 'nothing begins with an end')
  await t.resolves(write(2, 'end'))
  t.equal(lines.length, 1, 'the operator is told once')
  fill(false)
  await room.check()
  await t.resolves(write(3, 'request'))
})

t.test('with a log that is full to the last byte, ends find the room of the ballast', async (t) => {
  const { log, room, write, open } = await stage()
  await write(1, 'request')
  t.ok(log.bytes > ballastBytes)
  log.maxBytes = log.bytes
  await t.rejects(write(2, 'request'), StoreFull)
  await t.resolves(write(2, 'end'))
  t.ok(log.bytes < ballastBytes)
  await t.rejects(write(3, 'request'), StoreFull, 'which is for ends only')
  log.maxBytes = Infinity
  await room.check()
  t.ok(log.bytes > ballastBytes, 'it comes back')
  const { bytes } = log
  await open()
  t.equal(log.bytes, bytes, 'another host adds none')
})

t.test('when the ballast is used up too, an end is refused', async (t) => {
  const { log, room, write } = await stage()
  await write(1, 'request')
  log.maxBytes = 0
  await t.rejects(write(2, 'end'), StoreFull)
  t.equal(await room.release(), false)
})
