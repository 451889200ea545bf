/**
 * Lives through every n-th seed on a thread of its own: no test runner listens to its promises,
 * which halves the time.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { runSeed, type Verdict } from './run.ts'

export interface SeedShare {
  readonly first: number
  readonly last: number
  readonly step: number
}

const { first, last, step } = workerData as SeedShare

// Timeouts and refusals are everyday life here; collecting a stack for each takes a tenth of the
// time.
Error.stackTraceLimit = 0

for (let seed = first; seed <= last; seed += step) {
  parentPort!.postMessage((await runSeed(seed)) satisfies Verdict)
}
