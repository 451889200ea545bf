// Goal: a gateway always starts with a copy of the archive that it can use: one that is damaged, of
// another layout or of another secret is made again. LMDB ends the process when it opens a damaged
// file, so this file could not end well if that happened.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { subjects } from '../../../../../proto/subjects.ts'
import { openHistory } from '../../../../../runtime/actor/archive/open.ts'
import { packSegment } from '../../../../../runtime/actor/archive/segment.ts'
import { systemClock } from '../../../../../runtime/lib/clock.ts'
import { archiveStage, kinds, log } from '../../../../helpers/runtime/archive-stage.ts'

async function stage(t: Test) {
  const { store, archiver } = archiveStage()
  archiver.stop()
  const view = { id: 'ses_1', tenant: 'acme', state: 'done', endedAtMs: 1 }
  const upTo = { entries: 1, bytes: 1 }
  const packed = packSegment({ keptFrom: 0, upTo, views: [view] })
  await store.archive.append(subjects.archive('session', 'acme'), packed, 0)
  const dataDir = t.testdir()
  const open = async (secret = 'a secret') => {
    const opened = await openHistory({
      store: {
        archive: store.archive,
        spanOf: async () => ({ created: 'now', ...store.archiveSpan() }),
      },
      config: { DATA_DIR: dataDir },
      secret: { text: secret, id: secret.slice(0, 8).replaceAll(' ', '_') },
      kinds,
      clock: systemClock,
      log,
    })
    t.ok(opened.feed.isComplete)
    t.match(opened.history.get('session', 'ses_1'), view)
    await opened.close()
  }
  const models = join(dataDir, 'models')
  return { models, folder: join(models, 'history-2-a_secret'), open }
}

t.test('its folder is for its user only', async (t) => {
  const { models, folder, open } = await stage(t)
  await open()
  t.equal(statSync(models).mode & 0o777, 0o700)
  t.same(readdirSync(models), ['history-2-a_secret'])
  t.notOk(readdirSync(folder).some((name) => name.startsWith('opening')))
})

t.test('after a process that ended while it opened a damaged file', async (t) => {
  const { folder, open } = await stage(t)
  for (const pid of [process.pid, 999_999_999]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'data.mdb'), Buffer.alloc(40_000, 'garbage '))
    writeFileSync(join(folder, `opening-${pid}`), '')
    await open()
  }
})

t.test('after a change of the secret or the layout', async (t) => {
  const { models, open } = await stage(t)
  await open()
  mkdirSync(join(models, 'history-0-a_secret'))
  await open('other secret')
  t.same(readdirSync(models), ['history-2-other_se'])
})
