/**
 * Whether the kernel lets this service divide its own control group among browsers: the group must be
 * writable, have controllers, and contain only our processes, because they have to be moved. systemd
 * delegates such a group with `Delegate=yes`; a container has one if its `/sys/fs/cgroup` is writable.
 */
import { limits } from '../../../proto/limits.ts'
import { readProcStat } from '../proc-stat.ts'
import { groupOfProcess, type ControlGroup } from './control-group.ts'

/** The resource of each controller; if the kernel lacks one, the others are used without it. */
const divided = { memory: 'memory', cpu: 'processor time', pids: 'processes' } as const

/** The group inside ours that the service's own processes move to. */
const serviceGroup = 'troupe-service'

export interface Delegation {
  readonly type: 'delegated'
  /** Can have inner groups once its own processes have been moved to `service`. */
  readonly group: ControlGroup
  readonly service: ControlGroup
  readonly controllers: readonly string[]
}

export interface NoDelegation {
  readonly type: 'none'
  /** A sentence without a full stop. */
  readonly why: string
  readonly fix: string
}

export interface DelegationQuestion {
  /** The process whose group is examined. */
  readonly pid: number
  /** The process that started all others of the service. */
  readonly firstPid: number
  /** The path of the proc file system. */
  readonly proc?: string
  readonly wanted?: readonly string[]
}

const none = (why: string, fix: string): NoDelegation => ({ type: 'none', why, fix })
const unify = 'boot the host with systemd.unified_cgroup_hierarchy=1'
const delegate = 'run it as a systemd unit with Delegate=yes, like runtime/deploy/troupe@.service'

/** Only reads. The result is valid for the user of this process. */
export function findDelegation({
  pid,
  firstPid,
  proc,
  wanted = Object.keys(divided),
}: DelegationQuestion): Delegation | NoDelegation {
  const own = groupOfProcess(pid, proc)
  if (!own) return none('there is no cgroup v2 here', unify)
  const has = (group: ControlGroup) => wanted.filter((name) => group.controllers.includes(name))
  if (has(own.top).length === 0) {
    return none(`cgroup v2 has none of the controllers ${wanted.join(', ')} here`, unify)
  }
  // A process that was restarted starts where its predecessor had moved.
  const isMoved = own.group.name === serviceGroup && own.group.path !== own.top.path
  const group = isMoved ? own.group.parent : own.group
  const controllers = has(group)
  if (controllers.length === 0 || !group.isOurs || !group.isDomain) {
    return none('this service may not divide its control group', delegate)
  }
  // All processes of a container move with the service: they have no other group.
  const isPart = !isMoved && !group.isHostRoot && group.path !== own.top.path
  if (isPart && !group.pids.every((other) => descendsFrom(other, firstPid))) {
    return none('the control group of this service has other programs in it', delegate)
  }
  return { type: 'delegated', group, service: group.inner(serviceGroup), controllers }
}

/** How the limits of a browser are enforced here, for the log and `troupe doctor`. */
export function describeDelegation(found: Delegation | NoDelegation): string {
  const look = `checked every ${limits.boundsLookMs / 1_000} s`
  if (found.type === 'none') return `limits of browsers are only ${look}: ${found.why}`
  const parts = Object.entries(divided)
  const names = parts.flatMap(([name, part]) => (found.controllers.includes(name) ? [part] : []))
  return `limits of browsers are enforced by the kernel (${names.join(', ')}) and ${look}`
}

function descendsFrom(pid: number, ancestor: number): boolean {
  let at = pid
  while (at > 0 && at !== ancestor) at = Number(readProcStat(at)?.[4] ?? 0)
  return at === ancestor
}
