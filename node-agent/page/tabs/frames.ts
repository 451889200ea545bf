/**
 * The frames of a tab in all processes; each is accessed through the CDP session of its process.
 */
import { FrameTargets } from './remote-frames.ts'
import { worldIn, type SendCall } from './calls.ts'
import type { Tab } from './tab.ts'
import type { CallArguments } from '../../cdp/protocol.ts'

export interface PageFrame {
  readonly id: string
  /** The CDP session of its process. */
  readonly session: string
  readonly parentId: string | undefined
  /** Of its document; undefined for a frame that was not asked for it. */
  readonly url?: string
}

interface FrameTree {
  readonly frame: { readonly id: string; readonly parentId?: string; readonly url: string }
  readonly childFrames?: readonly FrameTree[]
}

export class PageFrames {
  readonly #tab: Tab

  constructor(tab: Tab) {
    this.#tab = tab
  }

  get main(): PageFrame {
    const { id, session } = this.#tab
    return { id, session, parentId: undefined }
  }

  /** The main frame first; frames of one process are in document order. */
  async all(): Promise<readonly PageFrame[]> {
    const others = await (await FrameTargets.of(this.#tab)).sessions()
    const sessions = [this.#tab.session, ...others]
    const trees = await Promise.all(sessions.map((session) => this.#framesOf(session)))
    return trees.flat()
  }

  worldOf({ id, session }: PageFrame): Promise<number> {
    return worldIn(callSenderTo(this.#tab, session), id)
  }

  async #framesOf(session: string): Promise<PageFrame[]> {
    try {
      const send = callSenderTo(this.#tab, session)
      const { frameTree } = await send('Page.getFrameTree', {})
      return [...flat(frameTree, session)]
    } catch (error) {
      // A frame and its session may disappear at any time; the tab's own session may not.
      if (session === this.#tab.session) throw error
      return []
    }
  }
}

function* flat({ frame, childFrames = [] }: FrameTree, session: string): Generator<PageFrame> {
  const { id, parentId, url } = frame
  yield { id, session, parentId, url }
  for (const child of childFrames) yield* flat(child, session)
}

/** Sends to the process of a frame, through its session. */
export function callSenderTo(tab: Tab, session: string): SendCall {
  return (method, ...[params]) => {
    type Rest = [timeoutMs?: number, session?: string]
    const all = [params, undefined, session] as unknown as CallArguments<typeof method, Rest>
    return tab.send(method, ...all)
  }
}
