/**
 * Runs jobs side by side: as many as there are cores, and one more while the processors have time
 * left, because files about browsers wait as much as they compute.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { isFinding, type Job } from './jobs.ts'
import { machineSeconds } from './machine.ts'

/** Of the processors' time, how much was idle lately; asked again after each answer. */
export type IdleShares = (signal: AbortSignal) => AsyncIterable<number>

/** More would be more browsers than a machine with many cores has memory for. */
const lanesMost = 4
const cores = availableParallelism()
/** Over how long the processors are watched before one more file begins. */
const watchMs = 2_000
/** How much of their time must have been idle. */
const idleShareLeast = 0.35

/** Runs all jobs, each once, in about their order. `run` never throws because of a job. */
export async function runInLanes<T>(
  jobs: readonly Job[],
  run: (job: Job) => Promise<T>,
  { lanes = Math.min(cores, lanesMost), idleShares = sharesHere as IdleShares } = {},
): Promise<T[]> {
  const waiting = [...jobs]
  const done: T[] = []
  const lane = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      done.push(await run(job))
    }
  }
  const ending = new AbortController()
  const oneMore = async () => {
    for await (const share of idleShares(ending.signal)) {
      const [next] = waiting
      if (next === undefined) return
      // A file whose failure is a finding is not disturbed more than it has to be.
      if (share < idleShareLeast || isFinding(next)) continue
      waiting.shift()
      done.push(await run(next))
    }
  }
  const extra = lanes < lanesMost ? oneMore() : undefined
  await Promise.all(Array.from({ length: lanes }, lane))
  ending.abort()
  await extra
  return done
}

/** Time that a virtual machine did not get is neither busy nor idle, so the clock's time counts. */
async function* sharesHere(signal: AbortSignal): AsyncGenerator<number> {
  for (;;) {
    const { idle } = machineSeconds()
    const begun = performance.now()
    await pause(watchMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const seconds = (performance.now() - begun) / 1_000
    yield (machineSeconds().idle - idle) / (seconds * cores)
  }
}
