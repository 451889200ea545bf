/**
 * Runs the compiled tests and counts them: `npm test`, or `npm test -- cdp` for the files whose
 * path has "cdp" in it. Each file is a process under tap, side by side with others: none measures
 * time, and each has its own ports, folders and browsers. A file that crashes, hangs, runs no
 * assertion or leaves something behind has failed. `passes.ts` says which files run more than once,
 * and how.
 */
import { defined } from '../proto/defined.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Readable } from 'node:stream'
import { Stdin, t, type StdinOpts } from 'tap'
import { isRunning, processesNaming } from './helpers/lib/processes.ts'
import { until } from './helpers/lib/until.ts'
import { NodeMissing, passes, type Pass } from './passes.ts'

type Parser = Stdin['parser']
type FinalResults = NonNullable<Stdin['results']>

/** In the order of their start: quick ones first. */
const suites = ['unit', 'sim', 'cluster', 'contract', 'attack', 'e2e']
/** Files that take long begin first in their suite, so that all lanes end at about the same time. */
const longFirst = [
  ...['test/e2e/portal/portal', 'test/e2e/survival/task-survival', 'test/e2e/tasks/hostile-model'],
  ...[
    'test/e2e/tasks/own-session',
    'test/e2e/access/seo-audit',
    'test/e2e/tasks/tasks',
    'test/e2e/live/live-view',
  ],
  ...['test/e2e/tasks/faults', 'test/e2e/portal/changes', 'test/e2e/tasks/orders'],
]
/** For a file that hangs; far more than a slow machine under load needs. */
const timeoutSeconds = 900
/**
 * Later than this after the start no further pass begins: on a slow machine the files in their usual
 * way are to end before a CI gives up. What was left out is counted as skipped, and said.
 */
const furtherPassesWithinMs = 60 * 60_000
/** More would be more browsers than a machine with many cores has memory for. */
const lanesMost = 4
const slowestShown = 5
const stderrCharsShown = 4_000
const killAfterMs = 5_000
/** How long processes that a file has started may outlive it. */
const endWithinMs = 5_000

interface Failure {
  readonly test: string
  readonly detail: string
}

interface Outcome {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly ms: number
  readonly failures: readonly Failure[]
  readonly stderr: string
}

const nothing = { passed: 0, failed: 0, skipped: 0, ms: 0, failures: [], stderr: '' } as const

const root = dirname(fileURLToPath(import.meta.url))

interface Job {
  readonly file: string
  readonly pass: Pass
}

function jobs(suite: string, filters: readonly string[]): Job[] {
  const wanted = filters.map((filter) => filter.replace(/\.(test\.)?[jt]s$/, ''))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith(`${suite}/`) && name.endsWith('.test.js'))
    .map((name) => join(root, name))
    .sort()
  return passes()
    .flatMap((pass) => files.map((file) => ({ file, pass })))
    .filter(({ file, pass }) => pass.has(title(file)))
    .filter((job) => wanted.length === 0 || wanted.some((text) => label(job).includes(text)))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
}

function placeOf({ file }: Job): number {
  const place = longFirst.indexOf(title(file))
  return place < 0 ? longFirst.length : place
}

/** `test/unit/runtime/config/config`: the name of the file, without the folder it was compiled to. */
function title(file: string): string {
  return join(basename(root), relative(root, file)).replace(/\.test\.js$/, '')
}

/** `test/unit/gateway/server/http, Node 24`. */
function label({ file, pass }: Job): string {
  return pass.name === '' ? title(file) : `${title(file)}, ${pass.name}`
}

async function run(job: Job): Promise<Outcome> {
  if (job.pass.name !== '' && performance.now() > furtherPassesWithinMs) {
    return { ...nothing, file: `${label(job)}: left out, the run takes too long`, skipped: 1 }
  }
  try {
    return await runWith(await job.pass.node(), job)
  } catch (error) {
    if (!(error instanceof NodeMissing)) throw error
    return { ...nothing, file: `${label(job)}: ${error.message}`, skipped: 1 }
  }
}

async function runWith(node: string, job: Job): Promise<Outcome> {
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
      ...(uid !== undefined && { HOME: folder }),
      ...{ TAP: '1', TAP_TIMEOUT: String(timeoutSeconds), TMPDIR: folder },
    },
  })
  // tap ends a file that takes too long, and says what it waits for; this is for one that tap
  // cannot end.
  const hung = setTimeout(() => child.kill('SIGKILL'), timeoutSeconds * 1_000 + killAfterMs)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-stderrCharsShown)
  })
  const failures: Failure[] = []
  const [results, died] = await Promise.all([readTap(child.stdout, failures), death(child)])
  clearTimeout(hung)
  const left = await clear(folder)
  return judge(label(job), results, { died, failures, stderr, started, left })
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

/** tap's result of the file: every number shown later comes from it. */
async function readTap(
  tapStream: Readable,
  failures: Failure[],
): Promise<FinalResults | undefined> {
  const reader = new Stdin({ tapStream: tapStream as NonNullable<StdinOpts['tapStream']> })
  collectFailures(reader.parser, [], failures)
  // It repeats the stream for a parent test, which does not exist here, so the stream has to be
  // drained.
  reader.resume()
  await new Promise<void>((done) => reader.runMain(done))
  return reader.results
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
}

function judge(file: string, results: FinalResults | undefined, ending: Ending): Outcome {
  const { died, failures, stderr, started, left } = ending
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
  }
}

/**
 * Keeps the failed assertions at any depth, and leaves out the tests around them, which fail only
 * because of them.
 */
function collectFailures(parser: Parser, path: readonly string[], into: Failure[]) {
  parser.on('assert', (result) => {
    if (result.ok || result.closingTestPoint || result.todo || result.skip) return
    into.push({ test: [...path, result.name].join(' › '), detail: describe(result.diag) })
  })
  parser.on('child', (child: Parser) => collectFailures(child, [...path, child.name], into))
}

function describe(diag: unknown): string {
  if (typeof diag !== 'object' || diag === null) return ''
  const { message, diff, found, wanted, stack, at } = diag as Record<string, unknown>
  const values = { ...defined({ found, wanted }) }
  return [
    message,
    diff ?? (Object.keys(values).length > 0 ? JSON.stringify(values) : undefined),
    stack ?? (at === undefined ? undefined : JSON.stringify(at)),
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('\n')
}

function report(outcome: Outcome) {
  const { file, passed, failed, skipped, ms, failures, stderr } = outcome
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`]
  const mark = failed ? '✗' : '✓'
  say(`${mark} ${file.padEnd(52)} ${counts.filter(Boolean).join(', ')}  ${seconds(ms)}`)
  for (const { test, detail } of failures) say(`    ✗ ${test}\n${indent(detail)}`)
  if (failed && stderr !== '') say(`    its last words on stderr:\n${indent(stderr)}`)
}

const say = (line: string) => console.log(line)
const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, '      ')
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

async function runAll(filters: readonly string[]): Promise<Outcome[]> {
  const all = suites.flatMap((suite) => jobs(suite, filters))
  // Files in their usual way come first: see `furtherPassesWithinMs`.
  const waiting = all.toSorted((a, b) => Number(a.pass.name !== '') - Number(b.pass.name !== ''))
  const outcomes: Outcome[] = []
  const lane = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const outcome = await run(job)
      report(outcome)
      outcomes.push(outcome)
    }
  }
  const lanes = Math.min(availableParallelism(), lanesMost)
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

// This process is not a test itself, so tap's limit of 30 seconds must not apply.
t.setTimeout(0)

const filters = process.argv.slice(2)
const outcomes = await runAll(filters)

const total = (of: 'passed' | 'failed' | 'skipped') => outcomes.reduce((sum, o) => sum + o[of], 0)
const slowest = outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown)
if (slowest.length > 1) {
  say(`\nslowest: ${slowest.map((o) => `${o.file} ${seconds(o.ms)}`).join(', ')}`)
}
const broken = outcomes.filter((outcome) => outcome.failed > 0)
if (broken.length > 0) say(`\nfailed:  ${broken.map((outcome) => outcome.file).join(', ')}`)
if (outcomes.length === 0) say(`no test file matches ${filters.join(' ')}`)
const skipped = total('skipped')
say(
  `\n${total('passed')} passed, ${total('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`,
)
process.exitCode = outcomes.length === 0 || broken.length > 0 ? 1 : 0
