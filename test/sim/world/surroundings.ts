/** What the machines and the caller of a simulated world know of it. */
import type { Clock } from '../../../runtime/lib/clock.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { SimProcess, type Timeline } from './clock.ts'
import { SimStore, type StoreServer } from './store.ts'
import type { Random } from './random.ts'
import type { SubjectTable } from './bus.ts'
import type { AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import type { SimLink } from './link.ts'
import type { Logger } from 'pino'
import type { Incarnation } from '../../../proto/ids.ts'
import type { HostRecord } from '../../../proto/host.ts'

/** The dependencies of the kinds of a simulated host. */
export interface HostedKinds {
  readonly process: SimProcess
  readonly clock: Clock
  readonly directory: Directory
  readonly store: SimStore
}

export interface Surroundings {
  readonly random: Random
  readonly timeline: Timeline
  readonly table: SubjectTable
  readonly server: StoreServer
  readonly kindsFor: (host: HostedKinds) => readonly AnyActorKind[]
  trace(line: string): void
  finding(what: string): void
  link(process: SimProcess): SimLink
  logger(process: SimProcess): Logger
  heardOfDeath(observer: Incarnation, record: HostRecord): void
}
