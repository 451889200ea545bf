/** The list of whole runs and of their flaky files, which is committed: `test/flaky-runs.txt`. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../runtime/lib/package.ts'

export interface RecordedRun {
  readonly flaky: readonly string[]
}

const runsRead = 10
const separator = ' | '
const recordedRunsFile = join(packageRoot, 'test/flaky-runs.txt')

/** The last ten of them. */
export function readRecordedRuns(file = recordedRunsFile): readonly RecordedRun[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(-runsRead)
    .map((line) => ({ flaky: line.split(separator).slice(2) }))
}

/** Adds a line: the day, the commit, the labels of its flaky files. */
export function recordRun(
  flaky: readonly string[],
  commit = currentCommit(),
  file = recordedRunsFile,
): void {
  const day = new Date().toISOString().slice(0, 10)
  appendFileSync(file, `${[day, commit, ...flaky].join(separator)}\n`)
}

function currentCommit(): string {
  const args = ['rev-parse', '--short=8', 'HEAD']
  return execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).trim()
}
