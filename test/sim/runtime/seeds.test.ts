// Goal: whatever happens to the machines, the connections and the store, the actor runtime keeps
// its promises. Each seed is a world with its own faults. SIM_SEED=n runs one of them and prints
// its events; SIM_SEEDS=n runs more of them.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { runSeed, type Verdict } from './run.ts'
import type { SeedShare } from './seed-worker.ts'

const oneSeed = process.env['SIM_SEED']
const seeds = Number(process.env['SIM_SEEDS'] ?? 1_500)
const linesShown = 400
const timeout = 10 * 60_000

t.setTimeout(timeout)

if (oneSeed !== undefined) {
  t.test(`seed ${oneSeed}`, async (t) => {
    const { findings } = await runSeed(Number(oneSeed), (line) => t.comment(line))
    t.strictSame(findings, [])
  })
} else {
  t.test(`${seeds} seeds`, { timeout }, async (t) => {
    const verdicts = await runAll()
    for (const { seed, findings } of verdicts) {
      if (findings.length === 0) continue
      const trace: string[] = []
      await runSeed(seed, (line) => trace.push(line))
      t.fail(`seed ${seed}: ${findings.join('; ')}`, {
        rerun: `SIM_SEED=${seed} lives through it again, with all of its ${trace.length} lines`,
        trace: trace.slice(-linesShown),
      })
    }
    const entries = verdicts.reduce((sum, verdict) => sum + verdict.entries, 0)
    t.comment(`${verdicts.length} worlds, ${entries} log entries`)
    t.equal(verdicts.length, seeds)
    t.ok(entries > seeds, 'there was something to check')
  })
}

async function runAll(): Promise<Verdict[]> {
  const step = availableParallelism()
  const shares = Array.from({ length: step }, (_, i) => ({ first: i + 1, last: seeds, step }))
  return (await Promise.all(shares.map(runShare))).flat().sort((a, b) => a.seed - b.seed)
}

function runShare(share: SeedShare): Promise<Verdict[]> {
  return new Promise((resolve, reject) => {
    const verdicts: Verdict[] = []
    const worker = new Worker(new URL('./seed-worker.js', import.meta.url), { workerData: share })
    worker.on('message', (verdict: Verdict) => verdicts.push(verdict))
    worker.on('error', reject)
    worker.on('exit', () => resolve(verdicts))
  })
}
