/**
 * Restricts what one browser may reach. A browser with its own network can leave it only through
 * our filter, which allows the public internet. Another browser reaches everything until it is
 * restricted: then an extension, which only this agent's connection can load, routes all its
 * requests through a filter, at any time and without a restart.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { ProxyOptions, SessionNetwork } from '../../proto/session/session.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import { CdpError, type CdpPipe } from '../cdp/cdp.ts'
import type { CdpResult } from '../cdp/protocol.ts'
import { sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type * as itselfCode from '../in-page/itself.ts'
import { networkExtension } from './extension.ts'
import { NetworkFilter, type FilterMeans, type RefusedHost } from './filter.ts'
import { LingeringPolicy } from './lingering-policy.ts'
import { policyOf, isRestrictive } from './policy.ts'
import type { ServicePorts } from './service-ports.ts'
import { filterLimits } from './limits.ts'

const { callItself } = sentFunctions<typeof itselfCode>('itself')

/** The part that page navigation needs. */
export type NavigationRules = Pick<Network, 'isRestricted' | 'refusalOf' | 'failureOf'>

export class Network {
  readonly #cdp: CdpPipe
  readonly #upstream: ProxyOptions | undefined
  /** The filter of a browser with its own network: all its connections go through it. */
  readonly #egressFilter: NetworkFilter | undefined
  #filter: NetworkFilter | undefined
  /** The id of the extension while it is loaded. */
  #extension: string | undefined
  readonly #ports: ServicePorts
  readonly #means: FilterMeans
  readonly #changes = new SerialQueue()
  #isClosed = false
  #ofSession: NetworkPolicy | null
  #ofTask: NetworkPolicy | null = null
  readonly #lingering = new Set<LingeringPolicy>()

  /** `means` are those of a filter that is opened later. */
  constructor(
    cdp: CdpPipe,
    upstream: ProxyOptions | undefined,
    ports: ServicePorts,
    egressFilter?: NetworkFilter,
    means: FilterMeans = {},
  ) {
    this.#ports = ports
    this.#means = means
    this.#cdp = cdp
    this.#upstream = upstream
    this.#egressFilter = egressFilter
    this.#filter = egressFilter
    this.#ofSession = egressFilter ? policyOf({}, true) : null
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
      if (!policy || !isRestrictive(policy)) return
      const lingering = await LingeringPolicy.open(this.#cdp, policy, (over) => this.#over(over))
      if (lingering) this.#lingering.add(lingering)
    })
  }

  #over(lingering: LingeringPolicy): void {
    // Fails if the browser has ended; the policy then has no effect any more.
    this.#change(() => void this.#lingering.delete(lingering)).catch(() => undefined)
  }

  /** The reason why a page may not navigate there, judged by the URL alone. */
  refusalOf(url: string): string | undefined {
    return URL.canParse(url) ? this.#filter?.refusalOf(new URL(url)) : undefined
  }

  /**
   * Chromium's error code for a connection that the filter could not make: Chromium, which uses the
   * filter as a proxy, only sees a failed tunnel or, with a `status`, the filter's own page.
   */
  failureOf(url: string, status?: number): string | undefined {
    if (status !== undefined && status in failures) return failures[status]
    if (status !== undefined && status !== badGateway) return undefined
    if (!URL.canParse(url) || !this.#filter?.isUnknown(new URL(url).hostname)) return undefined
    return 'net::ERR_NAME_NOT_RESOLVED'
  }

  get isRestricted(): boolean {
    return this.#egressFilter !== undefined || this.#extension !== undefined
  }

  /** Hosts that the browser was refused since the last call. */
  takeRefused(): readonly string[] {
    return this.#filter?.takeRefused() ?? []
  }

  /** The same with counts, for the audit, which collects them separately. */
  takeUnreported(): readonly RefusedHost[] {
    return this.#filter?.takeUnreported() ?? []
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

  get #policies(): readonly NetworkPolicy[] {
    const lingering = [...this.#lingering].map(({ policy }) => policy)
    return [this.#ofSession, this.#ofTask, ...lingering].flatMap((one) =>
      one && isRestrictive(one) ? [one] : [],
    )
  }

  async #change(change: () => Promise<void> | void): Promise<void> {
    // A filter opened after the browser's end would never be closed.
    if (this.#isClosed)
      throw new ServiceError('session_ended', 'This session has ended on this host.')
    return this.#changes.run(async () => {
      await change()
      await this.#apply()
    })
  }

  async #apply(): Promise<void> {
    const policies = this.#policies
    if (this.#egressFilter) {
      this.#egressFilter.policies = policies
    } else if (policies.length > 0) {
      this.#filter ??= await NetworkFilter.open(this.#upstream, this.#means)
      this.#filter.ports = this.#ports
      this.#filter.policies = policies
      if (this.#extension === undefined) await this.#lead(this.#filter.port)
    } else {
      await this.#unload()
      // The filter stays open for existing connections; no new ones will come.
      if (this.#filter) this.#filter.policies = []
    }
    if (this.#ofTask === null) this.#filter?.takeRefused()
  }

  async #lead(port: number): Promise<void> {
    try {
      const { id } = await this.#cdp.send('Extensions.loadUnpacked', {
        path: networkExtension,
        enableInIncognito: true,
      })
      this.#extension = id
      const control = await this.#callWorker(await this.#workerOf(id), port)
      if (control !== 'controlled_by_this_extension') throw new Error(`its proxy is ${control}`)
    } catch (cause) {
      await this.#unload()
      const message = 'The network of this browser could not be restricted; use another session.'
      throw new ServiceError('unavailable', message, {}, cause)
    }
  }

  async #unload(): Promise<void> {
    if (this.#extension === undefined) return
    await this.#cdp.send('Extensions.uninstall', { id: this.#extension })
    this.#extension = undefined
  }

  async #workerOf(id: string): Promise<string> {
    const filter = [{ type: 'service_worker' }]
    const worker = await pollUntil(this.#cdp.clock, policyTimes, async () => {
      const { targetInfos } = await this.#cdp.send('Target.getTargets', { filter })
      return targetInfos.find(({ url }) => url.startsWith(`chrome-extension://${id}/`))
    })
    if (!worker) throw new Error('its worker did not start')
    return worker.targetId
  }

  /** Calls the function of the extension's worker. */
  async #callWorker(targetId: string, port: number): Promise<unknown> {
    const attach = { targetId, flatten: true }
    const { sessionId } = await this.#cdp.send('Target.attachToTarget', attach)
    const how = { awaitPromise: true, returnByValue: true, arguments: [{ value: port }] }
    try {
      const objectId = await this.#workerFunction(sessionId)
      const { result, exceptionDetails } = await this.#cdp.send(
        'Runtime.callFunctionOn',
        { ...how, objectId, functionDeclaration: callItself.source },
        { sessionId },
      )
      if (exceptionDetails) throw new Error(exceptionText({ exceptionDetails }))
      return result.value
    } finally {
      // The session may have been detached with its target already.
      await this.#cdp.send('Target.detachFromTarget', { sessionId }).catch((error: unknown) => {
        if (!(error instanceof CdpError)) throw error
      })
    }
  }

  /** Retries, because the worker exists a moment before its script has run. */
  async #workerFunction(sessionId: string): Promise<string> {
    const evaluated = await pollUntil(
      this.#cdp.clock,
      policyTimes,
      () => this.#cdp.send('Runtime.evaluate', { expression: 'troupe' }, { sessionId }),
      (answer) => !exceptionText(answer)?.startsWith('ReferenceError'),
    )
    if (evaluated.exceptionDetails) throw new Error(exceptionText(evaluated))
    return evaluated.result.objectId!
  }
}

const badGateway = 502
/** By the statuses of the pages that proxy-chain answers with; no site sends these. */
const failures: Readonly<Record<number, string>> = {
  593: 'net::ERR_NAME_NOT_RESOLVED',
  594: 'net::ERR_CONNECTION_REFUSED',
  595: 'net::ERR_CONNECTION_RESET',
  599: 'net::ERR_CONNECTION_FAILED',
}

const policyTimes = {
  everyMs: filterLimits.networkPolicyPollMs,
  withinMs: filterLimits.networkPolicyMs,
}

/** The description of the exception with which an evaluation ended. */
const exceptionText = ({
  exceptionDetails,
}: Pick<CdpResult<'Runtime.evaluate'>, 'exceptionDetails'>) =>
  exceptionDetails?.exception?.description
