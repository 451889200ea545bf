/** The jobs that failed in the last run begin first in the next, so that a mend shows early. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'
import type { Job } from './jobs.ts'
import type { Outcome } from './outcome.ts'

const lastFailuresFile = join(packageRoot, '.out/last-failures.txt')

export function lastFailuresFirst(jobs: readonly Job[], file = lastFailuresFile): Job[] {
  const failed = new Set(readLabels(file))
  return jobs.toSorted((a, b) => Number(failed.has(b.label)) - Number(failed.has(a.label)))
}

/** A job that did not run now keeps what is said of it. */
export function writeLastFailures(outcomes: readonly Outcome[], file = lastFailuresFile): void {
  const ran = new Set(outcomes.filter((o) => o.leftOut === undefined).map(({ file }) => file))
  const labels = [
    ...readLabels(file).filter((label) => !ran.has(label)),
    ...outcomes.filter(({ failed }) => failed > 0).map((outcome) => outcome.file),
  ]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, labels.map((label) => `${label}\n`).join(''))
}

/** None before the first run. */
function readLabels(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
