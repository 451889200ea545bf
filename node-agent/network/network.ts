/**
 * Restricts what one browser may reach. A browser with its own network can leave it only through
 * our filter, which allows the public internet. Another browser reaches everything until it is
 * restricted: then an extension, which only this agent's connection can load, routes all its
 * requests through a filter, at any time and without a restart.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { Traffic } from '../../proto/session/browser-reports.ts'
import type { ProxyOptions, SessionNetwork } from '../../proto/session/session.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import { callExtension, loadExtension } from '../cdp/own-extension.ts'
import { networkExtension } from './extension.ts'
import type { RecordedNetwork } from '../files/browser-record.ts'
import type { RefusedHost } from '../egress/orders.ts'
import type { Egress, EgressFilter } from './egress.ts'
import { LingeringPolicy } from './lingering-policy.ts'
import { policyOf, isRestrictive, navigationRefusalOf } from '../egress/policy.ts'
import type { ServicePorts } from '../egress/service-ports.ts'

/** The part that page navigation needs. */
export type NavigationRules = Pick<Network, 'isRestricted' | 'refusalOf' | 'failureOf'>

export interface NetworkOptions {
  readonly cdp: CdpPipe
  /** The session's own proxy. */
  readonly upstream: ProxyOptions | undefined
  readonly ports: ServicePorts
  /** Opens the filter of a browser that is restricted later. */
  readonly egress: Pick<Egress, 'open'>
  /** The filter of a browser with its own network: all its connections go through it. */
  readonly egressFilter?: EgressFilter | undefined
  /** Resolves when the next agent would know of it. */
  readonly onChange?: (record: RecordedNetwork) => Promise<void>
}

export class Network {
  readonly #cdp: CdpPipe
  readonly #upstream: ProxyOptions | undefined
  readonly #egress: Pick<Egress, 'open'>
  readonly #egressFilter: EgressFilter | undefined
  #filter: EgressFilter | undefined
  /** The policies in force at the filter. */
  #inForce: readonly NetworkPolicy[] = []
  /** The id of the extension while it is loaded. */
  #extension: string | undefined
  readonly #ports: ServicePorts
  readonly #changes = new SerialQueue()
  #isClosed = false
  #ofSession: NetworkPolicy | null
  #ofTask: NetworkPolicy | null = null
  readonly #lingering = new Set<LingeringPolicy>()
  #recorded: string

  readonly #onChange: (record: RecordedNetwork) => Promise<void>

  constructor({ cdp, upstream, ports, egress, egressFilter, onChange }: NetworkOptions) {
    this.#onChange = onChange ?? (() => Promise.resolve())
    this.#ports = ports
    this.#egress = egress
    this.#cdp = cdp
    this.#upstream = upstream
    this.#egressFilter = egressFilter
    this.#filter = egressFilter
    this.#ofSession = egressFilter ? policyOf({}, true) : null
    this.#inForce = this.#policies
    this.#recorded = JSON.stringify(this.#record)
  }

  /**
   * Sets the policy that the session was created with, for its whole life; otherwise like {@link
   * restrict}.
   */
  applySessionPolicy(network: SessionNetwork = {}): Promise<void> {
    return this.#change(() => {
      this.#ofSession = policyOf(network, this.#egressFilter !== undefined)
    })
  }

  /**
   * Continues what an earlier agent has recorded: opens the filter again where the browser looks for
   * it, with the same policies. The filter of a browser's own network has them already.
   */
  resume(network: SessionNetwork = {}, record?: RecordedNetwork): Promise<void> {
    return this.#change(async () => {
      this.#ofSession = policyOf(network, this.#egressFilter !== undefined)
      this.#ofTask = record?.ofTask ?? null
      for (const policy of record?.lingering ?? []) await this.#linger(policy)
      if (this.#egressFilter || record?.port === undefined) return
      const upstream = this.#upstream
      const policies = this.#policies
      this.#filter = await this.#egress.open({ upstream, policies, port: record.port })
      this.#extension = record.extension
    })
  }

  /**
   * Sets the task's policy in addition; it is in force when this resolves. Throws if that failed.
   */
  restrict(policy: NetworkPolicy | null): Promise<void> {
    return this.#change(() => {
      this.#ofTask = policy
    })
  }

  /**
   * Lifts the task's policy, but keeps it in force until the pages that are open now are closed or
   * blank.
   */
  liftWhenPagesAreGone(): Promise<void> {
    return this.#change(async () => {
      const policy = this.#ofTask
      this.#ofTask = null
      if (policy && isRestrictive(policy)) await this.#linger(policy)
    })
  }

  async #linger(policy: NetworkPolicy): Promise<void> {
    const lingering = await LingeringPolicy.open(this.#cdp, policy, (over) => this.#over(over))
    if (lingering) this.#lingering.add(lingering)
  }

  #over(lingering: LingeringPolicy): void {
    // Fails if the browser has ended; the policy then has no effect any more.
    this.#change(() => void this.#lingering.delete(lingering)).catch(() => undefined)
  }

  /** The reason why a page may not navigate there, judged by the URL alone. */
  refusalOf(url: string): string | undefined {
    if (!this.#filter || !URL.canParse(url)) return undefined
    return navigationRefusalOf(new URL(url), this.#inForce, this.#ports)
  }

  /**
   * Chromium's error code for a connection that the filter could not make, or `blocked_by_policy`:
   * Chromium, which uses the filter as a proxy, only sees a failed proxy. With a `status`, it has
   * seen a page of the filter's own, as for a session with its own proxy.
   */
  async failureOf(url: string, status?: number): Promise<string | undefined> {
    if (status === undefined) return this.#filter?.failureOf(url)
    if (!this.#upstream) return undefined
    return status === badGateway ? this.#filter?.failureOf(url) : failures[status]
  }

  get isRestricted(): boolean {
    return this.#egressFilter !== undefined || this.#extension !== undefined
  }

  /** Hosts that the browser was refused since the last call. */
  async takeRefused(): Promise<readonly string[]> {
    return (await this.#filter?.takeRefused()) ?? []
  }

  /** The same with counts, for the audit, which collects them separately. */
  async takeUnreported(): Promise<readonly RefusedHost[]> {
    return (await this.#filter?.takeUnreported()) ?? []
  }

  /** What the browser's connections have carried, also after its end; undefined if nothing counts it. */
  async traffic(): Promise<Traffic | undefined> {
    return this.#egressFilter?.traffic()
  }

  /** Called when the browser ends; may be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#changes.settled()
    const filter = this.#filter
    this.#filter = undefined
    // The filter of a browser's own network is closed with its processes.
    if (filter !== this.#egressFilter) await filter?.close()
  }

  async #keepRecord(): Promise<void> {
    const record = this.#record
    const text = JSON.stringify(record)
    if (text === this.#recorded) return
    await this.#onChange(record)
    this.#recorded = text
  }

  get #record(): RecordedNetwork {
    const lingering = [...this.#lingering].map(({ policy }) => policy)
    const isOwn = this.#filter !== this.#egressFilter
    const port = isOwn ? this.#filter?.port : undefined
    return { ofTask: this.#ofTask, lingering, port, extension: this.#extension }
  }

  get #policies(): readonly NetworkPolicy[] {
    return policiesOf(this.#record, this.#ofSession)
  }

  async #change(change: () => Promise<void> | void): Promise<void> {
    // A filter opened after the browser's end would never be closed.
    if (this.#isClosed)
      throw new ServiceError('session_ended', 'This session has ended on this host.')
    return this.#changes.run(async () => {
      await change()
      await this.#apply()
      await this.#keepRecord()
    })
  }

  async #apply(): Promise<void> {
    const policies = this.#policies
    this.#inForce = policies
    if (this.#egressFilter) {
      await this.#egressFilter.restrict(policies)
    } else if (policies.length > 0) {
      this.#filter ??= await this.#egress.open({ upstream: this.#upstream, policies, port: 0 })
      await this.#filter.restrict(policies)
      if (this.#extension === undefined) await this.#lead(this.#filter.port)
    } else {
      await this.#unload()
      // The filter stays open for existing connections; no new ones will come.
      await this.#filter?.restrict([])
    }
    if (this.#ofTask === null) void this.#filter?.takeRefused()
  }

  async #lead(port: number): Promise<void> {
    try {
      this.#extension = await loadExtension(this.#cdp, networkExtension)
      const control = await callExtension(this.#cdp, this.#extension, this.#scheme, port)
      if (control !== 'controlled_by_this_extension') throw new Error(`its proxy is ${control}`)
    } catch (cause) {
      await this.#unload()
      const message = 'The network of this browser could not be restricted; use another session.'
      throw new ServiceError('unavailable', message, {}, cause)
    }
  }

  /** What the filter speaks with the browser; its way to another proxy is by HTTP. */
  get #scheme(): string {
    return this.#upstream ? 'http' : 'socks5'
  }

  async #unload(): Promise<void> {
    if (this.#extension === undefined) return
    await this.#cdp.send('Extensions.uninstall', { id: this.#extension })
    this.#extension = undefined
  }
}

/** All policies that are in force for a browser. */
export const policiesOf = (
  { ofTask, lingering }: Pick<RecordedNetwork, 'ofTask' | 'lingering'> = noRecord,
  ofSession: NetworkPolicy | null,
): readonly NetworkPolicy[] =>
  [ofSession, ofTask, ...lingering].flatMap((one) => (one && isRestrictive(one) ? [one] : []))

const noRecord = { ofTask: null, lingering: [] }

const badGateway = 502
/** By the statuses of the pages that proxy-chain answers with; no site sends these. */
const failures: Readonly<Record<number, string | undefined>> = {
  593: 'net::ERR_NAME_NOT_RESOLVED',
  594: 'net::ERR_CONNECTION_REFUSED',
  595: 'net::ERR_CONNECTION_RESET',
  599: 'net::ERR_CONNECTION_FAILED',
}
