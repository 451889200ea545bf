/**
 * Goal: `troupe doctor` names the folders of browsers that have ended, and no others. Method: records
 * of this process and of processes that never were.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startTimeOf } from '../../../../runtime/process/guard.ts'
import {
  browserRecordName,
  leftoverFolders,
} from '../../../../runtime/process/machine/leftovers.ts'

t.test('a folder is left over if its agent or its browser has ended', async (t) => {
  const dataDir = t.testdir()
  t.same(await leftoverFolders(dataDir), [], 'before the first start')
  const alive = { pgid: process.pid, startTime: startTimeOf(process.pid) }
  const dead = { pgid: 999_999_999, startTime: '1' }
  const folder = (name: string) => join(dataDir, 'run', 'node', name)
  const make = (name: string, record?: object) => {
    mkdirSync(folder(name), { recursive: true })
    if (record) writeFileSync(join(folder(name), browserRecordName), JSON.stringify(record))
  }
  make('runs', { agent: alive, browser: alive })
  make('starts', { agent: alive })
  make('without-record')
  t.same(await leftoverFolders(dataDir), [])
  make('ended', { agent: alive, browser: dead })
  make('of-a-dead-agent', { agent: dead })
  utimesSync(folder('without-record'), 1, 1)
  t.same(
    [...(await leftoverFolders(dataDir))].sort(),
    ['ended', 'of-a-dead-agent', 'without-record'].map(folder),
  )
})
