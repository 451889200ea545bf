/**
 * Goal: each browser's control group has the bounds of a session, and what the kernel says of it
 * becomes a sentence for the session's owner. Method: folders with files in the place of the kernel's,
 * so that memory and threads can run out as told; the kernel's own are in `kernel-groups.test.ts`.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { BrowserGroups } from '../../../../node-agent/bounds/browser-groups.ts'
import { ResourceBounds, type BoundedBrowser } from '../../../../node-agent/bounds/bounds.ts'
import { MiB } from '../../../../proto/units.ts'
import { newId } from '../../../../proto/ids.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { ControlGroup } from '../../../../runtime/process/cgroups/control-group.ts'
import { Guard } from '../../../../runtime/process/guard.ts'
import { boundsLimits } from '../../../../node-agent/bounds/limits.ts'

const log = pino({ level: 'silent' })

async function openGroups(t: Test, { memoryMib = 1_000, controllers = ['memory', 'cpu', 'pids'] }) {
  const dir = t.testdir({
    cgroup: { 'cgroup.type': 'domain', 'cgroup.procs': '', 'cgroup.subtree_control': '' },
    run: {},
  })
  const guard = new Guard()
  t.teardown(() => guard.stop())
  const group = new ControlGroup(join(dir, 'cgroup'))
  const options = {
    config: { SESSION_MEMORY_MB: memoryMib },
    root: join(dir, 'run'),
    guard,
    clock: systemClock,
    log,
  }
  const usable = { group, service: group.inner('troupe-service'), controllers }
  const groups = await BrowserGroups.open(usable, options)
  const all = group.inners().find(({ name }) => name.startsWith('troupe-browsers-'))!
  return { groups, all, options, usable }
}

/** A browser's group, whose files the kernel would have made. */
function browserIn({ groups, all }: Awaited<ReturnType<typeof openGroups>>) {
  const id = newId('brw')
  const browser = groups.make(id)!
  const path = join(all.path, id)
  const text = (file: string) => readFileSync(join(path, file), 'utf8')
  const tell = (file: string, said: string) => writeFileSync(join(path, file), said)
  return { browser, path, text, tell }
}

t.test('a browser has its bounds before its first process', async (t) => {
  const opened = await openGroups(t, {})
  const { browser, path, text } = browserIn(opened)
  t.equal(text('memory.max'), String((1_000 + boundsLimits.sessionMemoryMarginMib) * MiB))
  t.equal(text('memory.swap.max'), '0')
  t.equal(text('memory.oom.group'), '1')
  t.equal(text('pids.max'), String(boundsLimits.sessionThreads))
  t.equal(browser.enter.at(-1), join(path, 'cgroup.procs'))
  t.equal(browser.overrun(), undefined)
})

t.test('only what the kernel divides is asked for', async (t) => {
  const { text, path } = browserIn(await openGroups(t, { controllers: ['pids'] }))
  t.same(readdirSync(path), ['pids.max'])
  t.equal(text('pids.max'), String(boundsLimits.sessionThreads))
  const unbounded = browserIn(await openGroups(t, { memoryMib: 0, controllers: ['memory'] }))
  t.same(readdirSync(unbounded.path), ['memory.oom.group'], 'SESSION_MEMORY_MB=0 is no bound')
})

t.test('what the kernel did is told in words', async (t) => {
  const { browser, tell } = browserIn(await openGroups(t, {}))
  tell('memory.events', 'low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n')
  t.equal(browser.overrun(), undefined, 'memory that it could free is no reason')
  tell('memory.events', 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 12\noom_group_kill 1\n')
  t.match(browser.overrun(), 'used more than 1000 MiB of memory (SESSION_MEMORY_MB)')
  tell('memory.events', 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 12\noom_group_kill 1\n')
  t.match(browser.overrun(), 'host ran out of memory, and its kernel ended the browser')
})

t.test('threads count only if it is their own bound', async (t) => {
  const { browser, tell } = browserIn(await openGroups(t, {}))
  tell('pids.events', 'max 3\n')
  t.match(
    browser.overrun(),
    `more than ${boundsLimits.sessionThreads} threads`,
    'without pids.peak',
  )
  tell('pids.peak', '170\n')
  t.equal(browser.overrun(), undefined, 'the bound of the whole service was reached')
  tell('pids.peak', `${boundsLimits.sessionThreads}\n`)
  t.match(browser.overrun(), `more than ${boundsLimits.sessionThreads} threads`)
})

t.test('the look that measures browsers asks the kernel, too', async (t) => {
  const opened = await openGroups(t, {})
  const { browser, tell } = browserIn(opened)
  const said: string[] = []
  const bounded: BoundedBrowser = {
    ...{ id: 'one', groups: [], scratch: { dir: '/nowhere' }, cgroup: browser },
    overrun: (why) => void said.push(why),
  }
  const config = { SESSION_MEMORY_MB: 1_000, SESSION_DISK_MB: 0 }
  const held = () => [bounded]
  const { root } = opened.options
  const bounds = new ResourceBounds({ config, root, held, clock: systemClock, log })
  t.teardown(() => bounds.stop())
  await bounds.look()
  t.same(said, [])
  tell('pids.events', 'max 1\n')
  await bounds.look()
  t.same(said, [`The browser had more than ${boundsLimits.sessionThreads} threads.`])
})

t.test('a group that cannot be made is done without', async (t) => {
  const opened = await openGroups(t, {})
  rmSync(opened.all.path, { recursive: true })
  t.ok(browserIn(opened).browser, 'an earlier agent may have removed that of all browsers')
  rmSync(opened.all.path, { recursive: true })
  writeFileSync(opened.all.path, 'no folder')
  t.equal(opened.groups.make(newId('brw')), undefined)
})

t.test('the groups of two agents do not meet', async (t) => {
  const { usable, options, all } = await openGroups(t, {})
  const other = join(options.root, '..', 'other')
  mkdirSync(other)
  await BrowserGroups.open(usable, { ...options, root: other })
  const names = usable.group.inners().map(({ name }) => name)
  t.equal(names.length, 3)
  t.ok(names.includes(all.name) && names.includes('troupe-service'))
})
