/**
 * Goal: every process of a browser and of its desktop is in the browser's control group from its start,
 * the group ends with the browser, and a browser that the kernel ended says why. Method: real browsers
 * in groups of this kernel, with the controllers it has; only the kernel's count of events is played.
 */
import { systemClock } from '../../../runtime/lib/clock.ts'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { BrowserGroups } from '../../../node-agent/bounds/browser-groups.ts'
import type { LaunchOptions } from '../../../node-agent/browser/running.ts'
import { Guard } from '../../../runtime/process/guard.ts'
import { newRoot, openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { makeControlGroup } from '../../helpers/lib/control-groups.ts'
import { processesNaming } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'

const made = makeControlGroup()
t.teardown(() => made?.remove())
const skip = made ? false : 'no control groups can be made here (root and cgroup v2)'

const told = 'The kernel said so.'

async function openHost(t: { teardown(end: () => unknown): void }) {
  const root = newRoot()
  const guard = new Guard()
  const log = pino({ level: 'silent' })
  const { group, controllers } = made!
  const usable = { group, service: group.inner('troupe-service'), controllers }
  const options = { config: { SESSION_MEMORY_MB: 4_096 }, root, guard, clock: systemClock, log }
  const groups = await BrowserGroups.open(usable, options)
  const all = group.inners().find(({ name }) => name.startsWith('troupe-browsers-'))!
  const isTold = new Set<string>()
  const make: NonNullable<LaunchOptions['groups']>['make'] = (id) => {
    const cgroup = groups.make(id)!
    return {
      enter: cgroup.enter,
      overrun: () => (isTold.has(id) ? told : undefined),
      remove: () => cgroup.remove(),
    }
  }
  const host = openBrowserHost({ kept: [] }, root, { make, adopt: () => undefined })
  t.teardown(() => guard.stop())
  return { host, groups, all, isTold }
}

for (const active of [false, true]) {
  const kind = active ? 'headless' : 'headful'
  t.test(`all processes of a ${kind} browser are in its group`, { skip }, async (t) => {
    const { host, groups, all } = await openHost(t)
    const { claim, sessionId } = await host.claim({ browser: { headless: { active } } })
    const group = all.inner(claim.browserId)
    const outside = () => {
      const inside = new Set(group.pids)
      return processesNaming(join(host.root, claim.browserId)).filter(({ pid }) => !inside.has(pid))
    }
    t.ok(group.pids.length > (active ? 4 : 8), `${group.pids.length} processes`)
    await until('none is outside', () => outside().length === 0)
    host.sessions.drop(sessionId, 'released')
    await until('its group is gone', () => !group.exists)
    t.same(await host.close(), { processes: 0, folders: [] })
    groups.close()
    t.notOk(all.exists)
  })
}

t.test('a browser that the kernel ended says why', { skip }, async (t) => {
  const { host, groups, all, isTold } = await openHost(t)
  const { claim } = await host.claim()
  isTold.add(claim.browserId)
  all.inner(claim.browserId).kill()
  await until('its end is known', () => host.gone.length === 1)
  t.match(host.gone[0]!.exit, { signal: 'SIGKILL', overrun: told })
  t.same(await host.close(), { processes: 0, folders: [] })
  groups.close()
  t.notOk(all.exists)
})
