// Goal: knowing that a step has its picture needs no read of the picture, except after a crash.
// Method: an in-memory log that counts the pictures that are read.
import { pino } from 'pino'
import t from 'tap'
import { TaskPictures } from '../../../../actors/task/effects/pictures.ts'
import { StoredTally } from '../../../../actors/task/effects/stored-tally.ts'
import type { TaskEffectDeps } from '../../../../actors/task/effects/deps.ts'
import { taskKind } from '../../../../actors/task/kind.ts'
import { taskRunLimits } from '../../../../actors/task/limits.ts'
import { startMachine, stepMachine } from '../../../../runtime/actor/cell/machine.ts'
import type { Reply } from '../../../../proto/envelope.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import type { LogStore } from '../../../../runtime/store/store.ts'

const image = Buffer.from([0xff, 0xd8])
const taken: Reply = { ok: true, value: { image, left: 0, top: 0, scale: 1 } }
const failed: Reply = { ok: false, error: { type: 'unavailable', message: 'no page' } }
const camera = (reply: Reply) => ({ run: async () => [reply] })
const taskId = 'tsk_1'

function countedLog() {
  const { log } = new MemoryStore()
  let pictures = 0
  const counted: LogStore = {
    append: (...record) => log.append(...record),
    read: (...range) => log.read(...range),
    purge: (subject) => log.purge(subject),
    trim: (...range) => log.trim(...range),
    async last(subject) {
      const record = await log.last(subject)
      if (record) pictures++
      return record
    },
  }
  return { log: counted, picturesRead: () => pictures }
}

const picturesOn = (log: LogStore) =>
  new TaskPictures({ pictures: log, log: pino({ level: 'silent' }), tally: new StoredTally() })

t.test('a step has its picture as soon as it is taken, without a read', async (t) => {
  const { log, picturesRead } = countedLog()
  const pictures = picturesOn(log)
  const taking = pictures.take(taskId, 1, camera(taken))
  t.equal(await pictures.has(taskId, 1), true, 'it is waited for')
  t.ok(await taking)
  t.equal(await pictures.has(taskId, 1), true)
  t.equal(picturesRead(), 0)
})

t.test('a step whose picture could not be taken has none', async (t) => {
  const pictures = picturesOn(countedLog().log)
  t.equal(await pictures.take(taskId, 1, camera(failed)), undefined)
  t.equal(await pictures.has(taskId, 1), false)
})

t.test('after a crash the store is asked', async (t) => {
  const { log, picturesRead } = countedLog()
  await picturesOn(log).take(taskId, 1, camera(taken))
  const revived = picturesOn(log)
  t.equal(await revived.has(taskId, 1), true)
  t.equal(await revived.has(taskId, 2), false)
  t.equal(picturesRead(), 1)
})

t.test('the bytes of stored pictures are counted, up to the limit of a task', async (t) => {
  const { log } = countedLog()
  const tally = new StoredTally()
  const pictures = new TaskPictures({ pictures: log, log: pino({ level: 'silent' }), tally })
  await pictures.take(taskId, 1, camera(taken))
  t.same(tally.take(taskId), { stored: { steps: 0, pictures: image.byteLength } })
  t.same(tally.take(taskId), {}, 'told once')
  const shown = await pictures.take(taskId, 2, camera(taken), taskRunLimits.pictureBytes)
  t.ok(shown, 'the model sees it')
  t.equal(await pictures.has(taskId, 2), false, 'it is not stored')
  t.same(tally.take(taskId), {})
})

t.test('a task knows what is stored for it, and its tenant is charged with it', (t) => {
  const kind = taskKind({} as TaskEffectDeps)
  const { input, events } = kind.rehearsal
  let { snapshot } = startMachine(kind.machine, input)
  for (const event of events) {
    const stored = { steps: 10, pictures: 300 }
    const told = event.type === 'observed' || event.type === 'left' ? { ...event, stored } : event
    snapshot = stepMachine(kind.machine, snapshot, { ...told, at: 1 }).snapshot
  }
  t.same(kind.elsewhereBytes?.(snapshot), { STEPS: 20, PICTURES: 600 })
  t.end()
})
