/** What `npm test -- …` was asked for. */
import { parseArgs } from 'node:util'
import { defined } from '../../proto/defined.ts'

export interface RunOptions {
  /** Parts of paths: files whose path has one of them run. All files, if there is none. */
  readonly filters: readonly string[]
  /** Whether a file that failed may run once more. */
  readonly hasSecondChance: boolean
  /** Of that many parts of equal size, the one that runs, counted from 1. */
  readonly shard: { readonly part: number; readonly of: number }
  /** Only files that the change reaches: what differs from that state, or from the upstream branch. */
  readonly changed?: { readonly since?: string }
  /** Where the outcomes are written as JUnit XML. */
  readonly junitFile?: string
  /** Whether what each file uses is measured, and printed as a table. */
  readonly isTimed: boolean
  /** Whether the run is added to the list of runs with their flaky files. */
  readonly isRecorded: boolean
}

export const usage = `npm test -- [options] [part of a path ...]
  --no-second-chance  a file that fails has failed; by default it runs once more, alone, at the end
  --changed           run what a change reaches: all that differs from the upstream branch
  --since REF         the same for what differs from a commit, such as main or HEAD~3
  --shard 1/4         run the first of four parts; all four together are everything
  --junit FILE        write the outcomes as JUnit XML, too
  --record            add this run and its flaky files to test/flaky-runs.txt
  --times             print what each suite and file used: time, CPU, programs started
  --help`

/** Throws if an option is unknown or a value is wrong. Undefined if help was asked for. */
export function readOptions(args: readonly string[]): RunOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'no-second-chance': { type: 'boolean' },
      changed: { type: 'boolean' },
      since: { type: 'string' },
      shard: { type: 'string', default: '1/1' },
      junit: { type: 'string' },
      record: { type: 'boolean' },
      times: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return undefined
  return {
    filters: positionals,
    hasSecondChance: values['no-second-chance'] !== true,
    shard: readShard(values.shard),
    ...((values.changed || values.since !== undefined) && {
      changed: defined({ since: values.since }),
    }),
    ...defined({ junitFile: values.junit }),
    isRecorded: values.record === true,
    isTimed: values.times === true,
  }
}

function readShard(text: string): RunOptions['shard'] {
  const [part, of] = text.split('/').map(Number)
  if (part === undefined || of === undefined || !(part >= 1 && part <= of)) {
    throw new Error(`--shard ${text}: write the part and how many there are, such as 1/4`)
  }
  return { part, of }
}
