/**
 * A machine of the simulated world: one actor host after another runs on it, each a new
 * incarnation, started by a supervisor that restarts it and certifies its death. It wires what
 * main.ts and role.ts wire on a real machine.
 */
import type { ActorLoad } from '../../../proto/host-counts.ts'
import type { Incarnation } from '../../../proto/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { ActorHost } from '../../../runtime/actor/host/host.ts'
import { Lease, leaseTimes } from '../../../runtime/cluster/lease.ts'
import { certifyDeath, Membership } from '../../../runtime/cluster/membership.ts'
import { SimBus } from './bus.ts'
import { SimProcess } from './clock.ts'
import { SimLink, type Service } from './link.ts'
import { SimStore } from './store.ts'
import type { Surroundings } from './surroundings.ts'

export const times = leaseTimes(false)

/** A broker notices a closed socket at once, and a silent one after two pings. */
const silenceNoticedMs = 5_000
const reconnectMs = 300
const certifyAttempts = 10
const certifyRetryMs = 500

/** One incarnation of an actor host. */
export class SimActorHost {
  readonly incarnation: Incarnation
  readonly process: SimProcess
  readonly link: SimLink
  readonly #world: Surroundings
  readonly #onExit: (reason: string) => void
  #lease: Lease | undefined
  #host: ActorHost | undefined

  constructor(
    world: Surroundings,
    incarnation: Incarnation,
    skewMs: number,
    onExit: (why: string) => void,
  ) {
    this.#world = world
    this.#onExit = onExit
    this.incarnation = incarnation
    this.process = new SimProcess(world.timeline, incarnation, skewMs)
    this.link = world.link(this.process)
  }

  get holdsLease(): boolean {
    return this.process.state !== 'dead' && this.#lease?.isCertain === true
  }

  get isReady(): boolean {
    return this.process.state === 'running' && this.#host !== undefined
  }

  async start(): Promise<void> {
    try {
      await this.#start()
    } catch (error) {
      this.exit(`did not start: ${(error as Error).message}`)
    }
  }

  /** Releases everything and exits. */
  async drain(): Promise<void> {
    try {
      await this.#lease?.drain()
      await this.#host?.drain()
      await this.#lease?.release()
    } catch (error) {
      // As in role.ts: what was not released in order is freed by this incarnation's death.
      this.#world.trace(`${this.process.name} drains badly: ${(error as Error).message}`)
    }
    this.exit('drained')
  }

  exit(reason: string, noticedAfterMs = 0): void {
    if (this.process.state === 'dead') return
    this.#world.trace(`${this.process.name} ends: ${reason}`)
    this.link.fallSilent(noticedAfterMs)
    this.process.kill()
    this.#onExit(reason)
  }

  get load(): ActorLoad | undefined {
    return this.#host?.load()
  }

  async #start(): Promise<void> {
    const world = this.#world
    const { clock } = this.process
    const { incarnation } = this
    const log = world.logger(this.process)
    const store = new SimStore(world.server, this.link, times.tryMs)
    const hosts = store.bucket(buckets.hosts)
    const [nodeId] = incarnation.split('.') as [string]
    const fence = (reason: string) => {
      this.#host?.fence()
      this.exit(reason)
    }
    const lease = await Lease.acquire({
      hosts,
      clock,
      times,
      describe: () => ({
        ...{ incarnation, nodeId, role: 'actors', machine: nodeId, version: 'sim' },
        mixesHashes: true,
      }),
      onLapsed: () => fence('the lease lapsed'),
      onDead: (by) => fence(`declared dead by ${by}`),
    })
    this.#lease = lease
    const { safetyMs } = times
    const failureDetector = {
      ...{ by: incarnation, safetyMs, graceMs: 0 },
      mayDeclareDead: () => lease.isValid(),
    }
    const membership = await Membership.open({ hosts, clock, log, failureDetector })
    membership.onDead((record) => world.heardOfDeath(incarnation, record))
    const bus = new SimBus(world.table, this.link)
    const directory = new Directory(bus, clock, membership)
    const host = new ActorHost({
      kinds: world.kindsFor({ process: this.process, clock, directory, store }),
      store,
      bus,
      clock,
      lease,
      membership,
      log,
      random: world.random.next,
    })
    await host.start()
    this.#host = host
    world.trace(`${this.process.name} is ready`)
  }
}

export interface Death {
  /** Without a certificate the others wait for the lease to expire. */
  readonly certified: boolean
  /**
   * The machine failed, not only the process: its sockets are not closed, its supervisor reports
   * nothing.
   */
  readonly machine: boolean
  readonly restartAfterMs: number
}

/** A machine and its supervisor. */
export class SimHost {
  readonly nodeId: string
  readonly #world: Surroundings
  #skewMs: number
  readonly #supervisor: SimProcess
  #lives = 0
  #life: SimActorHost | undefined
  /** The circumstances of the next death; a fault sets them before it kills. */
  #death: Death = { certified: true, machine: false, restartAfterMs: 200 }

  constructor(world: Surroundings, nodeId: string, skewMs: number) {
    this.#world = world
    this.nodeId = nodeId
    this.#skewMs = skewMs
    this.#supervisor = new SimProcess(world.timeline, `${nodeId}.supervisor`)
  }

  get life(): SimActorHost | undefined {
    return this.#life
  }

  boot(): void {
    if (this.#life !== undefined) return
    const { timeline } = this.#world
    const incarnation: Incarnation = `${this.nodeId}.actors.life${++this.#lives}`
    const life = new SimActorHost(this.#world, incarnation, this.#skewMs, () => this.#ended(life))
    this.#life = life
    timeline.after(0, () => void life.start())
  }

  kill(death: Death): void {
    this.#death = death
    this.#life?.exit('killed', death.machine ? silenceNoticedMs : 0)
  }

  drain(restartAfterMs: number): void {
    this.#death = { certified: false, machine: false, restartAfterMs }
    const life = this.#life
    if (life?.isReady) life.process.enter(() => void life.drain())
  }

  freeze(): void {
    this.#stop('freezes', (process) => process.freeze())
  }

  /** The whole machine stands still, also its monotonic clock; `thaw` resumes it. */
  suspend(): void {
    this.#stop('is suspended', (process) => process.suspend())
  }

  /** Sets the wall clock of its machine. */
  setClock(skewMs: number): void {
    this.#world.trace(`the clock of ${this.nodeId} is off by ${Math.round(skewMs)} ms now`)
    this.#skewMs = skewMs
    this.#life?.process.setClock(skewMs)
  }

  thaw(newestFirst = false): void {
    const { process, link } = this.#life ?? {}
    if (process?.state !== 'frozen') return
    this.#world.trace(`${process.name} thaws`)
    process.thaw(newestFirst)
    if (link) this.#reconnect(link)
  }

  cut(services: readonly Service[]): void {
    const link = this.#life?.link
    this.#world.trace(`${this.nodeId} is cut off from ${services.join(' and ')}`)
    for (const service of services) link?.cut(service)
    if (services.includes('bus')) link?.fallSilent(silenceNoticedMs)
  }

  mend(): void {
    const link = this.#life?.link
    if (link === undefined || !(link.isCut('store') || link.isCut('bus'))) return
    this.#world.trace(`${this.nodeId} is reached again`)
    this.#reconnect(link)
  }

  #stop(what: string, stop: (process: SimProcess) => void): void {
    const { process, link } = this.#life ?? {}
    if (process?.state !== 'running') return
    this.#world.trace(`${process.name} ${what}`)
    stop(process)
    link?.fallSilent(silenceNoticedMs)
  }

  #reconnect(link: SimLink): void {
    this.#world.timeline.after(reconnectMs, () => {
      if (link.process.state === 'running') link.mend()
    })
  }

  #ended(life: SimActorHost): void {
    const { certified, machine, restartAfterMs } = this.#death
    this.#death = { certified: true, machine: false, restartAfterMs: 200 }
    this.#life = undefined
    if (certified && !machine) void this.#certify(life.incarnation)
    this.#world.timeline.after(restartAfterMs, () => this.boot())
  }

  async #certify(incarnation: Incarnation): Promise<void> {
    const store = new SimStore(this.#world.server, this.#world.link(this.#supervisor), times.tryMs)
    const hosts = store.bucket(buckets.hosts)
    for (let attempt = 1; attempt <= certifyAttempts; attempt++) {
      try {
        return await certifyDeath(hosts, incarnation, `${this.nodeId}.supervisor`)
      } catch (error) {
        this.#world.trace(`${incarnation} not certified: ${(error as Error).message}`)
        await sleep(this.#supervisor.clock, certifyRetryMs)
      }
    }
  }
}
