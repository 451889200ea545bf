/**
 * The agent's side of its egress process: opens filters there, starts the process when the first one
 * is opened, and again if it ends. Its connections are lost then, and nothing else: every filter is opened again on the socket that
 * its browser knows, which is kept here and meanwhile lets connections wait.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import { noTraffic, trafficSum, type Traffic } from '../../proto/session/browser-reports.ts'
import type { ConnectionLoad } from '../../proto/host-counts.ts'
import type { ListenerHandle } from '../../runtime/browser-host/isolation/own-network.ts'
import { sleep, withDeadline, type Clock } from '../../runtime/lib/clock.ts'
import type { Guard } from '../../runtime/process/guard.ts'
import type {
  EgressAnswerOf,
  EgressOrderName,
  EgressOrderOf,
  EgressSettings,
  FilterSettings,
  RefusedHost,
} from '../egress/orders.ts'
import { EgressLost, EgressProcess } from './egress-process.ts'
import { networkLimits } from './limits.ts'
import { noPorts, type ServicePorts } from '../egress/service-ports.ts'

export interface EgressOptions {
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
  readonly settings: EgressSettings
}

/** The filter of one browser. */
export interface EgressFilter {
  /** The port of loopback that it listens on; 0 if it listens in the browser's own network. */
  readonly port: number
  /** Resolves when they are in force; connections that they refuse have ended. */
  restrict(policies: readonly NetworkPolicy[]): Promise<void>
  /** See `NetworkFilter.failureOf`. Undefined also if the process does not answer. */
  failureOf(url: string): Promise<string | undefined>
  /** Hosts that were refused since the last call; none if the process does not answer. */
  takeRefused(): Promise<readonly string[]>
  /** The same with counts, which are collected separately. */
  takeUnreported(): Promise<readonly RefusedHost[]>
  /** What its browser's connections have carried; of a closed filter, what they had by then. */
  traffic(): Promise<Traffic>
  close(): Promise<void>
}

/** What is needed to open a filter once more. */
interface Opened {
  settings: FilterSettings
  readonly listener: ListenerHandle | undefined
  /** What this process has told of its traffic last. */
  told: Traffic
  /** What the processes before it have told. */
  before: Traffic
}

export class Egress {
  readonly #options: EgressOptions
  readonly #filters = new Map<number, Opened>()
  #lastFilter = 0
  #ports = noPorts
  #isClosed = false
  /** Resolves when all filters are open there. Absent before the first one. */
  #running: Promise<EgressProcess> | undefined
  #process: EgressProcess | undefined
  /** Of the process that runs. */
  #load: ConnectionLoad = { open: 0, refused: 0 }
  /** By processes before it. */
  #refusedBefore = 0
  #restarts = 0

  constructor(options: EgressOptions) {
    this.#options = options
  }

  get load(): ConnectionLoad {
    const { open, refused } = this.#load
    return { open, refused: this.#refusedBefore + refused, restarts: this.#restarts }
  }

  /** Of the process that runs; for the tests that end it. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Where browsers may not go, whatever their policies. */
  set ports(ports: ServicePorts) {
    const { closed, gateways } = ports
    if (String([closed, gateways]) === String([this.#ports.closed, this.#ports.gateways])) return
    this.#ports = { closed, gateways }
    // A process that ends meanwhile has a next one, which gets them at its start.
    if (this.#running) this.#ask('ports', { ports: this.#ports }).catch(() => undefined)
  }

  /** With `listener`, the filter listens there, and closes it at the end. */
  async open(settings: FilterSettings, listener?: ListenerHandle): Promise<EgressFilter> {
    const filter = ++this.#lastFilter
    const port = await this.#askSurely('open', { filter, ...settings }, listener)
    const opened: Opened = {
      settings: listener ? settings : { ...settings, port },
      listener,
      told: noTraffic,
      before: noTraffic,
    }
    this.#filters.set(filter, opened)
    const note = (traffic: Traffic | null) => (opened.told = traffic ?? opened.told)
    let closed: Promise<unknown> | undefined
    return {
      port,
      restrict: async (policies) => {
        opened.settings = { ...opened.settings, policies }
        await this.#askSurely('restrict', { filter, policies })
      },
      failureOf: async (url) => (await this.#askOr(null, 'failure', { filter, url })) ?? undefined,
      takeRefused: () => this.#askOr([], 'refused', { filter }),
      takeUnreported: () => this.#askOr([], 'unreported', { filter }),
      traffic: async () => {
        await (closed ?? this.#askOr(null, 'traffic', { filter }).then(note))
        return trafficSum(opened.before, opened.told)
      },
      close: async () => {
        this.#filters.delete(filter)
        listener?.close()
        closed ??= this.#askOr(null, 'close', { filter }).then(note)
        await closed
      },
    }
  }

  /** Ends the process, after the browsers have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#process?.kill()
    await this.#process?.exited
  }

  async #start(waitMs = 0): Promise<EgressProcess> {
    const { clock, log, guard, settings } = this.#options
    if (waitMs > 0) await sleep(clock, waitMs)
    if (this.#isClosed) throw new EgressLost('this host has ended its egress process')
    const startedMs = clock.monotonic()
    const onLoad = (load: ConnectionLoad) => (this.#load = load)
    const process = new EgressProcess({ guard, clock, settings, onLoad })
    this.#process = process
    void process.exited.then(({ code, signal, error }) => {
      if (this.#isClosed) return
      const isStable = clock.monotonic() - startedMs > networkLimits.egressStableMs
      const { egressRestartMs, egressRestartMostMs } = networkLimits
      const nextMs = isStable
        ? 0
        : Math.min(Math.max(egressRestartMs, 2 * waitMs), egressRestartMostMs)
      log.error(
        { code, signal, err: error, waitMs: nextMs },
        'the egress process has ended; it is started again',
      )
      this.#refusedBefore += this.#load.refused
      this.#load = { open: 0, refused: 0 }
      this.#restarts++
      this.#running = this.#start(nextMs)
      // Whoever asks is told.
      this.#running.catch(() => undefined)
    })
    await this.#openAll(process)
    return process
  }

  /** Failures are those of single filters, or the end of the process, which starts the next one. */
  async #openAll(process: EgressProcess): Promise<void> {
    const { log } = this.#options
    const opening = [...this.#filters].map(([filter, opened]) => {
      const { settings, listener } = opened
      opened.before = trafficSum(opened.before, opened.told)
      opened.told = noTraffic
      return process.ask('open', { filter, ...settings }, listener)
    })
    const all = await Promise.allSettled([process.ask('ports', { ports: this.#ports }), ...opening])
    for (const result of all) {
      if (result.status === 'fulfilled' || result.reason instanceof EgressLost) continue
      log.error({ err: result.reason as unknown }, 'the filter of a browser was not opened again')
    }
  }

  /** Asks the next process if one ends before it has answered; a filter is open there by then. */
  #askSurely<Name extends EgressOrderName>(
    order: Name,
    what: EgressOrderOf<Name>,
    listener?: ListenerHandle,
  ): Promise<EgressAnswerOf<Name>> {
    const answered = async (): Promise<EgressAnswerOf<Name>> => {
      for (;;) {
        try {
          return await this.#ask(order, what, listener)
        } catch (error) {
          if (!(error instanceof EgressLost) || this.#isClosed) throw error
        }
      }
    }
    const message = 'The network of this browser could not be set up; use another session.'
    const late = () => new ServiceError('unavailable', message)
    return withDeadline(this.#options.clock, networkLimits.policyMs, answered(), late)
  }

  async #ask<Name extends EgressOrderName>(
    order: Name,
    what: EgressOrderOf<Name>,
    listener?: ListenerHandle,
  ): Promise<EgressAnswerOf<Name>> {
    this.#running ??= this.#start()
    return (await this.#running).ask(order, what, listener)
  }

  /** For what is of use only at once: `otherwise` if there is no answer. */
  #askOr<Name extends EgressOrderName>(
    otherwise: EgressAnswerOf<Name>,
    order: Name,
    what: EgressOrderOf<Name>,
  ): Promise<EgressAnswerOf<Name>> {
    const { clock, log } = this.#options
    const late = () => new EgressLost(`no answer to ${order}`)
    const asked = withDeadline(clock, networkLimits.egressAnswerMs, this.#ask(order, what), late)
    return asked.catch((error: unknown) => {
      if (!(error instanceof EgressLost))
        log.warn({ err: error, order }, 'the egress process failed')
      return otherwise
    })
  }
}
