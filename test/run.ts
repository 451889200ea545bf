/**
 * Runs the compiled tests and counts them: `npm test`, or `npm test -- cdp` for the files whose
 * path has "cdp" in it. Each file is a process under tap, side by side with others: none measures
 * time, and each has its own ports, folders and browsers. A file that crashes, hangs, runs no
 * assertion or leaves something behind has failed. `passes.ts` says which files run more than once,
 * and how; `run/second-chance.ts` which files may fail once.
 */
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { t } from 'tap'
import { packageRoot } from '../runtime/lib/package.ts'
import { changedFiles } from './run/changed/changed-files.ts'
import { reachedTitles } from './run/changed/reached.ts'
import { readSourceGraph } from './run/changed/source-graph.ts'
import { jobsIn, partOf, type Job } from './run/jobs.ts'
import { junitXml } from './run/junit.ts'
import { runInLanes } from './run/lanes.ts'
import { lastFailuresFirst, writeLastFailures } from './run/last-failures.ts'
import { machineSeconds } from './run/machine.ts'
import { readOptions, usage, type RunOptions } from './run/options.ts'
import { readRecordedRuns, recordRun } from './run/recorded-runs.ts'
import { reportFile, reportRun, say } from './run/report.ts'
import { runFile } from './run/run-file.ts'
import { leftOut } from './run/outcome.ts'
import { isTooLate } from './run/times/time-left.ts'
import { timesTable } from './run/times/table.ts'
import { giveSecondChances, type Judged } from './run/second-chance.ts'

/** The folder of the compiled tests; a test of this program runs others. */
const root = process.env['TEST_ROOT'] ?? dirname(fileURLToPath(import.meta.url))
const isOwn = process.env['TEST_ROOT'] === undefined

async function runAndReport(job: Job, isTimed: boolean) {
  const outcome = await runFile(job, { isTimed })
  reportFile(outcome)
  return outcome
}

function jobsFor({ filters, changed }: RunOptions): Job[] {
  const jobs = jobsIn(root, filters)
  if (!changed) return jobs
  const files = changedFiles(packageRoot, changed.since)
  const titles = reachedTitles(readSourceGraph(packageRoot), files)
  const reached = jobs.filter(({ title }) => titles.has(title))
  say(`${files.length} changed files reach ${reached.length} of ${jobs.length} runs of files\n`)
  return reached
}

async function runAll(options: RunOptions): Promise<Judged> {
  const jobs = partOf(jobsFor(options), options.shard)
  const run = (job: Job) => runAndReport(job, options.isTimed)
  const ordered = isOwn ? lastFailuresFirst(jobs) : jobs
  const attempts = await runInLanes(ordered, async (job) => {
    const late = isTooLate(job, performance.now())
    return { job, outcome: late === undefined ? await run(job) : leftOut(job.label, late) }
  })
  if (!options.hasSecondChance) {
    return { outcomes: attempts.map(({ outcome }) => outcome), flaky: [], refusals: [] }
  }
  return giveSecondChances(attempts, readRecordedRuns(), async (job) => {
    say(`\n${job.label} has failed; it runs once more, alone:`)
    return run(job)
  })
}

// This process is not a test itself, so tap's limit of 30 seconds must not apply.
t.setTimeout(0)

const options = readOptions(process.argv.slice(2))
if (options === undefined) {
  say(usage)
} else {
  const begun = machineSeconds()
  const judged = await runAll(options)
  const { outcomes, flaky } = judged
  if (isOwn) writeLastFailures(outcomes)
  if (options.junitFile) writeFileSync(options.junitFile, junitXml(outcomes))
  if (options.isRecorded) recordRun(flaky.map(({ first }) => first.file))
  if (outcomes.length === 0 && !options.changed) {
    say(`no test file matches ${options.filters.join(' ')}`)
  }
  if (options.isTimed) say(`\n${timesTable(outcomes, begun)}`)
  reportRun(judged)
  const isGreen =
    (outcomes.length > 0 || options.changed) && outcomes.every(({ failed }) => failed === 0)
  process.exitCode = isGreen ? 0 : 1
}
