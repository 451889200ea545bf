/**
 * A whole service in one process and on one timeline: a broker, machines that run the real actor
 * runtime, and a caller. What must hold at every moment is checked while it runs; what must hold in
 * the end is in invariants.ts.
 */
import { pino, type Logger } from 'pino'
import { decode } from '../../../proto/codec.ts'
import type { HostRecord } from '../../../proto/host.ts'
import type { Incarnation } from '../../../proto/ids.ts'
import { buckets, subjects } from '../../../proto/subjects.ts'
import { MemoryStore } from '../../helpers/runtime/memory-store.ts'
import type { AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import { counterKind } from '../../helpers/runtime/counter-kind.ts'
import { Caller } from './caller.ts'
import { EffectLedger } from './effect-ledger.ts'
import { Random } from './random.ts'
import { SubjectTable } from './bus.ts'
import { SimProcess, Timeline } from './clock.ts'
import { SimHost } from './host.ts'
import { calm, SimLink, type LinkFaults } from './link.ts'
import type { StoreServer } from './store.ts'
import type { HostedKinds } from './surroundings.ts'

const silent = pino({ level: 'silent' })

export interface WorldOptions {
  /** How far the wall clock of each machine is off; there are as many machines as numbers. */
  readonly skewsMs: readonly number[]
  /** Gets every event of the run, one line each. */
  readonly tell?: (line: string) => void
  /** The kinds that each started host gets; counters by default. */
  readonly kinds?: (host: HostedKinds) => readonly AnyActorKind[]
  /** Called when a log entry has just landed. */
  readonly onAppend?: (by: SimProcess, subject: string) => void
}

export class World {
  readonly random: Random
  readonly timeline = new Timeline()
  readonly memory = new MemoryStore()
  readonly table = new SubjectTable()
  readonly server: StoreServer
  readonly effects: EffectLedger
  readonly hosts: readonly SimHost[]
  readonly caller: Caller
  /** Violations so far, one sentence each. */
  readonly findings: string[] = []
  /** The number of log entries that have landed. */
  appends = 0
  /** The number of changes of ownership that have landed. */
  claims = 0
  readonly kindsFor: (host: HostedKinds) => readonly AnyActorKind[]
  readonly #tell: ((line: string) => void) | undefined
  readonly #links: SimLink[] = []
  readonly #viewNumbers = new Map<string, number>()
  #faults: LinkFaults = calm

  private constructor(seed: number, { skewsMs, tell, kinds, onAppend }: WorldOptions) {
    this.random = new Random(seed)
    this.#tell = tell
    this.kindsFor = kinds ?? (({ process }) => this.#counters(process))
    this.effects = new EffectLedger((line) => this.trace(line))
    this.server = {
      memory: this.memory,
      isDown: false,
      appended: (by, subject) => {
        this.#checkOneOwner(by, subject)
        onAppend?.(by, subject)
      },
    }
    this.hosts = skewsMs.map((skewMs, i) => new SimHost(this, `h${i + 1}`, skewMs))
    this.caller = new Caller(this)
  }

  /** A world whose machines are up and whose caller is ready. */
  static async begin(seed: number, options: WorldOptions): Promise<World> {
    const world = new World(seed, options)
    await world.memory.bucket(buckets.hosts).watch((change) => {
      if (change.type === 'put') world.#checkDeath(decode(change.value))
    })
    await world.memory.bucket(buckets.views).watch((change) => {
      if (change.type === 'put') world.#checkView(change.key, decode(change.value))
    })
    await world.memory.bucket(buckets.owners).watch(() => void world.claims++)
    for (const host of world.hosts) host.boot()
    await world.timeline.until(world.caller.start(), 10_000)
    await world.timeline.untilTrue(
      () => world.hosts.every(({ life }) => life?.isReady),
      10_000,
      'every host is ready',
    )
    return world
  }

  trace(line: string): void {
    this.#tell?.(`${(this.timeline.nowMs / 1_000).toFixed(3).padStart(9)} ${line}`)
  }

  finding(what: string): void {
    this.trace(`!! ${what}`)
    this.findings.push(`at ${(this.timeline.nowMs / 1_000).toFixed(3)} s: ${what}`)
  }

  link(process: SimProcess): SimLink {
    const link = new SimLink(process, this.random, this.#faults)
    this.#links.push(link)
    return link
  }

  /** Sets the faults of every connection, also of later ones. */
  setFaults(faults: LinkFaults): void {
    this.#faults = faults
    for (const link of this.#links) link.faults = faults
  }

  setStoreDown(isDown: boolean): void {
    this.trace(`the store is ${isDown ? 'down' : 'up'}`)
    this.server.isDown = isDown
  }

  logger(process: SimProcess): Logger {
    if (this.#tell === undefined) return silent
    const write = (line: string) => {
      const { level, time: _time, pid: _pid, hostname: _host, msg, err, ...rest } = JSON.parse(line)
      const fields = JSON.stringify({ ...rest, ...(err && { err: err.message }) })
      this.trace(`${process.name} ${level >= 40 ? 'warns' : 'says'}: ${msg} ${fields}`)
    }
    return pino({ level: 'info' }, { write })
  }

  /** Repairs everything that is broken and prevents further faults. */
  heal(): void {
    this.trace('the world is healed')
    this.setFaults(calm)
    this.effects.faults = { ...this.effects.faults, fails: 0, refused: 0 }
    this.setStoreDown(false)
    for (const host of this.hosts) {
      host.thaw()
      host.mend()
      host.boot()
    }
  }

  /** The machine whose actor host serves the actor's mailbox under a valid lease. */
  ownerOf(id: string): SimHost | undefined {
    const serving = this.table.servers(subjects.mailbox('counter', id))
    return this.hosts.find(({ life }) => life?.holdsLease && serving.includes(life.process))
  }

  host(nodeId: string): SimHost {
    return this.hosts.find((host) => host.nodeId === nodeId)!
  }

  /** A process must not believe in a death that the store does not record. */
  heardOfDeath(observer: Incarnation, record: HostRecord): void {
    void this.memory
      .bucket(buckets.hosts)
      .get(record.incarnation)
      .then((entry) => {
        if (entry === undefined || decode<HostRecord>(entry.value).state === 'dead') return
        this.finding(`${observer} believes ${record.incarnation} dead, which is alive`)
      })
  }

  #counters(process: SimProcess): readonly AnyActorKind[] {
    return [counterKind(this.effects.performedBy(process, this.random))]
  }

  /** When an entry lands, only its writer may serve the actor under a valid lease. */
  #checkOneOwner(by: SimProcess, subject: string): void {
    const [kind, id] = subject.split('.').slice(-2) as [string, string]
    this.appends++
    this.trace(`${by.name} has written to ${id}`)
    const serving = this.table.servers(subjects.mailbox(kind, id))
    for (const { life } of this.hosts) {
      if (!life?.holdsLease || life.process === by || !serving.includes(life.process)) continue
      this.finding(`${by.name} wrote to ${id} while ${life.incarnation} had it under a valid lease`)
    }
  }

  /** A host that is declared dead must have stopped before. */
  #checkDeath({ state, incarnation, by }: HostRecord): void {
    if (state !== 'dead') return
    this.trace(`${incarnation} is dead, says ${by}`)
    if (by === incarnation) return
    const condemned = this.hosts.find(({ life }) => life?.incarnation === incarnation)
    if (condemned?.life?.holdsLease) {
      this.finding(`${by} declared ${incarnation} dead, whose lease was valid`)
    }
  }

  #checkView(key: string, { n }: ViewRecord): void {
    const before = this.#viewNumbers.get(key) ?? 0
    if (n < before) this.finding(`view ${key} went back from entry ${before} to ${n}`)
    this.#viewNumbers.set(key, n)
  }
}
