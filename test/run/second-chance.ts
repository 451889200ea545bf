/**
 * A file that failed runs once more, alone, after all others: most failures of one file in a long
 * run are races of a test on a busy machine. A file that passes then is flaky: it is shown with
 * the output of its failure, and does not fail the run.
 */
import { isFinding, type Job } from './jobs.ts'
import type { Outcome } from './outcome.ts'
import type { RecordedRun } from './recorded-runs.ts'
import { isTooLateAgain } from './times/time-left.ts'

/** More failures than this have a cause in common, and a run with them has failed. */
const filesMost = 5
/** A file that was flaky this often in the recorded runs has a fault to find. */
const flakyRunsMost = 2

export interface Attempt {
  readonly job: Job
  readonly outcome: Outcome
}

export interface FlakyFile {
  readonly first: Outcome
  readonly second: Outcome
}

export interface Judged {
  /** One of each job, those of flaky files from their second run. */
  readonly outcomes: readonly Outcome[]
  readonly flaky: readonly FlakyFile[]
  /** Why files that failed did not run again, a sentence each. */
  readonly refusals: readonly string[]
}

/** Runs those failed files again that may, one after the other, and judges all of them. */
export async function giveSecondChances(
  attempts: readonly Attempt[],
  recorded: readonly RecordedRun[],
  runAgain: (job: Job) => Promise<Outcome>,
): Promise<Judged> {
  const failed = attempts.filter(({ outcome }) => outcome.failed > 0)
  const reasons = new Map(failed.map(({ job }) => [job, refusalOf(job, recorded)]))
  const allowed = failed.filter(({ job }) => reasons.get(job) === undefined)
  const flaky = new Map<Job, FlakyFile>()
  for (const { job, outcome: first } of allowed.slice(0, filesMost)) {
    if (isTooLateAgain(performance.now())) {
      reasons.set(job, `${job.label}: the run takes too long`)
      continue
    }
    const second = await runAgain(job)
    if (second.failed === 0 && second.passed > 0) flaky.set(job, { first, second })
  }
  const beyond = allowed
    .slice(filesMost)
    .map(({ job }) => `${job.label}: more than ${filesMost} files have failed`)
  return {
    outcomes: attempts.map(({ job, outcome }) => flaky.get(job)?.second ?? outcome),
    flaky: [...flaky.values()],
    refusals: [...[...reasons.values()].filter((why) => why !== undefined), ...beyond],
  }
}

function refusalOf(job: Job, recorded: readonly RecordedRun[]): string | undefined {
  const { label } = job
  if (isFinding(job)) return `${label}: a failure there is a finding`
  const times = recorded.filter(({ flaky }) => flaky.includes(label)).length
  return times >= flakyRunsMost
    ? `${label}: it was flaky in ${times} of the last ${recorded.length} runs`
    : undefined
}
