/**
 * The frames of a tab, wherever they live. Those in other processes are attached to, below the tab,
 * from the first question on; each frame is asked through the session of its process.
 */
import type { Tab } from '../tab.ts'

export interface Frame {
  readonly id: string
  /** CDP session of its process. */
  readonly session: string
  readonly parentId: string | undefined
}

interface FrameTree {
  readonly frame: { readonly id: string; readonly parentId?: string }
  readonly childFrames?: readonly FrameTree[]
}

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly type: string }
}

/** Of the targets that can lie below a page, only frames. */
const onlyFrames = [{ type: 'iframe' }, { exclude: true }]

export class Frames {
  readonly #tab: Tab
  /** The tab's own first. */
  readonly #sessions: Set<string>
  #attached: Promise<void> | undefined

  constructor(tab: Tab) {
    this.#tab = tab
    this.#sessions = new Set([tab.sessionId])
  }

  /** The main frame first, the others of a process in the order of their document. */
  async all(): Promise<readonly Frame[]> {
    this.#attached ??= this.#attach(this.#tab.sessionId)
    await this.#attached
    const trees = await Promise.all([...this.#sessions].map((session) => this.#framesOf(session)))
    return trees.flat()
  }

  /** A world of ours in the frame: the page's scripts cannot reach into it. */
  async worldOf({ id, session }: Frame): Promise<number> {
    const { executionContextId } = await this.#tab.send<{ executionContextId: number }>(
      'Page.createIsolatedWorld',
      { frameId: id, worldName: 'troupe' },
      undefined,
      session,
    )
    return executionContextId
  }

  async #framesOf(session: string): Promise<Frame[]> {
    try {
      const { frameTree } = await this.#tab.send<{ frameTree: FrameTree }>(
        'Page.getFrameTree',
        {},
        undefined,
        session,
      )
      return [...flat(frameTree, session)]
    } catch (error) {
      // A frame may go at any time, and its session with it; the tab's own may not.
      if (session === this.#tab.sessionId) throw error
      return []
    }
  }

  /** What is there has been told of by the time this is answered. */
  async #attach(session: string): Promise<void> {
    const below: Promise<void>[] = []
    const attached = (params: unknown) => {
      const { sessionId, targetInfo } = params as Attached
      if (targetInfo.type !== 'iframe') return
      this.#sessions.add(sessionId)
      // It may be gone again before it is reached.
      below.push(this.#attach(sessionId).catch(() => undefined))
    }
    this.#tab.on('Target.attachedToTarget', attached, session)
    this.#tab.on(
      'Target.detachedFromTarget',
      ({ sessionId }) => this.#sessions.delete(sessionId as string),
      session,
    )
    const autoAttach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }
    const params = { ...autoAttach, filter: onlyFrames }
    await this.#tab.call('Target.setAutoAttach', params, undefined, session)
    await Promise.all(below)
  }
}

function* flat({ frame, childFrames = [] }: FrameTree, session: string): Generator<Frame> {
  yield { id: frame.id, session, parentId: frame.parentId }
  for (const child of childFrames) yield* flat(child, session)
}
