/**
 * Goal: it is known whether the kernel lets the service divide its control group, and if not, why.
 * Method: a folder that looks like the kernel's `/proc` and `/sys/fs/cgroup`, with files in the place
 * of the kernel's; the processes are real. The kernel's own are in `node-agent/bounds/`.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { groupOfProcess } from '../../../../runtime/process/cgroups/control-group.ts'
import {
  describeDelegation,
  findDelegation,
} from '../../../../runtime/process/cgroups/delegation.ts'

const { pid } = process

/** What mountinfo says of a host: version 1 for the processor, and version 2. */
const mounts = (at: string, root = '/') =>
  [
    '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
    '32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu',
    `41 31 0:38 ${root} ${at} rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate`,
    '',
  ].join('\n')

interface Host {
  /** The group of this process. */
  readonly own?: string
  readonly root?: string
  /** Files of groups: `unit/cgroup.procs`. */
  readonly groups: Readonly<Record<string, string>>
}

function hostOf(t: Test, { own = '/unit', root, groups }: Host) {
  const dir = t.testdir()
  const at = join(dir, 'cgroup')
  const files: Record<string, string> = {
    'proc/self/mountinfo': mounts(at, root),
    [`proc/${pid}/cgroup`]: `4:memory:/elsewhere\n0::${own}\n`,
  }
  for (const [path, text] of Object.entries(groups)) files[`cgroup/${path}`] = text
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const proc = join(dir, 'proc')
  const find = (firstPid = pid) => findDelegation({ pid, firstPid, proc })
  return { at, proc, find }
}

const group = (name: string, more: Readonly<Record<string, string>> = {}) => {
  const files = {
    'cgroup.type': 'domain\n',
    'cgroup.controllers': 'cpuset cpu io memory pids\n',
    'cgroup.subtree_control': '',
    'cgroup.procs': `${pid}\n`,
    ...more,
  }
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}${file}`, text]))
}
const top = { 'cgroup.controllers': 'cpuset cpu io memory pids\n', 'cgroup.procs': '1\n' }

t.test('a unit of systemd with Delegate=yes', async (t) => {
  const { at, find } = hostOf(t, { groups: { ...top, ...group('unit/') } })
  const found = find()
  t.match(found, { type: 'delegated', controllers: ['memory', 'cpu', 'pids'] })
  if (found.type !== 'delegated') return
  t.equal(found.group.path, join(at, 'unit'))
  t.equal(found.service.path, join(at, 'unit', 'troupe-service'))
  t.equal(
    describeDelegation(found),
    'limits of browsers are enforced by the kernel (memory, processor time, processes) and checked every 2 s',
  )
})

t.test('an agent that was restarted finds the same group as the one before', async (t) => {
  const groups = {
    ...top,
    ...group('unit/', { 'cgroup.procs': '' }),
    ...group('unit/troupe-service/'),
  }
  const { at, find } = hostOf(t, { own: '/unit/troupe-service', groups })
  const found = find()
  t.match(found, { type: 'delegated', group: { path: join(at, 'unit') } })
})

t.test('a container may divide its outermost group, with other programs in it', async (t) => {
  const { at, find } = hostOf(t, { own: '/', groups: group('', { 'cgroup.procs': `1\n${pid}\n` }) })
  t.match(find(), { type: 'delegated', group: { path: at } })
  const shown = hostOf(t, { own: '/docker/a', root: '/docker/a', groups: group('') })
  t.match(shown.find(), { type: 'delegated', group: { path: shown.at } })
})

t.test('controllers that the kernel lacks are left out', async (t) => {
  const groups = { ...top, ...group('unit/', { 'cgroup.controllers': 'memory pids' }) }
  const { find } = hostOf(t, { groups })
  const found = find()
  t.match(found, { type: 'delegated', controllers: ['memory', 'pids'] })
  t.match(describeDelegation(found), /by the kernel \(memory, processes\) and/)
})

t.test('without delegation the reason is told', async (t) => {
  const reason = (host: Host) => {
    const found = hostOf(t, host).find()
    return found.type === 'none' ? found : { why: 'none', fix: '' }
  }
  const oldHost = reason({ groups: {} })
  t.match(oldHost, { why: 'there is no cgroup v2 here', fix: /unified_cgroup_hierarchy/ })
  const mixed = reason({ own: '/', groups: { ...top, 'cgroup.controllers': 'hugetlb\n' } })
  t.match(mixed, { why: 'cgroup v2 has none of the controllers memory, cpu, pids here' })
  const undelegated = reason({
    groups: { ...top, ...group('unit/', { 'cgroup.controllers': '' }) },
  })
  t.match(undelegated, { why: /may not divide its control group/, fix: /Delegate=yes/ })
  const threads = reason({ groups: { ...top, ...group('unit/', { 'cgroup.type': 'threaded' }) } })
  t.match(threads, { why: /may not divide/ })
  const found = hostOf(t, { groups: {} }).find()
  t.equal(
    describeDelegation(found),
    'limits of browsers are only checked every 2 s: there is no cgroup v2 here',
  )
})

t.test(
  'a group that this user may not write is not ours',
  { skip: process.getuid?.() === 0 && 'root may write everything' },
  async (t) => {
    const { at, find } = hostOf(t, { groups: { ...top, ...group('unit/') } })
    chmodSync(join(at, 'unit', 'cgroup.procs'), 0o444)
    t.match(find(), { type: 'none', why: /may not divide/ })
  },
)

t.test('processes of other programs are left where they are', async (t) => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  t.teardown(() => child.kill('SIGKILL'))
  const procs = `${pid}\n${child.pid}\n`
  const { find } = hostOf(t, { groups: { ...top, ...group('unit/', { 'cgroup.procs': procs }) } })
  t.match(find(), { type: 'delegated' }, 'a child of the first process belongs to the service')
  t.match(find(child.pid), { type: 'none', why: /has other programs in it/ })
  const hidden = hostOf(t, { groups: { ...top, ...group('unit/', { 'cgroup.procs': '0\n' }) } })
  t.match(hidden.find(), { type: 'none' }, 'nor those that cannot be seen')
})

t.test('the group of a process is found in every kind of mount', async (t) => {
  const { at, proc } = hostOf(t, { own: '/box/unit', root: '/box', groups: group('unit/') })
  t.equal(groupOfProcess(pid, proc)?.group.path, join(at, 'unit'))
  t.equal(groupOfProcess(pid, proc)?.top.path, at)
  const outside = hostOf(t, { own: '/boxes/unit', root: '/box', groups: group('unit/') })
  t.equal(groupOfProcess(pid, outside.proc), undefined)
  const spaced = hostOf(t, { groups: group('unit/') })
  const name = `${spaced.at} two`
  mkdirSync(join(name, 'unit'), { recursive: true })
  writeFileSync(join(name, 'unit', 'cgroup.procs'), '')
  const escaped = name.replaceAll(' ', '\\040')
  writeFileSync(join(spaced.proc, 'self', 'mountinfo'), mounts(escaped))
  t.equal(groupOfProcess(pid, spaced.proc)?.group.path, join(name, 'unit'))
  t.equal(groupOfProcess(999_999_999, spaced.proc), undefined, 'one that has ended has none')
})
