/**
 * What one browser may reach. One with a network of its own has no way out but a filter of ours, and
 * reaches the public internet. One without reaches everything, until somebody restricts it: then an
 * extension that only this agent's own line can load leads all of it, whatever it is that asks,
 * through a filter, at any time and without a restart.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { NetworkPolicy } from '../../proto/node.ts'
import type { ProxyOptions, SessionNetwork } from '../../proto/session.ts'
import { CdpError, type CdpPipe } from '../browser/cdp.ts'
import { networkExtension } from './extension.ts'
import { NetworkFilter, type RefusedHost } from './filter.ts'
import { LingeringPolicy } from './lingering-policy.ts'
import { policyOf, refusalOfAll, restricts } from './policy.ts'

/** What those who send pages somewhere must know of it. */
export type Reach = Pick<Network, 'isRestricted' | 'refusalOf' | 'failureOf'>

export class Network {
  readonly #cdp: CdpPipe
  readonly #upstream: ProxyOptions | undefined
  /** Of a browser with a network of its own: nothing comes to it but through here. */
  readonly #wayOut: NetworkFilter | undefined
  #filter: NetworkFilter | undefined
  /** Id of the extension, while it is there. */
  #extension: string | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #ofSession: NetworkPolicy | null
  #ofTask: NetworkPolicy | null = null
  readonly #lingering = new Set<LingeringPolicy>()

  constructor(cdp: CdpPipe, upstream: ProxyOptions | undefined, wayOut?: NetworkFilter) {
    this.#cdp = cdp
    this.#upstream = upstream
    this.#wayOut = wayOut
    this.#filter = wayOut
    this.#ofSession = wayOut ? policyOf({}, true) : null
  }

  /** What its session was created with, for as long as that lives; as {@link restrict}. */
  fit(network: SessionNetwork = {}): Promise<void> {
    return this.#change(() => {
      this.#ofSession = policyOf(network, this.#wayOut !== undefined)
    })
  }

  /** Beside that: in force when it resolves. Throws when it could not be put in force. */
  restrict(policy: NetworkPolicy | null): Promise<void> {
    return this.#change(() => {
      this.#ofTask = policy
    })
  }

  /**
   * Lifts what was restricted last, but for the pages that are open now: until they are closed or
   * blank, everything keeps to it.
   */
  liftWhenPagesAreGone(): Promise<void> {
    return this.#change(async () => {
      const policy = this.#ofTask
      this.#ofTask = null
      if (!policy || !restricts(policy)) return
      const lingering = await LingeringPolicy.open(this.#cdp, policy, (over) => this.#over(over))
      if (lingering) this.#lingering.add(lingering)
    })
  }

  #over(lingering: LingeringPolicy): void {
    // A browser that has ended keeps to nothing any more.
    this.#change(() => void this.#lingering.delete(lingering)).catch(() => undefined)
  }

  /** Why a page may not go there, as far as the address tells. */
  refusalOf(url: string): string | undefined {
    const policies = this.#filter?.policies ?? []
    return URL.canParse(url) ? refusalOfAll(new URL(url), policies) : undefined
  }

  /** In Chromium's words, why it was not reached, where the filter knows and the browser cannot. */
  failureOf(url: string): string | undefined {
    if (!URL.canParse(url) || !this.#filter?.isUnknown(new URL(url).hostname)) return undefined
    return 'net::ERR_NAME_NOT_RESOLVED'
  }

  get isRestricted(): boolean {
    return this.#wayOut !== undefined || this.#extension !== undefined
  }

  /** Hosts that something in the browser wanted since this was asked last, and did not get. */
  takeRefused(): readonly string[] {
    return this.#filter?.takeRefused() ?? []
  }

  /** The same for the audit, which asks by itself. */
  takeUnreported(): readonly RefusedHost[] {
    return this.#filter?.takeUnreported() ?? []
  }

  /** With its browser; may be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
    const filter = this.#filter
    this.#filter = undefined
    // A way out goes with the process that it is for.
    if (filter !== this.#wayOut) await filter?.close()
  }

  get #policies(): readonly NetworkPolicy[] {
    const lingering = [...this.#lingering].map(({ policy }) => policy)
    return [this.#ofSession, this.#ofTask, ...lingering].flatMap((one) =>
      one && restricts(one) ? [one] : [],
    )
  }

  async #change(change: () => Promise<void> | void): Promise<void> {
    // Its filter would stay: the browser that it is for has ended.
    if (this.#isClosed) throw new ServiceError('session_ended', 'This session has ended here.')
    const result = this.#last.then(async () => {
      await change()
      await this.#apply()
    })
    // The next one does not care how this one ended; its caller is told.
    this.#last = result.catch(() => undefined)
    return result
  }

  async #apply(): Promise<void> {
    const policies = this.#policies
    if (this.#wayOut) {
      this.#wayOut.policies = policies
    } else if (policies.length > 0) {
      this.#filter ??= await NetworkFilter.open(this.#upstream)
      this.#filter.policies = policies
      if (this.#extension === undefined) await this.#lead(this.#filter.port)
    } else {
      await this.#unload()
      // The filter stays: what has come through it since goes on, and nothing new will come.
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
      const control = await this.#call(await this.#workerOf(id), `troupe(${port})`)
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
    const untilMs = performance.now() + limits.networkPolicyMs
    const filter = [{ type: 'service_worker' }]
    for (;;) {
      const { targetInfos } = await this.#cdp.send('Target.getTargets', { filter })
      const worker = targetInfos.find(({ url }) => url.startsWith(`chrome-extension://${id}/`))
      if (worker) return worker.targetId
      if (performance.now() > untilMs) throw new Error('its worker did not start')
      await pause(limits.networkPolicyPollMs)
    }
  }

  /** The worker is there a moment before its script has run. */
  async #call(targetId: string, expression: string): Promise<unknown> {
    const attach = { targetId, flatten: true }
    const { sessionId } = await this.#cdp.send('Target.attachToTarget', attach)
    const untilMs = performance.now() + limits.networkPolicyMs
    try {
      for (;;) {
        const { result, exceptionDetails } = await this.#cdp.send(
          'Runtime.evaluate',
          { expression, awaitPromise: true, returnByValue: true },
          { sessionId },
        )
        if (!exceptionDetails) return result.value
        const said = exceptionDetails.exception?.description ?? ''
        if (!said.startsWith('ReferenceError') || performance.now() > untilMs) throw new Error(said)
        await pause(limits.networkPolicyPollMs)
      }
    } finally {
      // It may have gone with its session already.
      await this.#cdp.send('Target.detachFromTarget', { sessionId }).catch((error: unknown) => {
        if (!(error instanceof CdpError)) throw error
      })
    }
  }
}
