/**
 * `troupe up`: runs one host's whole service as children of one small process. It starts
 * nats-server (unless NATS_URL names another) and one process per role, restarts those that end,
 * and certifies the deaths it sees, so that sessions continue elsewhere within milliseconds. Its
 * children end with it, even after SIGKILL.
 */
import type { Logger } from 'pino'
import { roleOfIncarnation, type Incarnation, type Role } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import { buckets } from '../../../proto/subjects.ts'
import { raceAbort } from '../../lib/abort.ts'
import { openStore } from '../../store/nats/buckets.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Config } from '../../config/config.ts'
import { connectNats, isClustered, type NatsConnection } from '../../store/nats/connection.ts'
import { leaseTimes } from '../../cluster/lease.ts'
import { Guard, killGroup, spawnGuarded } from '../guard.ts'
import { processLimits } from '../limits.ts'
import { prepareNatsServer, type NatsServer } from '../../store/nats/server/server.ts'
import { ensureDevKey } from '../../accounts/keys/dev-key.ts'
import { ensureSealKey } from '../../accounts/seal/seal-keys.ts'
import { readSecretHosts } from '../../accounts/seal/shared-keys.ts'
import type { Store } from '../../store/store.ts'
import { Certifier } from './certifier.ts'
import { SupervisedChild, type ChildEnd, type ChildSpec } from './child.ts'
import { environmentOf } from './environment.ts'
import { lockDataDir, type DataDirLock } from './lock.ts'
import { roleArguments } from '../programs.ts'
import { Roster } from './roster.ts'

type Info = Readonly<Record<string, unknown>>

/** Events for the display. */
export type SupervisorEvent =
  | { readonly type: 'starting'; readonly child: string }
  | { readonly type: 'up'; readonly child: string; readonly info: Info }
  | ({ readonly type: 'ended'; readonly child: string } & ChildEnd)
  | { readonly type: 'stopping'; readonly child: string }
  /** NATS does not answer yet. */
  | { readonly type: 'waiting'; readonly child: string; readonly why: string }

export interface SupervisorOptions {
  readonly config: Config
  readonly log: Logger
  /** Takes the lines of the roles' logs, which are already JSON. */
  readonly writeLine: (line: string) => void
  readonly onEvent: (event: SupervisorEvent) => void
  /** Arguments of Node that start a role. */
  readonly program?: (role: Role) => readonly [string, ...string[]]
}

/**
 * The order of draining: first what clients connect to, then what it depends on, and the actors'
 * state last.
 */
const drainOrder: readonly Role[] = ['gateway', 'node-agent', 'actors']
const startOrder = drainOrder.toReversed()
const natsName = 'nats-server'

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #lock: DataDirLock
  readonly #roster: Roster
  readonly #guard: Guard
  readonly #roles = new Map<Role, SupervisedChild>()
  #nats: SupervisedChild | undefined
  #connection: NatsConnection | undefined
  #store: Store | undefined
  #certifier: Certifier | undefined
  #stopping: Promise<void> | undefined

  private constructor(options: SupervisorOptions) {
    this.#options = options
    this.#lock = lockDataDir(options.config.DATA_DIR)
    this.#roster = new Roster(options.config.DATA_DIR)
    this.#guard = new Guard()
  }

  /**
   * Resolves when everything is up. Rejects with the reason if the start fails, and then nothing is
   * left running.
   */
  static async start(options: SupervisorOptions, signal: AbortSignal): Promise<Supervisor> {
    const supervisor = new Supervisor(options)
    try {
      await raceAbort(supervisor.#start(), signal)
      return supervisor
    } catch (error) {
      await supervisor.stop()
      throw error
    }
  }

  /** The supervisor's own connection to the service's store. */
  get store(): Store {
    if (!this.#store) throw new Error('the supervisor has not started')
    return this.#store
  }

  /** Drains the roles one after another, then stops the store. Takes a limited time. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  /** Ends everything at once; work in progress is lost. */
  kill(): void {
    for (const child of [...this.#roles.values(), this.#nats]) child?.kill()
    this.#lock.release()
  }

  async #start(): Promise<void> {
    const { config, log } = this.#options
    this.#endInherited()
    const server = config.NATS_URL === '' ? await prepareNatsServer(config) : undefined
    // The service may have been stopped meanwhile; then nothing more is started. The same below.
    if (this.#stopping) return
    const access = server ? accessTo(server, server) : {}
    if (server) await this.#startNats(server)
    const connection = await connectNats({ ...config, ...access }, 'supervisor', log, {
      onWait: (why) => this.#emit({ type: 'waiting', child: natsName, why }),
    })
    if (this.#stopping) return connection.close()
    this.#connection = connection
    this.#emit({ type: 'up', child: natsName, info: { version: this.#connection.info?.version } })
    this.#store = await openStore(this.#connection, {
      timeoutMs: limits.storeSetupTryMs,
      log,
      storeMib: config.STORE_MAX_MIB,
    })
    await this.#ensureSealKey(this.#store)
    ensureDevKey(config)
    if (this.#stopping) return
    this.#certifier = new Certifier({
      hosts: this.#store.bucket(buckets.hosts),
      by: `supervisor.${config.NODE_ID}.${process.pid}`,
      clock: systemClock,
      log,
    })
    for (const { incarnation } of this.#roster.inherited) this.#certify(incarnation)
    for (const role of startOrder) {
      this.#startRole(role, server ? accessTo(server, userOf(server, role)) : access)
    }
    await Promise.all([...this.#roles.values()].map((child) => child.up))
  }

  /** If another host of the service has a key, none is created here: it must be copied. */
  async #ensureSealKey(store: Store): Promise<void> {
    const { config } = this.#options
    const others = (await readSecretHosts(store)).filter(({ nodeId }) => nodeId !== config.NODE_ID)
    if (others.every(({ sealKeys = [] }) => sealKeys.length === 0)) ensureSealKey(config)
  }

  /** A supervisor that is killed takes its children with it, unless the machine is too busy. */
  #endInherited(): void {
    for (const { group } of this.#roster.inherited) killGroup(group)
  }

  async #startNats(server: NatsServer): Promise<void> {
    const { log } = this.#options
    const nats = this.#child({
      name: natsName,
      start: () => this.#spawn(natsName, server.bin, server.args, ['ignore', 'pipe', 'pipe'], {}),
      onLine: (line) => {
        const { level, text } = readNatsLine(line)
        log[level]({ child: natsName }, text)
        if (text !== 'Server is ready') return
        nats.confirm()
        // The first time, it is told when the store can be used.
        if (this.#connection) this.#emit({ type: 'up', child: natsName, info: {} })
      },
    })
    this.#nats = nats
    nats.start()
    await nats.up
  }

  #startRole(role: Role, access: Access): void {
    const args = this.#options.program?.(role) ?? roleArguments(role)
    const env: Record<string, string> = { ...access }
    const child = this.#child({
      name: role,
      start: () =>
        this.#spawn(role, process.execPath, args, ['ignore', 'pipe', 'pipe', 'ipc'], env),
      onLine: this.#options.writeLine,
      onReady: ({ incarnation, info }, { group }) => {
        // A port that was chosen at random is reused, because clients know the address.
        if (typeof info['url'] === 'string') env['PORT'] = new URL(info['url']).port
        if (group) this.#roster.set(role, { incarnation, group })
        this.#emit({ type: 'up', child: role, info })
      },
      onDeath: (incarnation) => this.#certify(incarnation),
      hungAfterMs: this.#hungAfterMs(role),
    })
    this.#roles.set(role, child)
    child.start()
  }

  /** A node agent is succeeded by the next one, which takes over its browsers and then says so. */
  #certify(incarnation: Incarnation): void {
    const { HOST_GRACE_SECONDS } = this.#options.config
    const hasHeir = roleOfIncarnation(incarnation) === 'node-agent' && HOST_GRACE_SECONDS > 0
    if (!hasHeir) this.#certifier?.certify(incarnation)
  }

  /** When the others no longer count on it either: its actors may move, or its grace is over. */
  #hungAfterMs(role: Role): number {
    const { LEASE_SECONDS, HOST_GRACE_SECONDS } = this.#options.config
    const isCluster = this.#connection !== undefined && isClustered(this.#connection)
    const { leaseMs } = leaseTimes(isCluster, LEASE_SECONDS)
    const graceMs = role === 'actors' ? 0 : HOST_GRACE_SECONDS * 1_000
    return leaseMs + graceMs + processLimits.heartbeatSpareMs
  }

  #child(spec: Omit<ChildSpec, 'onEnd'>): SupervisedChild {
    const { name } = spec
    this.#emit({ type: 'starting', child: name })
    return new SupervisedChild(
      { ...spec, onEnd: (end) => this.#childEnded(name, end) },
      systemClock,
    )
  }

  #childEnded(child: string, end: ChildEnd): void {
    const { log } = this.#options
    const { exit, reason, waitMs } = end
    const entry = { child, code: exit.code, signal: exit.signal, reason, waitMs }
    if (this.#stopping) log.info(entry, 'a child has ended')
    else if (waitMs === undefined) log.error(entry, 'a child ended and is not restarted')
    else log.warn(entry, 'a child ended and is restarted')
    this.#emit({ type: 'ended', child, ...end })
  }

  #spawn(
    key: string,
    bin: string,
    args: readonly string[],
    stdio: ('ignore' | 'pipe' | 'ipc')[],
    env: Readonly<Record<string, string>>,
  ) {
    const inherited = environmentOf(key)
    return spawnGuarded(this.#guard, bin, args, { key, stdio, env: { ...inherited, ...env } })
  }

  #emit(event: SupervisorEvent): void {
    this.#options.onEvent(event)
  }

  async #stop(): Promise<void> {
    for (const child of this.#roles.values()) child.retire()
    for (const role of drainOrder) await this.#stopChild(this.#roles.get(role), limits.drainMs)
    await this.#certifier?.close()
    await this.#connection?.close()
    await this.#stopChild(this.#nats, limits.natsStopMs)
    this.#guard.stop()
    this.#lock.release()
  }

  async #stopChild(child: SupervisedChild | undefined, graceMs: number): Promise<void> {
    if (!child) return
    this.#emit({ type: 'stopping', child: child.name })
    // A little more than the child's own limit, so that it can report what was late.
    await child.stop(graceMs + limits.stderrFlushMs)
  }
}

/** Settings with which roles connect to this host's NATS. */
type Access = Partial<Record<'NATS_URL' | 'NATS_USER' | 'NATS_PASSWORD', string>>

/** Only actor hosts may write the audit. */
function accessTo(
  { url }: Pick<NatsServer, 'url'>,
  { user, password }: Pick<NatsServer, 'user' | 'password'>,
): Access {
  return { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
}

/** Each role gets only the rights that it needs. */
function userOf(server: NatsServer, role: Role): Pick<NatsServer, 'user' | 'password'> {
  if (role === 'gateway') return server.gateway
  return role === 'node-agent' ? server.nodeAgent : server
}

const natsLevels: Readonly<Record<string, 'warn' | 'error'>> = {
  WRN: 'warn',
  ERR: 'error',
  FTL: 'error',
}

/** Parses `[pid] date time [WRN] text`. */
function readNatsLine(line: string): { level: 'debug' | 'warn' | 'error'; text: string } {
  const [, mark = '', text = line] = /\[([A-Z]{3})\] (.*)$/.exec(line) ?? []
  // Harmless here: the file is readable by its owner only, and the server listens on loopback.
  const expected = text.startsWith('Plaintext passwords detected')
  return { level: expected ? 'debug' : (natsLevels[mark] ?? 'debug'), text }
}
