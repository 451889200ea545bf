/**
 * `npm run bench [name …]`: measures, and prints one table for the README. Exits 1 when a target is
 * missed.
 */
import { cpus, totalmem } from 'node:os'
import { accessLists } from './access/lists.ts'
import { accessAudit } from './access/audit.ts'
import { accessWebhooks } from './access/webhooks.ts'
import { access } from './access/access.ts'
import { actions } from './page/actions.ts'
import { cdp } from './sessions/cdp.ts'
import { cells } from './runtime/cells.ts'
import { consoleCost } from './sessions/console.ts'
import { engines } from './sessions/engines.ts'
import { headful } from './sessions/headful.ts'
import { input } from './page/input.ts'
import { logins } from './page/logins.ts'
import { isolation } from './sessions/isolation.ts'
import { lifecycle } from './sessions/lifecycle.ts'
import { liveView } from './sessions/live-view.ts'
import { manyHosts } from './runtime/many-hosts.ts'
import { memory } from './runtime/memory.ts'
import { table, type Bench, type Figure } from './lib/report.ts'
import { sessions } from './sessions/sessions.ts'
import { setups } from './creation/setups.ts'
import { storageStates } from './creation/storage-states.ts'
import { coverage } from './page/coverage/coverage.ts'
import { longDocument } from './page/long-document.ts'
import { snapshot } from './page/snapshot.ts'
import { orphans } from './runtime/orphans.ts'
import { profiles } from './creation/profiles.ts'
import { recording } from './sessions/recording.ts'
import { recovery } from './runtime/recovery.ts'
import { scale } from './runtime/scale.ts'
import { shell } from './runtime/shell.ts'
import { starts } from './runtime/starts.ts'
import { tasks } from './tasks/tasks.ts'
import { wall } from './sessions/wall.ts'
import { openWorld, type World } from './lib/world.ts'

/** Ordered so that each world is opened once. */
const benches: readonly Bench[] = [
  lifecycle,
  sessions,
  storageStates,
  setups,
  profiles,
  cdp,
  consoleCost,
  memory,
  recording,
  coverage,
  snapshot,
  longDocument,
  actions,
  logins,
  tasks,
  headful,
  input,
  liveView,
  cells,
  engines,
  starts,
  shell,
  recovery,
  orphans,
  manyHosts,
  scale,
  isolation,
  wall,
  accessAudit,
  accessLists,
  accessWebhooks,
  access,
]
const names = process.argv.slice(2)
/** `access` also selects the names that begin with it, such as `access-lists`. */
const isNamed = (name: string) => names.some((one) => name === one || name.startsWith(`${one}-`))
const chosen = benches.filter(({ name }) => names.length === 0 || isNamed(name))
const figures: Figure[] = []
let world: World | undefined
try {
  for (const bench of chosen) {
    process.stderr.write(`${bench.name} …\n`)
    if (world?.kind !== bench.on) {
      await world?.close()
      world = bench.on === 'nothing' ? undefined : await openWorld(bench.on)
    }
    figures.push(...(await (bench.on === 'nothing' ? bench.run() : bench.run(world!))))
  }
} finally {
  await world?.close()
}
const machine = `${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`
console.log(`\n${machine}\n\n${table(figures)}`)
process.exitCode = figures.every(({ met }) => met) ? 0 : 1
