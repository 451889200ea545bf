/** Goal: a night runs what it says, and shows what came of it. Method: its own list and table. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { stages } from '../../nightly/stages.ts'
import { closingLine, tableOf } from '../../nightly/table.ts'
import { jobsIn } from '../../run/jobs.ts'

const tests = join(packageRoot, 'dist/test')

t.test('each stage has a program, and each of its files exists', async (t) => {
  const labels = jobsIn(tests, []).map(({ label }) => label)
  for (const { name, program, args } of stages) {
    t.ok(existsSync(join(tests, program)), name)
    for (const file of args.filter((arg) => arg.includes('/'))) {
      t.ok(
        labels.some((label) => label.includes(file)),
        file,
      )
    }
  }
})

t.test('the table has a line for each stage that ran', async (t) => {
  const outcomes = [
    { name: 'seeds', isGreen: true, minutes: 12.34, closing: '90 passed, 0 failed' },
    { name: 'records', isGreen: false, minutes: 3, closing: 'no output' },
  ]
  const lines = tableOf(stages, outcomes).split('\n')
  t.equal(lines.length, 4)
  t.match(lines[2], /^\| seeds \| .*ten times.* \| 12\.3 \| 90 passed, 0 failed \|$/)
  t.match(lines[3], /\| \*\*failed\*\*: no output \|$/)
  t.equal(closingLine('a\nfailed: x\n\n3 passed, 1 failed\n\n'), '3 passed, 1 failed')
})

t.test('an unknown stage is refused with the list of all', async (t) => {
  const program = join(tests, 'nightly/main.js')
  const { stdout, status } = spawnSync(process.execPath, [program, 'sedes'], { encoding: 'utf8' })
  t.equal(status, 1)
  t.match(stdout, /no stage sedes/)
  for (const { name } of stages) t.match(stdout, name)
})
