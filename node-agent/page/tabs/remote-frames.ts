/**
 * Frames of a tab that are in other processes. Each gets a CDP session of its own when it appears,
 * without pausing it and without enabling a domain.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { Tab } from './tab.ts'

const onlyFrames = [{ type: 'iframe' }, { exclude: true }]

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly targetId: string; readonly type: string }
}

/** The frames of each tab are tracked once, shared by all callers. */
const known = new WeakMap<Tab, Promise<FrameTargets>>()

export class FrameTargets {
  readonly #tab: Tab
  /** Session ids by frame id. */
  readonly #sessions = new Map<string, string>()
  readonly #deaf = new Map<string, () => void>()
  #following: Promise<unknown> = Promise.resolve()

  private constructor(tab: Tab) {
    this.#tab = tab
  }

  static of(tab: Tab): Promise<FrameTargets> {
    const following = known.get(tab) ?? FrameTargets.#open(tab)
    known.set(tab, following)
    return following
  }

  static async #open(tab: Tab): Promise<FrameTargets> {
    const frames = new FrameTargets(tab)
    try {
      await frames.#follow(tab.session)
      return frames
    } catch (error) {
      known.delete(tab)
      throw error
    }
  }

  /** The session of a frame in another process, if it is known. */
  async sessionOf(frameId: string): Promise<string | undefined> {
    await this.#settled()
    return this.#sessions.get(frameId)
  }

  /** The sessions of all frames in other processes. */
  async sessions(): Promise<readonly string[]> {
    await this.#settled()
    return [...this.#sessions.values()]
  }

  async #settled(): Promise<void> {
    let before: unknown
    do {
      before = this.#following
      await before
    } while (before !== this.#following)
  }

  async #follow(session: string): Promise<void> {
    const offs = [
      this.#tab.on('Target.attachedToTarget', (params) => this.#attached(params), session),
      this.#tab.on('Target.detachedFromTarget', (params) => this.#detached(params), session),
    ]
    this.#deaf.set(session, () => offs.forEach((off) => off()))
    // Existing frames have been reported by the time this is answered.
    const auto = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }
    await this.#tab.call(
      'Target.setAutoAttach',
      { ...auto, filter: onlyFrames },
      undefined,
      session,
    )
  }

  #attached(params: unknown): void {
    const { sessionId, targetInfo } = params as Attached
    if (targetInfo.type !== 'iframe') return
    this.#sessions.set(targetInfo.targetId, sessionId)
    const attaching = this.#follow(sessionId).catch((error: unknown) => {
      // The frame disappeared before it was attached.
      if (!(error instanceof ServiceError)) throw error
      this.#detached({ sessionId })
    })
    this.#following = Promise.all([this.#following, attaching])
  }

  #detached({ sessionId }: { readonly sessionId?: unknown }): void {
    for (const [frameId, known] of this.#sessions) {
      if (known === sessionId) this.#sessions.delete(frameId)
    }
    this.#deaf.get(sessionId as string)?.()
    this.#deaf.delete(sessionId as string)
  }
}
