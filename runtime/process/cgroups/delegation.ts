/**
 * Whether the kernel lets this service divide its own control group among browsers: the group has to
 * be ours to change, to have controllers, and to hold no processes but ours, because they have to
 * move. systemd gives a unit such a group for `Delegate=yes`; a container has one if it may write it.
 */
import { limits } from '../../../proto/limits.ts'
import { readProcStat } from '../proc-stat.ts'
import { groupOfProcess, type ControlGroup } from './control-group.ts'

/** What each controller divides; if the kernel lacks one, the others are used without it. */
const divided = { memory: 'memory', cpu: 'processor time', pids: 'processes' } as const

/** The group inside ours that the service's own processes move to. */
const serviceGroup = 'troupe-service'

export interface Delegation {
  readonly type: 'delegated'
  /** May have inner groups, once its own processes are in `service`. */
  readonly group: ControlGroup
  readonly service: ControlGroup
  readonly controllers: readonly string[]
}

export interface NoDelegation {
  readonly type: 'none'
  /** A sentence without a full stop. */
  readonly why: string
  readonly mend: string
}

export interface DelegationQuestion {
  /** The process whose group is looked at. */
  readonly pid: number
  /** The process that started all others of the service. */
  readonly firstPid: number
  /** Where the kernel tells of processes. */
  readonly proc?: string
  readonly wanted?: readonly string[]
}

const none = (why: string, mend: string): NoDelegation => ({ type: 'none', why, mend })
const unify = 'boot the host with systemd.unified_cgroup_hierarchy=1'
const delegate = 'run it as a systemd unit with Delegate=yes, like runtime/deploy/troupe@.service'

/** Only reads. The answer is for the user that asks. */
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

/** What keeps a browser within its bounds here, for the log and `troupe doctor`. */
export function describeDelegation(found: Delegation | NoDelegation): string {
  const look = `a look every ${limits.boundsLookMs / 1_000} s`
  if (found.type === 'none') return `browsers are bounded by ${look} alone: ${found.why}`
  const parts = Object.entries(divided)
  const names = parts.flatMap(([name, part]) => (found.controllers.includes(name) ? [part] : []))
  return `browsers are bounded by the kernel (${names.join(', ')}) and by ${look}`
}

function descendsFrom(pid: number, ancestor: number): boolean {
  let at = pid
  while (at > 0 && at !== ancestor) at = Number(readProcStat(at)?.[4] ?? 0)
  return at === ancestor
}
