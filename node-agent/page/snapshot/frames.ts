/**
 * Frames of a tab that live in other processes: each has a session of its own with the debugger,
 * attached to when it comes, never paused, with no domain on.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { Tab } from '../tab.ts'

const onlyFrames = [{ type: 'iframe' }, { exclude: true }]

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly targetId: string; readonly type: string }
}

/** Those of a tab are followed once, whoever asks first. */
const known = new WeakMap<Tab, Promise<FrameTargets>>()

export class FrameTargets {
  readonly #tab: Tab
  /** Sessions by the id of the frame. */
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

  /** The session a frame of another process is reached by, once it is known. */
  async sessionOf(frameId: string): Promise<string | undefined> {
    await this.#settled()
    return this.#sessions.get(frameId)
  }

  /** Of all frames of other processes. */
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
    // The frames there are have been told of by the time this is answered.
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
    const followed = this.#follow(sessionId).catch((error: unknown) => {
      // It was gone before it was reached: then it is no frame.
      if (!(error instanceof ServiceError)) throw error
      this.#detached({ sessionId })
    })
    this.#following = Promise.all([this.#following, followed])
  }

  #detached({ sessionId }: { readonly sessionId?: unknown }): void {
    for (const [frameId, known] of this.#sessions) {
      if (known === sessionId) this.#sessions.delete(frameId)
    }
    this.#deaf.get(sessionId as string)?.()
    this.#deaf.delete(sessionId as string)
  }
}
