/**
 * Goal: a file that failed by chance does not fail a run of thousands, is never hidden, and cannot
 * become a habit. Method: run `npm test`'s own program on small files that fail in chosen ways, and
 * judge made-up attempts for what needs many runs.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { partOf, type Job } from '../../run/jobs.ts'
import { junitXml } from '../../run/junit.ts'
import { runInLanes } from '../../run/lanes.ts'
import { lastFailuresFirst, writeLastFailures } from '../../run/last-failures.ts'
import { leftOut, type Outcome } from '../../run/outcome.ts'
import { reportRun } from '../../run/report.ts'
import { isTooLate } from '../../run/times/time-left.ts'
import { readOptions } from '../../run/options.ts'
import { readRecordedRuns, recordRun } from '../../run/recorded-runs.ts'
import { giveSecondChances } from '../../run/second-chance.ts'
import { usageOf, watch } from '../../run/times/usage.ts'

const passes = `console.log('TAP version 14\\n1..1\\nok 1 - it holds')`
const fails = `console.log('TAP version 14\\n1..1\\nnot ok 1 - it broke'); process.exitCode = 1`
/** Fails the first time, and passes once its mark is there. */
const flaky = (mark: string) => `
  import { existsSync, writeFileSync } from 'node:fs'
  if (existsSync('${mark}')) { ${passes} } else { writeFileSync('${mark}', ''); ${fails} }`

/** Runs the program on files by their names; its lines and exit code. */
function runOn(t: Test, files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return runIn(t, {}, files, ...args)
}

function runIn(
  t: Test,
  given: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
) {
  const root = join(t.testdir(), 'test')
  mkdirSync(root)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, `${name}.test.js`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text.replaceAll('MARK', `${file}.mark`))
  }
  const env = { ...process.env, ...given, TEST_ROOT: root, TAP: '' }
  const program = join(packageRoot, 'dist/test/run.js')
  const { stdout, status } = spawnSync(process.execPath, [program, ...args], { env })
  const lines = stdout.toString().trimEnd().split('\n')
  return { lines, text: stdout.toString(), closing: lines.at(-1), status }
}

t.test('a file that fails once is shown as flaky, and the run passes', async (t) => {
  const { text, closing, status } = runOn(t, { 'unit/a': passes, 'e2e/b': flaky('MARK') })
  t.equal(closing, '2 passed, 0 failed')
  t.equal(status, 0)
  t.match(text, 'flaky:   test/e2e/b')
  t.match(text, /flaky: test\/e2e\/b failed, and passed when it ran alone.*\n *✗ it broke/)
})

t.test('a file that fails twice has failed, and one whose failure is a finding', async (t) => {
  const findings = ['cluster/x/c', 'sim/d', 'attack/host/e', 'e2e/survival/f']
  const once = Object.fromEntries(findings.map((name) => [name, flaky('MARK')]))
  const { text, closing, status } = runOn(t, { 'unit/a': passes, 'e2e/b': fails, ...once })
  t.equal(closing, '1 passed, 5 failed')
  t.equal(status, 1)
  t.match(text, 'test/e2e/b has failed; it runs once more')
  for (const name of findings) {
    t.match(text, `no second chance for test/${name}: a failure there is a finding`)
  }
  t.notMatch(text, 'flaky')
})

t.test('a file that failed has its second run when no other file begins any more', async (t) => {
  const later = join(t.testdir(), 'later')
  const clock = `
    import { existsSync } from 'node:fs'
    const now = performance.now.bind(performance)
    performance.now = () => now() + (existsSync(${JSON.stringify(later)}) ? 70 * 60_000 : 0)`
  const given = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}` }
  const files = { 'contract/a': flaky(later), 'e2e/b': passes, 'e2e/c': passes, 'e2e/d': passes }
  const { text, closing, status } = runIn(t, given, files)
  t.match(text, /flaky: {3}test\/contract\/a/)
  t.match(text, /not run, since the run takes too long: .*test\/e2e\/d/)
  t.match(closing, /passed, 0 failed, \d skipped/)
  t.equal(status, 0)
})

t.test('a second chance can be switched off', async (t) => {
  const { closing, status } = runOn(t, { 'e2e/b': flaky('MARK') }, '--no-second-chance')
  t.equal(closing, '0 passed, 1 failed')
  t.equal(status, 1)
})

t.test('an unknown option or a part that does not exist is an error', async (t) => {
  t.throws(() => readOptions(['--no-secnd-chance']), /Unknown option/)
  for (const shard of ['0/4', '5/4', '1', 'x/y']) {
    t.throws(() => readOptions(['--shard', shard]), /such as 1\/4/, shard)
  }
})

t.test(
  'on a slow machine the further passes stay out first, and no file begins too late',
  async (t) => {
    const [usual, further] = [{ name: '' }, { name: 'Node 24' }].map((pass) => ({ pass }) as Job)
    const minutes = (count: number) => count * 60_000
    t.equal(isTooLate(usual!, minutes(61)), undefined)
    t.equal(isTooLate(further!, minutes(44)), undefined)
    for (const [job, late] of [
      [usual!, 63],
      [further!, 46],
    ] as const) {
      t.match(isTooLate(job, minutes(late)), /takes too long/)
    }
    const skipped = ['a', 'b'].map((name) => leftOut(`test/e2e/${name}`, 'too late'))
    const printed = t.capture(console, 'log')
    reportRun({ outcomes: skipped, flaky: [], refusals: [] })
    const lines = printed().map(({ args }) => String(args[0]).trim())
    const named = 'not run, too late: test/e2e/a; test/e2e/b'
    t.strictSame(lines, [named, '0 passed, 0 failed, 2 skipped'])
  },
)

const jobNamed = (label: string) => ({ label, title: label }) as Job
const outcomeOf = (file: string, failed: number): Outcome => {
  return { file, failed, passed: 1, skipped: 0, ms: 1, failures: [], stderr: '' }
}
const failedOnes = (labels: readonly string[]) =>
  labels.map((label) => ({ job: jobNamed(label), outcome: outcomeOf(label, 1) }))
const passAgain = async ({ label }: Job) => outcomeOf(label, 0)

t.test('five files at most get one', async (t) => {
  const labels = Array.from({ length: 6 }, (_, index) => `test/e2e/f${index}`)
  const judged = await giveSecondChances(failedOnes(labels), [], passAgain)
  t.equal(judged.flaky.length, 5)
  t.equal(judged.outcomes.filter(({ failed }) => failed > 0).length, 1)
  t.same(judged.refusals, ['test/e2e/f5: more than 5 files have failed'])
})

t.test('a file that was flaky in two of the last ten runs gets none', async (t) => {
  const file = join(t.testdir(), 'runs.txt')
  const label = 'test/e2e/f, Node 24'
  const record = (...flaky: readonly string[]) => recordRun(flaky, '01234567', file)
  record(label)
  for (let run = 0; run < 8; run++) record()
  const judge = () => giveSecondChances(failedOnes([label]), readRecordedRuns(file), passAgain)
  t.equal((await judge()).flaky.length, 1, 'once is chance')
  record('test/e2e/g', label)
  t.same((await judge()).refusals, [`${label}: it was flaky in 2 of the last 10 runs`])
  record()
  t.equal((await judge()).flaky.length, 1, 'the first one has left the list')
})

t.test('the parts of a run are everything, once', async (t) => {
  const jobs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(jobNamed)
  const parts = [1, 2, 3].map((part) => partOf(jobs, { part, of: 3 }))
  t.same(
    parts.flat().toSorted((a, b) => a.label.localeCompare(b.label)),
    jobs,
  )
  t.same(parts.map(({ length }) => length).toSorted(), [2, 2, 3])
})

t.test('what failed in the last run begins first, until it has passed', async (t) => {
  const file = join(t.testdir(), 'out/failures.txt')
  const order = () => lastFailuresFirst(['a', 'b', 'c'].map(jobNamed), file).map((j) => j.label)
  t.same(order(), ['a', 'b', 'c'])
  writeLastFailures([outcomeOf('a', 0), outcomeOf('b', 1), outcomeOf('c', 1)], file)
  t.same(order(), ['b', 'c', 'a'])
  writeLastFailures([outcomeOf('b', 0)], file)
  t.same(order(), ['c', 'a', 'b'], 'c did not run again')
})

t.test('outcomes are written as XML', async (t) => {
  const failures = [{ test: 'a < b & "c"', detail: 'red: \u001b[31m' }]
  const xml = junitXml([{ ...outcomeOf('test/unit/a', 1), failures }, outcomeOf('test/unit/b', 0)])
  t.match(xml, '<testsuite name="test/unit/a" tests="2" failures="1" skipped="0" time="0.001">')
  t.match(xml, '<failure message="a &lt; b &amp; &quot;c&quot;">red: [31m</failure>')
  t.match(xml, '<testcase classname="test/unit/b" name="all"/>')
})

t.test('what files use is measured, with the programs that they start', async (t) => {
  const busy = `
    import { spawn } from 'node:child_process'
    const program = 'for (const end = Date.now() + 300; Date.now() < end; );'
    await new Promise((done) => {
      const env = { PATH: process.env.PATH }
      spawn(process.execPath, ['-e', program, '/bundle/gateway.js'], { env }).on('exit', done)
    })
    ${passes}`
  const { text, closing } = runOn(t, { 'unit/a': passes, 'e2e/b': busy }, '--times')
  t.equal(closing, '2 passed, 0 failed')
  t.match(text, /all processors of the machine: \d+ s busy, \d+ s idle/)
  const rowOf = (name: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`| ${name} |`))
    return line?.split('|').slice(2, -1).map(Number)
  }
  t.equal(rowOf('e2e/b')?.[6], 1, 'a gateway')
  t.equal(rowOf('e2e')?.[6], 1)
  t.equal(rowOf('unit')?.[6], 0)
  t.same(rowOf('**all**')?.slice(0, 2), [2, 2], 'runs and assertions')
})

t.test('lines that processes wrote down become figures', async (t) => {
  const usage = usageOf('program nats-server --config /x\nstarted 1.5\nstarted 2\ncpu 3.25\n')
  t.match(usage, { cpuSeconds: 3.25, startingSeconds: 3.5, started: { NATS: 1, browsers: 0 } })
})

t.test(
  'one more file runs while processors are idle, unless its failure is a finding',
  async (t) => {
    /** How many of many files run side by side at most. */
    const sideBySide = async (suite: string, idleShare: number) => {
      let running = 0
      let most = 0
      async function* idleShares(signal: AbortSignal) {
        for (; !signal.aborted; await turn()) yield idleShare
      }
      const jobs = Array.from({ length: 20 }, (_, index) => jobNamed(`test/${suite}/f${index}`))
      const run = async ({ label }: Job) => {
        most = Math.max(most, ++running)
        for (let turns = 0; turns < 10; turns++) await turn()
        running--
        return label
      }
      const done = await runInLanes(jobs, run, { lanes: 2, idleShares })
      t.same(new Set(done).size, jobs.length, 'each runs once')
      return most
    }
    t.equal(await sideBySide('e2e/acts', 0.5), 3)
    t.equal(await sideBySide('e2e/acts', 0.1), 2)
    t.equal(await sideBySide('e2e/survival', 0.5), 2)
    t.equal(await sideBySide('attack', 0.5), 2)
  },
)

const canSwitch = process.getuid?.() === 0

t.test(
  'a file that runs as another user can write down what it uses',
  { skip: !canSwitch },
  async (t) => {
    const nobody = 65_534
    const timed = watch(nobody)
    t.equal(statSync(timed.env['TEST_TIMES_FILE']!).uid, nobody)
    t.match(timed.read(), { cpuSeconds: 0, started: { gateways: 0 } })
  },
)
