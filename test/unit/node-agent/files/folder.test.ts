/**
 * Goal: nothing is left of what failed to be made: a file whose sender left early, folders of a
 * browser that has ended. Method: a slow disk, or one with the wrong things on it.
 */
import fs, { readdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { recordName } from '../../../../node-agent/files/browser-record.ts'
import { makeScratch, scratchOf } from '../../../../node-agent/files/scratch.ts'
import { FileFolder } from '../../../../node-agent/files/folder.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { newId } from '../../../../proto/ids.ts'

const turnsToOpen = 50

/** Calls `fs.open` late; resolves each time that it has been answered. */
function slowDisk(t: Test): { readonly opened: Promise<void> } {
  const { open } = fs
  let answered!: () => void
  const opened = new Promise<void>((resolve) => (answered = resolve))
  t.intercept(fs, 'open', {
    value: async (...args: Parameters<typeof open>) => {
      const done = args.at(-1) as (...answer: unknown[]) => void
      for (let i = 0; i < turnsToOpen; i++) await turn()
      const last = (...answer: unknown[]) => (done(...answer), answered())
      Reflect.apply(open, fs, [...args.slice(0, -1), last])
    },
  })
  return { opened }
}

t.test('a sender that leaves before its file exists leaves none', async (t) => {
  const dirs = t.testdir({ uploads: {}, incoming: {} })
  const folder = new FileFolder(
    { dir: `${dirs}/uploads`, incoming: `${dirs}/incoming` },
    systemClock,
  )
  const disk = slowDisk(t)
  const content = new Readable({ read: () => undefined })
  const refused = t.rejects(folder.receive('a.txt', content), { message: 'gone' })
  content.destroy(new Error('gone'))
  await refused
  await disk.opened
  t.same(readdirSync(`${dirs}/incoming`), [])
  t.same(folder.list(), [])
})

t.test('a complete file has left the folder where it waited', async (t) => {
  const dirs = t.testdir({ uploads: {}, incoming: {} })
  const folder = new FileFolder(
    { dir: `${dirs}/uploads`, incoming: `${dirs}/incoming` },
    systemClock,
  )
  const stored = await folder.receive('a.txt', Readable.from(['content'], { objectMode: false }))
  t.match(stored, { name: 'a.txt', bytes: 7 })
  t.same([readdirSync(`${dirs}/uploads`), readdirSync(`${dirs}/incoming`)], [['a.txt'], []])
})

t.test('a folder removed with its browser does not come back', async (t) => {
  const dirs = t.testdir({ incoming: { whole: 'content' } })
  const folder = new FileFolder({ dir: `${dirs}/agent`, incoming: `${dirs}/incoming` }, systemClock)
  const taken = folder.take(`${dirs}/incoming/whole`, 'deep/down/a.txt', 7)
  await t.rejects(taken, { message: /session ended/ })
  t.same(readdirSync(dirs), ['incoming'])
  t.same(folder.list(), [])
})

t.test('if a browser’s folders cannot all be made, none is made later', async (t) => {
  const id = newId('brw')
  const scratch = scratchOf(t.testdir({ [id]: { profile: 'a file where the first belongs' } }), id)
  await t.rejects(makeScratch(scratch, id), { code: 'ENOTDIR' })
  t.same(readdirSync(scratch.dir).sort(), [recordName, 'profile'])
})
