/**
 * `npm run bench [name …]`: measures, and prints one table for the
 * README. Exits 1 when a target is missed.
 */
import { cpus, totalmem } from 'node:os'
import { cdp } from './cdp.ts'
import { cells } from './cells.ts'
import { lifecycle } from './lifecycle.ts'
import { memory } from './memory.ts'
import { table, type Bench, type Figure } from './report.ts'
import { sessions } from './sessions.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
const benches: Bench[] = [lifecycle, sessions, cdp, memory].map((bench) => bench(world))
benches.push(cells())
const names = process.argv.slice(2)
const chosen = benches.filter(({ name }) => names.length === 0 || names.includes(name))
const figures: Figure[] = []
try {
  for (const bench of chosen) {
    process.stderr.write(`${bench.name} …\n`)
    figures.push(...(await bench.run()))
  }
} finally {
  await world.close()
}
const machine = `${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`
console.log(`\n${machine}\n\n${table(figures)}`)
process.exitCode = figures.every(({ met }) => met) ? 0 : 1
