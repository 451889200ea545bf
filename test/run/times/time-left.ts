/**
 * A CI gives up on a run after 90 minutes, and then nothing of it counts. On a slow machine the
 * least important work does not begin any more; it is counted as skipped, and named. Files that have
 * failed still have time for their second run.
 */
import type { Job } from '../jobs.ts'

const minuteMs = 60_000
/** Since the start of the run: after the machine was set up, and everything compiled. */
const beginWithinMs = {
  furtherPass: 45 * minuteMs,
  file: 62 * minuteMs,
  secondChance: 78 * minuteMs,
}

/** Why this job does not begin any more; undefined while there is time. */
export function isTooLate({ pass }: Pick<Job, 'pass'>, runMs: number): string | undefined {
  const withinMs = pass.name === '' ? beginWithinMs.file : beginWithinMs.furtherPass
  return runMs > withinMs ? tooLong : undefined
}

export const isTooLateAgain = (runMs: number): boolean => runMs > beginWithinMs.secondChance

const tooLong = 'since the run takes too long'
