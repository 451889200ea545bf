/**
 * A process in which actors live: it takes actors on request, takes over those of dead hosts,
 * passivates idle ones, and hands all of them over when it drains. (Protocol: README.md,
 * ownership.)
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { decode, encode } from '../../../proto/codec.ts'
import type { ActorLoad } from '../../../proto/host-counts.ts'
import type { CommandEnvelope, PlaceReply, PlaceRequest } from '../../../proto/envelope.ts'
import { isNotFound, ServiceError, toWireError } from '../../../proto/errors.ts'
import { buckets, ownerKey, placeQueue, subjects } from '../../../proto/subjects.ts'
import type { AnyActorKind } from '../actor-kind.ts'
import type { Bus, BusService } from '../../store/bus.ts'
import { Cell, noSuchActor, type CellOptions } from '../cell/cell.ts'
import { firstStepOf } from '../cell/machine.ts'
import { Speculation } from '../cell/speculation.ts'
import { ActorMoved } from '../cell/mailbox.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Lease } from '../../cluster/lease.ts'
import { FencedError, readLastEntry, type LogWriter } from '../log.ts'
import { ampleRoom, type LogRoom } from '../log-room.ts'
import type { Membership } from '../../cluster/membership.ts'
import { FailingActors } from './failing.ts'
import { findOrphans } from './orphans.ts'
import {
  firstEpoch,
  OwnershipStore,
  readOwnerRecord,
  type OwnerRecord,
  type Ownership,
} from '../ownership/ownership.ts'
import {
  StoreConflict,
  storageFull,
  StoreFull,
  StoreUnavailable,
  type Store,
} from '../../store/store.ts'
import { activeTracer } from '../../tracing/tracer.ts'
import { Sweep } from './sweep.ts'
import { ViewPublisher } from '../views.ts'
import { WatchedMap } from '../../store/watched-map.ts'
import { actorLimits } from '../limits.ts'

export interface ActorHostOptions {
  readonly kinds: readonly AnyActorKind[]
  readonly store: Store
  readonly bus: Bus
  readonly clock: Clock
  readonly lease: Lease
  readonly membership: Membership
  readonly log: Logger
  readonly random?: () => number
  /** Absent for a store without a limit. */
  readonly logRoom?: LogRoom
}

interface Resident {
  readonly cell: Cell
  readonly mailbox: BusService
}

export class ActorHost {
  readonly #options: ActorHostOptions
  readonly #kinds: ReadonlyMap<string, AnyActorKind>
  readonly #ownerships: OwnershipStore
  readonly #writer: LogWriter
  readonly #residents = new Map<string, Resident>()
  readonly #arriving = new Map<string, Promise<Cell | undefined>>()
  /** Keys of orphans whose log was empty at the last sweep. */
  readonly #withoutHistory = new LRUCache<string, true>({ max: actorLimits.orphansRemembered })
  readonly #services: BusService[] = []
  readonly #sweep: Sweep
  readonly #failing: FailingActors
  #owners: WatchedMap<OwnerRecord> | undefined
  #takeovers = 0
  #closed = false

  constructor(options: ActorHostOptions) {
    const { store, lease, membership, clock, random = Math.random } = options
    const { logRoom: room = ampleRoom } = options
    this.#options = options
    this.#kinds = new Map(options.kinds.map((kind) => [kind.protocol.kind, kind]))
    const owners = store.bucket(buckets.owners)
    const isDead = (incarnation: string) => membership.isDead(incarnation)
    this.#ownerships = new OwnershipStore(owners, lease.incarnation, isDead)
    this.#writer = { log: store.log, clock, random, mayWrite: () => lease.mayAct(), room }
    const everyMs = actorLimits.ownershipSweepMs
    const { log } = options
    this.#failing = new FailingActors(clock, random)
    this.#sweep = new Sweep({ round: () => this.#sweepActors(), everyMs, clock, log })
  }

  async start(): Promise<void> {
    const { bus, lease, membership, store, clock, log } = this.#options
    const owners = store.bucket(buckets.owners)
    this.#owners = await WatchedMap.open(owners, readOwnerRecord, clock, log)
    this.#owners.onChange((_key, owner) => {
      if (owner?.state === 'free') this.#sweep.soon()
    })
    membership.onDead(() => this.#sweep.soon())
    membership.onSilence(() => this.#sweep.soon())
    const place = (payload: Uint8Array) => this.#place(decode<PlaceRequest>(payload))
    this.#services.push(bus.serve(subjects.adopt(lease.incarnation), place))
    for (const kind of this.#kinds.keys()) {
      this.#services.push(bus.serve(subjects.place(kind), place, { queue: placeQueue }))
    }
    this.#sweep.soon()
  }

  load(): ActorLoad {
    const { count: failed, some: failures } = this.#failing.report()
    return { residents: this.#residents.size, takeovers: this.#takeovers, failed, failures }
  }

  /** Releases every actor for other hosts; afterwards none lives here. */
  async drain(): Promise<void> {
    this.#close()
    await Promise.allSettled(this.#arriving.values())
    await Promise.all([...this.#residents.values()].map((resident) => this.#releaseActor(resident)))
    this.#owners?.stop()
  }

  /** Stops at once and writes nothing more, because the lease has ended. */
  fence(): void {
    this.#close()
    for (const { cell, mailbox } of this.#residents.values()) {
      mailbox.stop()
      void cell.stop()
    }
    this.#residents.clear()
    this.#owners?.stop()
  }

  #close(): void {
    this.#closed = true
    this.#sweep.stop()
    for (const service of this.#services) service.stop()
  }

  #place(request: PlaceRequest): Promise<Uint8Array> {
    return traced(request.kind, request.id, request.envelope, () => this.#answer(request))
  }

  async #answer({ kind, id, create, envelope }: PlaceRequest): Promise<Uint8Array> {
    let reply: PlaceReply
    try {
      const cell = await this.#activate(kind, id, create)
      reply = cell ? await cell.handle(envelope) : { elsewhere: true }
    } catch (error) {
      if (isElsewhere(error)) return encode({ elsewhere: true } satisfies PlaceReply)
      reply = { ok: false, error: toWireError(toRefusal(error, kind)) }
      if (reply.error.type === 'internal') {
        this.#options.log.error({ err: error, kind, id }, 'activation failed')
      }
    }
    return encode(reply)
  }

  /** The live cell, activated if necessary; undefined if another live host owns the actor. */
  #activate(kind: string, id: string, create?: { input: unknown }): Promise<Cell | undefined> {
    const key = ownerKey(kind, id)
    const resident = this.#residents.get(key)
    if (resident) return Promise.resolve(resident.cell)
    const arriving = this.#arriving.get(key)
    if (arriving && !create) return arriving
    // An activation that failed for lack of a history may succeed with the input of a creation.
    if (arriving) return arriving.catch(() => this.#activate(kind, id, create))
    const taking = create ? this.#take(kind, id, create) : this.#load(kind, id, key)
    const cell = taking.finally(() => this.#arriving.delete(key))
    this.#arriving.set(key, cell)
    return cell
  }

  /** Takes an actor that exists already, unless that has just failed. */
  async #load(kind: string, id: string, key: string): Promise<Cell | undefined> {
    this.#failing.throwIfEarly(key)
    try {
      const cell = await this.#take(kind, id)
      this.#failing.loaded(key)
      return cell
    } catch (error) {
      if (isFault(error) && this.#failing.failed(key, error)) {
        this.#options.log.error({ err: error, kind, id }, 'given up: it cannot be loaded')
      }
      throw error
    }
  }

  async #take(kindName: string, id: string, create?: { input: unknown }) {
    const kind = this.#kinds.get(kindName)
    if (!kind) throw new ServiceError('not_found', `There is no kind of actor named ${kindName}.`)
    if (this.#closed || !(await this.#options.lease.mayAct())) {
      throw new ActorMoved()
    }
    const created = create && (await this.#create(kind, id, create.input))
    if (created) return this.#settle(created)
    const last = await readLastEntry(this.#writer.log, kindName, id)
    if (!create && !last) throw noSuchActor(kindName)
    const claiming = this.#ownerships.claim(kindName, id, last?.entry.epoch ?? 0)
    const claim = await this.#unlessTaken(claiming)
    if (claim?.type !== 'claimed') return undefined
    if (claim.isTakeover) this.#takeovers++
    const options = this.#cellOptions(kind, claim.ownership)
    return this.#settle(
      last ? await Cell.recover(options, last) : await Cell.create(options, create?.input),
    )
  }

  /** Undefined if there is an owner record of it already. */
  async #create(kind: AnyActorKind, id: string, input: unknown): Promise<Cell | undefined> {
    const firstStep = firstStepOf(kind, input)
    const { isTight } = this.#writer.room
    const owner = { id, epoch: firstEpoch }
    const speculation = isTight ? undefined : new Speculation(kind, owner, firstStep)
    let cell: Cell | undefined
    try {
      const claim = await this.#unlessTaken(this.#ownerships.claimNew(kind.protocol.kind, id))
      if (claim) cell = await Cell.begin(this.#cellOptions(kind, claim), firstStep, speculation)
      return cell
    } finally {
      if (!cell) speculation?.cancel()
    }
  }

  /** Losing the race for an actor is not an error: the winner owns it. */
  async #unlessTaken<T>(claim: Promise<T>): Promise<T | undefined> {
    try {
      return await claim
    } catch (error) {
      if (error instanceof StoreConflict) return undefined
      throw error
    }
  }

  #cellOptions(kind: AnyActorKind, ownership: Ownership): CellOptions {
    const { store, clock, log, lease } = this.#options
    const views = store.bucket(buckets.views)
    const { random } = this.#writer
    return {
      kind,
      ownership,
      incarnation: lease.incarnation,
      writer: this.#writer,
      clock,
      views: new ViewPublisher({ views, kind: kind.protocol.kind, clock, random, log }),
      log,
      onFenced: (cell, reason) => this.#fenced(cell, reason),
    }
  }

  #settle(cell: Cell): Cell {
    const { kind, id } = cell.ownership
    const mailbox = this.#options.bus.serve(subjects.mailbox(kind, id), (payload) => {
      const envelope = decode<CommandEnvelope>(payload)
      return traced(kind, id, envelope, async () => encode(await cell.handle(envelope)))
    })
    this.#residents.set(ownerKey(kind, id), { cell, mailbox })
    this.#tellHostStates(cell)
    return cell
  }

  #fenced(cell: Cell, reason: string): void {
    const { kind, id } = cell.ownership
    const key = ownerKey(kind, id)
    this.#options.log.warn({ kind, id, reason }, 'cell fenced')
    const resident = this.#residents.get(key)
    if (resident?.cell !== cell) return
    resident.mailbox.stop()
    this.#residents.delete(key)
  }

  /** Stops a cell and marks the actor in `owners` as `free`, to be taken, or as `resting`. */
  async #releaseActor({ cell, mailbox }: Resident): Promise<void> {
    const { kind, id } = cell.ownership
    const key = ownerKey(kind, id)
    mailbox.stop()
    await cell.stop()
    if (this.#residents.get(key)?.cell !== cell) return
    this.#residents.delete(key)
    try {
      await this.#ownerships.release(cell.ownership, cell.mustStayLive ? 'free' : 'resting')
    } catch (error) {
      // The record still names this incarnation; its death will free the actor.
      this.#options.log.warn({ err: error, kind, id }, 'ownership not released')
    }
  }

  /**
   * Level-triggered: a missed event does not matter, because each sweep compares the whole state.
   */
  async #sweepActors(): Promise<void> {
    for (const { cell } of this.#residents.values()) this.#tellHostStates(cell)
    const { membership, lease, log } = this.#options
    const isHere = (key: string) => this.#residents.has(key) || this.#arriving.has(key)
    const { incarnation } = lease
    const owners = this.#owners?.entries() ?? []
    const orphans = await findOrphans(owners, isHere, { membership, incarnation, log })
    const free = new Set(orphans)
    const isOurs = (key: string) => free.has(key) || this.#owners?.get(key)?.state === 'resting'
    this.#failing.keepOnly(isOurs)
    const due = orphans.filter((key) => this.#failing.mayTry(key))
    for (let i = 0; i < due.length && !this.#closed; i += actorLimits.adoptionsAtOnce) {
      const batch = due.slice(i, i + actorLimits.adoptionsAtOnce)
      await Promise.all(batch.map((key) => this.#adopt(key)))
    }
    // Last, because our copy of `owners` would still show the actors released here as ours.
    await this.#passivate()
  }

  #tellHostStates(cell: Cell): void {
    const { knownSilent } = cell
    for (const incarnation of cell.dependencies) {
      const state = this.#options.membership.get(incarnation)?.state
      if (state === 'dead') cell.deliver({ type: 'host.dead', incarnation })
      if (!knownSilent || state === undefined || state === 'dead') continue
      const isSilent = state === 'silent'
      if (isSilent === knownSilent.includes(incarnation)) continue
      cell.deliver({ type: isSilent ? 'host.silent' : 'host.back', incarnation })
    }
  }

  async #passivate(): Promise<void> {
    for (const resident of [...this.#residents.values()]) {
      const { cell } = resident
      if (cell.mustStayLive || cell.idleMs() <= actorLimits.passivateAfterMs) continue
      await cell.trimEnded()
      await this.#releaseActor(resident)
    }
  }

  async #adopt(key: string): Promise<void> {
    const [kind, id] = key.split('.') as [string, string]
    try {
      await this.#activate(kind, id)
      this.#withoutHistory.delete(key)
    } catch (error) {
      if (isNotFound(error)) return this.#restUnlessFound(key, kind, id)
      this.#withoutHistory.delete(key)
      this.#options.log.warn({ err: error, kind, id }, 'orphan not taken')
    }
  }

  /**
   * A resting actor has no running deadlines, so one read without a history is not enough: the next
   * sweep must find none either.
   */
  async #restUnlessFound(key: string, kind: string, id: string): Promise<void> {
    if (!this.#withoutHistory.delete(key)) {
      this.#withoutHistory.set(key, true)
      return
    }
    try {
      await this.#ownerships.rest(kind, id)
    } catch (error) {
      this.#options.log.warn(
        { err: error, kind, id },
        'orphan without history not marked as resting',
      )
    }
  }
}

/** Continues the caller's trace, if there is one. */
function traced<T>(
  kind: string,
  id: string,
  { trace, command }: CommandEnvelope,
  work: () => Promise<T>,
): Promise<T> {
  const tracer = trace === undefined ? undefined : activeTracer()
  if (!tracer) return work()
  const attributes = { 'troupe.actor.id': id }
  return tracer.run(`${kind}.${command.type}`, { kind: 'server', parent: trace, attributes }, work)
}

/** Failures of an activation after which another try, on any host, may succeed. */
function isElsewhere(error: unknown): boolean {
  if (error instanceof StoreFull) return false
  const causes = [ActorMoved, FencedError, StoreConflict, StoreUnavailable]
  return causes.some((cause) => error instanceof cause)
}

/** A bug of a machine, or an entry that cannot be read: another try is unlikely to help. */
function isFault(error: unknown): boolean {
  return !(error instanceof ServiceError || error instanceof StoreFull || isElsewhere(error))
}

function toRefusal(error: unknown, kind: string): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof StoreFull) return storageFull(error)
  const message = `This ${kind} cannot be loaded; \`troupe doctor\` tells the operator why.`
  return new ServiceError('internal', message, {}, error)
}
