/**
 * A policy that outlives its task, until the pages that were open at its end, and pages that they
 * opened since, are closed or blank. They may have seen data that must not leave the task's sites.
 */
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'

const onlyPages = [{ type: 'page' }]
const blank = 'about:blank'

export class LingeringPolicy {
  readonly policy: NetworkPolicy
  readonly #pages = new Set<string>()
  readonly #onOver: () => void
  readonly #stop: () => void

  private constructor(cdp: CdpPipe, policy: NetworkPolicy, onOver: () => void) {
    this.policy = policy
    this.#onOver = onOver
    this.#stop = cdp.onEvent((event) => this.#onEvent(event))
  }

  /** Undefined if all pages are blank. `onOver` is called once. */
  static async open(
    cdp: CdpPipe,
    policy: NetworkPolicy,
    onOver: (over: LingeringPolicy) => void,
  ): Promise<LingeringPolicy | undefined> {
    const lingering = new LingeringPolicy(cdp, policy, () => onOver(lingering))
    await cdp.send('Target.setDiscoverTargets', { discover: true, filter: onlyPages })
    const { targetInfos } = await cdp.send('Target.getTargets', { filter: onlyPages })
    for (const { targetId, url } of targetInfos) if (url !== blank) lingering.#pages.add(targetId)
    if (lingering.#pages.size > 0) return lingering
    lingering.#stop()
    return undefined
  }

  #onEvent({ method, params }: CdpEvent): void {
    switch (method) {
      case 'Target.targetCreated': {
        const { openerId, targetId } = params.targetInfo
        if (openerId !== undefined && this.#pages.has(openerId)) this.#pages.add(targetId)
        return
      }
      case 'Target.targetDestroyed':
        return this.#gone(params.targetId)
      case 'Target.targetInfoChanged':
        if (params.targetInfo.url === blank) this.#gone(params.targetInfo.targetId)
    }
  }

  #gone(id: string): void {
    if (!this.#pages.delete(id) || this.#pages.size > 0) return
    this.#stop()
    this.#onOver()
  }
}
