import type { Usage } from './times/usage.ts'

export interface Failure {
  readonly test: string
  readonly detail: string
}

/** The outcome of one file in one pass. */
export interface Outcome {
  /** The label of its job. */
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Of a file that did not run: why. */
  readonly leftOut?: string
  readonly ms: number
  readonly failures: readonly Failure[]
  readonly stderr: string
  /** What it used, if that is measured. */
  readonly usage?: Usage
}

/** The outcome of a file that did not run. */
export function leftOut(file: string, why: string): Outcome {
  const counts = { passed: 0, failed: 0, skipped: 1, ms: 0 }
  return { ...counts, file, leftOut: why, failures: [], stderr: '' }
}
