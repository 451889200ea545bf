// Goal: a DATA_DIR has one supervisor, and a lock that a dead one left behind blocks no other.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  AlreadyRunning,
  lockHolderOf,
  lockDataDir,
} from '../../../../runtime/process/supervisor/lock.ts'

t.test('a second holder is refused in one line that names the first', async (t) => {
  const dir = t.testdir()
  lockDataDir(dir)
  t.throws(() => lockDataDir(dir), AlreadyRunning)
  t.throws(() => lockDataDir(dir), { message: new RegExp(`^[^\n]*${process.pid}[^\n]*$`) })
  t.equal(lockHolderOf(dir), process.pid)
})

t.test('released, the folder is free and nothing is left in it', async (t) => {
  const dir = t.testdir()
  lockDataDir(dir).release()
  t.equal(lockHolderOf(dir), undefined)
  lockDataDir(dir).release()
  t.same(readdirSync(dir), [])
})

t.test('a missing folder is made', async (t) => {
  const dir = join(t.testdir(), 'a', 'b')
  lockDataDir(dir).release()
  t.same(readdirSync(dir), [])
})

const leftovers: Readonly<Record<string, string>> = {
  'of a process that is gone': JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' }),
  'of a pid that was reused': JSON.stringify({ pid: process.pid, startTime: '1' }),
  'cut short by a full disk': '{"pid":',
}
for (const [what, text] of Object.entries(leftovers)) {
  t.test(`a lock ${what} is taken over`, async (t) => {
    const dir = t.testdir({ 'troupe.lock': text })
    lockDataDir(dir)
    t.match(JSON.parse(readFileSync(join(dir, 'troupe.lock'), 'utf8')), { pid: process.pid })
    t.same(readdirSync(dir), ['troupe.lock'])
  })
}

t.test('releasing does not remove a lock that another process has taken over', async (t) => {
  const dir = t.testdir()
  const lock = lockDataDir(dir)
  const theirs = JSON.stringify({ pid: 1, startTime: 'theirs' })
  writeFileSync(join(dir, 'troupe.lock'), theirs)
  lock.release()
  t.equal(readFileSync(join(dir, 'troupe.lock'), 'utf8'), theirs)
})
