/**
 * Runs every n-th seed in its own thread: without a test runner that tracks its promises this takes
 * half the time.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { runSeed, type Verdict } from './run.ts'

export interface SeedShare {
  readonly first: number
  readonly last: number
  readonly step: number
}

const { first, last, step } = workerData as SeedShare

// Timeouts and refusals are frequent here; collecting a stack for each takes a tenth of the time.
Error.stackTraceLimit = 0

for (let seed = first; seed <= last; seed += step) {
  parentPort!.postMessage((await runSeed(seed)) satisfies Verdict)
}
