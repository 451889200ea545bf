/**
 * Runs test files many times beside busy loops and a busy disk, and prints how often each failed:
 * `npm run test:stress -- e2e/acts --times 20 --load 4`. A race that fails one run in a hundred on
 * an idle machine fails one in ten here. Exits with 1 if anything failed.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { t } from 'tap'
import { jobsIn, type Job } from './run/jobs.ts'
import { reportFile, say } from './run/report.ts'
import { runFile } from './run/run-file.ts'

const usage = `npm run test:stress -- [--times 20] [--load 4] part of a path ...
  --times N  how often each file runs
  --load N   how many busy loops run beside it; with any, the disk is busy as well`
const timesDefault = 20
const loadDefault = 4

const busyLoop = 'for (;;) Math.sqrt(Math.random())'
/** Writes 8 MiB at a time and waits until the disk has them. */
const busyDisk = `
  const fs = require('node:fs')
  const file = fs.openSync(process.argv[1], 'w')
  const bytes = Buffer.alloc(8 * 1024 * 1024, 1)
  for (;;) { fs.writeSync(file, bytes, 0, bytes.length, 0); fs.fsyncSync(file) }`

/** Runs `work` beside the load, which ends with it. */
async function besideLoad(loops: number, work: () => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'load-'))
  const children: ChildProcess[] = []
  const start = (...args: readonly string[]) => {
    children.push(spawn(process.execPath, ['-e', ...args], { stdio: 'ignore' }))
  }
  const end = () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('SIGINT', () => {
    end()
    process.exit(1)
  })
  for (let loop = 0; loop < loops; loop++) start(busyLoop)
  if (loops > 0) start(busyDisk, join(folder, 'file'))
  await work().finally(end)
}

/** How often the file failed; only failures are printed as they happen. */
async function countFailures(job: Job, times: number): Promise<number> {
  let failed = 0
  for (let run = 0; run < times; run++) {
    const outcome = await runFile(job)
    if (outcome.failed === 0) continue
    failed++
    reportFile(outcome)
  }
  say(`${job.label}: ${failed} of ${times} failed`)
  return failed
}

// This process is not a test itself, so tap's limit of 30 seconds must not apply.
t.setTimeout(0)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string' }, load: { type: 'string' }, help: { type: 'boolean' } },
})
const times = Number(values.times ?? timesDefault)
const loops = Number(values.load ?? loadDefault)
const jobs = jobsIn(dirname(fileURLToPath(import.meta.url)), positionals)
if (values.help || positionals.length === 0 || !(times >= 1) || !(loops >= 0)) {
  say(usage)
  process.exitCode = values.help ? 0 : 1
} else if (jobs.length === 0) {
  say(`no test file matches ${positionals.join(' ')}`)
  process.exitCode = 1
} else {
  await besideLoad(loops, async () => {
    let failed = 0
    for (const job of jobs) failed += await countFailures(job, times)
    say(`${failed} of ${jobs.length * times} runs of ${jobs.length} files failed`)
    if (failed > 0) process.exitCode = 1
  })
}
