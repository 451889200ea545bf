// Goal: whatever happens to the machines, the wires and the store, the actor runtime keeps its promises.
// Each seed is a world with its own faults; SIM_SEED=n lives through one of them aloud, SIM_SEEDS=n tries more.
import t from 'tap'
import { runSeed } from './run.ts'

const oneSeed = process.env['SIM_SEED']
const seeds = Number(process.env['SIM_SEEDS'] ?? 1_000)
const linesShown = 400

t.setTimeout(10 * 60_000)

// Timeouts and refusals are everyday life here; collecting a stack for each takes a tenth of the time.
Error.stackTraceLimit = oneSeed ? 10 : 0

if (oneSeed !== undefined) {
  t.test(`seed ${oneSeed}`, async (t) => {
    const { findings } = await runSeed(Number(oneSeed), (line) => t.comment(line))
    t.strictSame(findings, [])
  })
} else {
  t.test(`${seeds} seeds`, { timeout: 10 * 60_000 }, async (t) => {
    let entries = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const verdict = await runSeed(seed)
      entries += verdict.entries
      if (verdict.findings.length === 0) continue
      const trace: string[] = []
      await runSeed(seed, (line) => trace.push(line))
      const rerun = `SIM_SEED=${seed} lives through it again, with all of its ${trace.length} lines`
      t.fail(`seed ${seed}: ${verdict.findings.join('; ')}`, {
        rerun,
        trace: trace.slice(-linesShown),
      })
    }
    t.comment(`${seeds} worlds, ${entries} log entries`)
    t.ok(entries > seeds, 'there was something to check')
  })
}
