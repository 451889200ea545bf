/** Runs one test file where a fault may be. */
import { jobsIn, type Job } from '../run/jobs.ts'
import { runFile } from '../run/run-file.ts'

/** For a file that waits for what the fault has ended. */
const fileSeconds = 120
const seeds = { SIM_SEEDS: '150' }

/** By title. */
export const usualJobs = (root: string) =>
  new Map(
    jobsIn(root, [])
      .filter(({ pass }) => pass.name === '')
      .map((job) => [job.title, job]),
  )

export async function passes(job: Job): Promise<boolean> {
  const { failed } = await runFile({ ...job, pass: { ...job.pass, env: seeds } }, { fileSeconds })
  return failed === 0
}
