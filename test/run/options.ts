/** What `npm test -- …` was asked for. */
import { parseArgs } from 'node:util'

export interface RunOptions {
  /** Parts of paths: files whose path has one of them run. All files, if there is none. */
  readonly filters: readonly string[]
  /** Whether a file that failed may run once more. */
  readonly hasSecondChance: boolean
  /** Whether the run is added to the list of runs with their flaky files. */
  readonly isRecorded: boolean
}

export const usage = `npm test -- [options] [part of a path ...]
  --no-second-chance  a file that fails has failed; by default it runs once more, alone, at the end
  --record            add this run and its flaky files to test/flaky-runs.txt
  --help`

/** Throws if an option is unknown. Undefined if help was asked for. */
export function readOptions(args: readonly string[]): RunOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'no-second-chance': { type: 'boolean' },
      record: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return undefined
  return {
    filters: positionals,
    hasSecondChance: values['no-second-chance'] !== true,
    isRecorded: values.record === true,
  }
}
