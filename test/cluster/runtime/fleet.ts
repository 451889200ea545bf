/**
 * Several actor hosts as processes, callers that send commands all the time, and the check at the
 * end of every test: that the logs have no gap, repeat or loss.
 */
import type { StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Incarnation } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import { buckets, streams } from '../../../proto/subjects.ts'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import {
  connectNats,
  isClustered,
  type NatsConnection,
} from '../../../runtime/store/nats/connection.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import { streamPlans } from '../../../runtime/store/nats/stream-plan.ts'
import { streamConfig } from '../../../runtime/store/nats/streams.ts'
import { counterActor } from '../../helpers/runtime/counter-kind.ts'
import {
  checkCounter,
  checkHistory,
  readHistory,
  type Acknowledged,
} from '../../helpers/runtime/log-checker.ts'
import { run, silent, type Teardown } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'
import { storeLimits } from '../../../runtime/store/limits.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'

type Env = Readonly<Record<string, string>>

export interface Host {
  readonly incarnation: Incarnation
  signal(name: NodeJS.Signals): void
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** The process's exit code, once it has ended. */
  readonly exit: Promise<number | null>
  readonly running: boolean
}

export interface Fleet {
  readonly hosts: readonly [Host, Host, Host]
  readonly store: NatsStore
  readonly membership: Membership
  readonly load: Load
}

export interface FleetOptions {
  /** How callers and hosts reach NATS; a host's own settings override this. */
  readonly env: Env
  readonly leaseSeconds: number
  readonly hostEnv?: readonly Env[]
}

const counters = 20
const pauseBetweenCommandsMs = 20
const patience = { timeoutMs: 60_000 }

/** Three hosts with twenty counters, all of them incremented continuously. */
export async function startFleet(t: Teardown, options: FleetOptions): Promise<Fleet> {
  const config = loadConfig(options.env)
  const nc = await connectNats(config, 'callers', silent)
  t.teardown(() => nc.close())
  await keepWholeHistories(nc, config.STORE_MAX_MIB)
  const store = await openStore(nc, { timeoutMs: 1_000, storeMib: config.STORE_MAX_MIB })
  const start = (index: number) =>
    startHost(t, {
      ...options.env,
      ...options.hostEnv?.[index],
      NODE_ID: `h${index + 1}`,
      LEASE_SECONDS: `${options.leaseSeconds}`,
    })
  const hosts = await Promise.all([start(0), start(1), start(2)])
  const membership = await Membership.open({
    hosts: store.bucket(buckets.hosts),
    clock: systemClock,
    log: silent,
  })
  t.teardown(() => membership.stop())
  await until('three hosts', () => membership.available('actors').length === 3)
  const load = new Load(new Directory(new NatsBus(nc), systemClock, membership))
  t.teardown(() => load.stop())
  await load.start()
  return { hosts, store, membership, load }
}

/** The log keeps only a few entries of each actor; the checks here need all of them. */
async function keepWholeHistories(nc: NatsConnection, storeMib: number): Promise<void> {
  const plan = streamPlans(isClustered(nc), storeMib).find(({ name }) => name === streams.log)!
  const jsm = await nc.jetstreamManager({ checkAPI: false, timeout: limits.storeSetupTryMs })
  await until(
    'the stream',
    () =>
      jsm.streams.add({ ...streamConfig(plan), max_msgs_per_subject: -1 }).catch(() => undefined),
    storeLimits.storeReadyMs,
  )
}

export async function startHost(t: Teardown, env: Env): Promise<Host> {
  const program = fileURLToPath(new URL('host-process.js', import.meta.url))
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', 'ipc']
  const child = run(process.execPath, [program], { LOG_LEVEL: 'warn', ...env }, stdio)
  t.teardown(() => child.kill())
  let output = ''
  child.process.stderr!.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exit = child.exited.then(({ code }) => code)
  const ready = once(child.process, 'message').then(
    ([message]) => message as { incarnation: Incarnation },
  )
  const early = exit.then((code) => {
    throw new Error(`a host ended with ${code}:\n${output}`)
  })
  // The output matters only until the host is ready.
  early.catch(() => undefined)
  const { incarnation } = await Promise.race([ready, early])
  return {
    incarnation,
    exit,
    signal: (name) => void child.process.kill(name),
    kill: () => child.kill(),
    get running() {
      return child.process.exitCode === null && child.process.signalCode === null
    },
  }
}

/** One caller for each counter: it sends a command, awaits the answer and sends the next. */
class Load {
  readonly #directory: Directory
  readonly #acknowledged = new Map<string, Acknowledged[]>()
  readonly #callers: Promise<void>[] = []
  #stopped = false

  constructor(directory: Directory) {
    this.#directory = directory
  }

  get actors(): readonly string[] {
    return [...this.#acknowledged.keys()]
  }

  /** The answers this counter has given. */
  acknowledged(actor: string): readonly Acknowledged[] {
    return this.#acknowledged.get(actor) ?? []
  }

  async start(): Promise<void> {
    const ids = Array.from({ length: counters }, (_, index) => `cnt_${index}`)
    await Promise.all(
      ids.map(async (id) => {
        await this.#directory.create(counterActor, id, { id, tenant: 'default' })
        this.#acknowledged.set(id, [])
      }),
    )
    this.#callers.push(...ids.map((id) => this.#call(id)))
    await this.progress()
  }

  /** Resolves with the duration when every counter has answered once more. */
  async progress(): Promise<number> {
    const began = performance.now()
    const before = new Map(this.actors.map((id) => [id, this.acknowledged(id).length]))
    await until(
      'every counter goes on',
      () => this.actors.every((id) => this.acknowledged(id).length > before.get(id)! + 1),
      60_000,
    )
    return performance.now() - began
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#callers)
  }

  async #call(id: string): Promise<void> {
    for (let n = 1; !this.#stopped; n++) {
      const command = { type: 'add', id: `${id}-${n}` } as const
      const { index } = await this.#directory.ask(counterActor, id, command, patience)
      this.#acknowledged.get(id)!.push({ id: command.id, index })
      await pause(pauseBetweenCommandsMs)
    }
  }
}

/** Stops the load and lists what is wrong with the logs it made. */
export async function findings({ store, load }: Fleet): Promise<string[]> {
  await load.stop()
  const found: string[] = []
  for (const id of load.actors) {
    // A server that has just been killed may leave a read without an answer.
    const entries = await until('the log is read', () =>
      readHistory(store.log, 'counter', id).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) return undefined
        throw error
      }),
    )
    found.push(...checkHistory(entries), ...checkCounter(entries, load.acknowledged(id)))
  }
  return found
}

/** Resolves with the duration when every host has renewed its lease once more. */
export async function renewals({ hosts, store }: Fleet): Promise<number> {
  const bucket = store.bucket(buckets.hosts)
  const revision = async ({ incarnation }: Host) => (await bucket.get(incarnation))!.revision
  const revisions = () => Promise.all(hosts.map(revision))
  const began = performance.now()
  const before = await until('the store', () => revisions().catch(() => undefined))
  await until('every lease is renewed', async () => {
    const now = await revisions().catch(() => before)
    return now.every((one, index) => one > before[index]!)
  })
  return performance.now() - began
}

/** How long after `sinceMs` (wall clock) the last of the moved actors was live on another host. */
export async function movedWithinMs({ store, load }: Fleet, sinceMs: number): Promise<number> {
  const histories = await Promise.all(
    load.actors.map((id) => readHistory(store.log, 'counter', id)),
  )
  const moves = histories
    .flat()
    .filter(({ event, at }) => event.type === 'recovered' && at > sinceMs)
  return Math.max(...moves.map(({ at }) => at)) - sinceMs
}
