/** Runs one test file as a process of its own, and clears up what it leaves behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '../../proto/defined.ts'
import { isRunning, processesNaming } from '../helpers/lib/processes.ts'
import { until } from '../helpers/lib/until.ts'
import { NodeMissing } from '../passes.ts'
import type { Job } from './jobs.ts'
import { leftOut, type Failure, type Outcome } from './outcome.ts'
import { watch, type Usage } from './times/usage.ts'
import { readTap, type TapResults } from './tap-results.ts'

/** For a file that hangs; far more than a slow machine under load needs. */
const fileSecondsMost = 900
const stderrCharsShown = 4_000
const killAfterMs = 5_000
/** How long processes that a file has started may outlive it. */
const endWithinMs = 5_000

export interface RunFileOptions {
  /** Whether what the file uses is measured. */
  readonly isTimed?: boolean
  readonly fileSeconds?: number
}

/** Never throws because of the file. */
export async function runFile(job: Job, options: RunFileOptions = {}): Promise<Outcome> {
  try {
    return await runWith(await job.pass.node(), job, options)
  } catch (error) {
    if (!(error instanceof NodeMissing)) throw error
    return leftOut(job.label, error.message)
  }
}

async function runWith(node: string, job: Job, options: RunFileOptions): Promise<Outcome> {
  const { isTimed, fileSeconds = fileSecondsMost } = options
  const timed = isTimed ? watch(job.pass.uid) : undefined
  const started = performance.now()
  // Short, because it is part of socket paths, which are limited to 107 characters.
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  const { uid, env } = job.pass
  if (uid !== undefined) chownSync(folder, uid, uid)
  const child = spawn(node, ['--enable-source-maps', job.file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
    env: {
      ...process.env,
      ...env,
      ...timed?.env,
      ...(uid !== undefined && { HOME: folder }),
      ...{ TAP: '1', TAP_TIMEOUT: String(fileSeconds), TMPDIR: folder },
    },
  })
  // tap ends a file that takes too long, and says what it waits for; this is for one that tap
  // cannot end.
  const hung = setTimeout(() => child.kill('SIGKILL'), fileSeconds * 1_000 + killAfterMs)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-stderrCharsShown)
  })
  const failures: Failure[] = []
  const [results, died] = await Promise.all([readTap(child.stdout, failures), death(child)])
  clearTimeout(hung)
  const left = await clear(folder)
  const usage = timed?.read()
  return judge(job.label, results, { died, failures, stderr, started, left, usage })
}

/**
 * What a file has left behind: files, and processes that name its folder in their arguments or
 * environment, which are killed. A guard outlives the process that it cleans up after for a moment.
 */
async function clear(folder: string): Promise<readonly string[]> {
  const running = () => processesNaming(folder)
  await until('all have ended', () => running().length === 0, endWithinMs).catch(() => undefined)
  const left = running()
  for (const { pid } of left) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  const files = readdirSync(folder)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  return [...left.map(({ command }) => command), ...files]
}

/** Undefined when it ended successfully. */
function death(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) =>
    child.once('close', (code, signal) => {
      resolve(signal ? `killed by ${signal}` : code ? `exit code ${code}` : undefined)
    }),
  )
}

interface Ending {
  readonly died: string | undefined
  readonly failures: Failure[]
  readonly stderr: string
  readonly started: number
  /** Processes and files that are left. */
  readonly left: readonly string[]
  readonly usage: Usage | undefined
}

function judge(file: string, results: TapResults | undefined, ending: Ending): Outcome {
  const { died, failures, stderr, started, left, usage } = ending
  if (failures.length === 0 && (died !== undefined || !results?.ok || results.count === 0)) {
    failures.push({ test: 'the file as a whole', detail: died ?? 'no test ran' })
  }
  if (failures.length === 0 && left.length > 0) {
    failures.push({ test: 'the file as a whole', detail: `it has left ${left.join(', ')}` })
  }
  return {
    file,
    passed: (results?.pass ?? 0) - (results?.skip ?? 0) - (results?.todo ?? 0),
    failed: Math.max(results?.fail ?? 0, failures.length > 0 ? 1 : 0),
    skipped: (results?.skip ?? 0) + (results?.todo ?? 0),
    ms: performance.now() - started,
    failures,
    stderr,
    ...defined({ usage }),
  }
}
