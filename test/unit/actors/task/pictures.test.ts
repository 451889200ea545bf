// Goal: knowing that a step has its picture needs no read of the picture, except after a crash.
// Method: an in-memory log that counts the pictures that are read.
import { pino } from 'pino'
import t from 'tap'
import { TaskPictures } from '../../../../actors/task/effects/pictures.ts'
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
  new TaskPictures({ pictures: log, log: pino({ level: 'silent' }) })

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
