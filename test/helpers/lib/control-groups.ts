/**
 * A control group of the real kernel for one test, in a mount of its own of the one hierarchy. Needs
 * root and cgroup v2; a test without them is skipped with that reason.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ControlGroup } from '../../../runtime/process/cgroups/control-group.ts'

export interface TestControlGroup {
  readonly group: ControlGroup
  /** Those that this kernel offers; on a host with cgroup v1, hardly any. */
  readonly controllers: readonly string[]
  /** Removes the group with all that is in it. */
  remove(): void
}

/**
 * Undefined where control groups cannot be made. It has the controllers that the host has enabled;
 * with `all`, which only one test at a time may ask for, also the others, until it is removed.
 */
export function makeControlGroup({ all = false } = {}): TestControlGroup | undefined {
  const mount = mkdtempSync(join(tmpdir(), 'cgroup-'))
  try {
    execFileSync('mount', ['-t', 'cgroup2', 'none', mount], { stdio: 'pipe' })
  } catch {
    rmdirSync(mount)
    return undefined // Not root, a container, or a kernel without.
  }
  const top = new ControlGroup(mount)
  const group = top.inner(`troupe-test-${process.pid}`)
  const added = all ? top.controllers.filter((name) => !enabledIn(top).includes(name)) : []
  const remove = () => {
    process.off('exit', remove)
    try {
      removeTree(group)
      for (const name of added) top.set('cgroup.subtree_control', `-${name}`)
    } finally {
      execFileSync('umount', [mount], { stdio: 'pipe' })
      rmdirSync(mount)
    }
  }
  // Also when the test is aborted.
  process.once('exit', remove)
  try {
    // Fails if other programs are in a container's outermost group.
    for (const controller of added) top.enable(controller)
    group.make()
    return { group, controllers: group.controllers, remove }
  } catch {
    remove()
    return undefined
  }
}

const enabledIn = ({ path }: ControlGroup) =>
  readFileSync(join(path, 'cgroup.subtree_control'), 'utf8').trim().split(' ')

function removeTree(group: ControlGroup): void {
  if (!group.exists) return
  for (const inner of group.inners()) removeTree(inner)
  // A killed process leaves its group a moment later.
  for (let attempt = 0; attempt < 100 && !group.remove(); attempt++) {
    group.kill()
    execFileSync('sleep', ['0.05'])
  }
}
