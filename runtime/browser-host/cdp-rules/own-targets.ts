/**
 * Hides the service's own pages from a client: the clipboard page, and the pages in which scripts
 * run. They are in a browser context of their own, which the agent creates before any client
 * connects. Its id is in each of the browser's messages that shows one of them, and nowhere else,
 * so only messages with these bytes are parsed.
 *
 * Chromium attaches a client that attaches automatically to them as well, and may let them wait
 * for it. Such a session is detached here, which lets the page run on.
 */
import { cdpRuleLimits } from './limits.ts'

type SendToBrowser = (message: Buffer) => void

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Params
  readonly result?: Result
  readonly sessionId?: string
}

interface Params {
  readonly targetInfo?: TargetInfo
  readonly targetId?: string
  readonly sessionId?: string
  /** Of a session that is not flat: another message as JSON text. */
  readonly message?: string
}

interface TargetInfo {
  readonly targetId: string
  readonly browserContextId?: string
}

interface Result {
  readonly targetInfos?: readonly TargetInfo[]
  readonly browserContextIds?: readonly string[]
}

/** The id of all calls that are made here; clients count upwards from 0. */
const ownCallId = -2_071_954_837
const ownCallBytes = Buffer.from(String(ownCallId))
const targetIdBytes = Buffer.from('targetId')
/** Chromium's event for a message of a session that is not flat. */
const nesting = 'Target.receivedMessageFromTarget'

/** One for each connection of a client. */
export class OwnTargets {
  readonly #contextId: string
  readonly #contextBytes: Buffer
  readonly #sendToBrowser: SendToBrowser
  /** The last hidden targets. Some events, each in several sessions, have only their id. */
  readonly #hidden = new Set<string>()
  /** Calls made here that have no answer yet. */
  #unanswered = 0

  constructor(contextId: string, sendToBrowser: SendToBrowser) {
    this.#contextId = contextId
    this.#contextBytes = Buffer.from(contextId)
    this.#sendToBrowser = sendToBrowser
  }

  /** Returns a message of the browser as the client may see it, or undefined to leave it out. */
  visible(data: Uint8Array): Uint8Array | undefined {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (!this.#mayShow(bytes)) return data
    const message = JSON.parse(bytes.toString('utf8')) as Message
    const { sessionId } = message
    const seen = this.#filter(message, (call) => this.#send({ ...call, sessionId }))
    return seen === message ? data : seen && Buffer.from(JSON.stringify(seen))
  }

  #mayShow(bytes: Buffer): boolean {
    if (bytes.includes(this.#contextBytes)) return true
    if (this.#unanswered > 0 && bytes.includes(ownCallBytes)) return true
    if (this.#hidden.size === 0 || !bytes.includes(targetIdBytes)) return false
    return [...this.#hidden].some((id) => bytes.includes(id))
  }

  /** `send`: makes a call in the session of the message. */
  #filter(message: Message, send: (call: object) => void): Message | undefined {
    const { id, method, params = {}, result } = message
    if (id === ownCallId) {
      this.#unanswered--
      return undefined
    }
    if (method === nesting) return this.#filterNested(message, params, send)
    if (method?.startsWith('Target.') && this.#isHidden(params)) {
      if (method === 'Target.attachedToTarget') {
        const { sessionId } = params
        send({ id: ownCallId, method: 'Target.detachFromTarget', params: { sessionId } })
      }
      return undefined
    }
    return result ? this.#filterLists(message, result) : message
  }

  #filterNested(
    message: Message,
    params: Params,
    send: (call: object) => void,
  ): Message | undefined {
    const inner = JSON.parse(params.message!) as Message
    const { sessionId } = params
    const seen = this.#filter(inner, (call) => {
      const nested = { sessionId, message: JSON.stringify(call) }
      // Both calls are answered.
      this.#unanswered++
      send({ id: ownCallId, method: 'Target.sendMessageToTarget', params: nested })
    })
    if (seen === inner) return message
    return seen && { ...message, params: { ...params, message: JSON.stringify(seen) } }
  }

  /** The answers of `Target.getTargets` and `Target.getBrowserContexts`. */
  #filterLists(message: Message, result: Result): Message {
    const { targetInfos, browserContextIds } = result
    const seen = {
      ...result,
      ...(targetInfos && { targetInfos: targetInfos.filter((info) => !this.#isOwn(info)) }),
      ...(browserContextIds && {
        browserContextIds: browserContextIds.filter((id) => id !== this.#contextId),
      }),
    }
    return { ...message, result: seen }
  }

  #isHidden({ targetInfo, targetId = '' }: Params): boolean {
    if (!targetInfo) return this.#hidden.has(targetId)
    if (!this.#isOwn(targetInfo)) return false
    this.#hidden.add(targetInfo.targetId)
    const [oldest] = this.#hidden
    if (this.#hidden.size > cdpRuleLimits.hiddenTargetsKept) this.#hidden.delete(oldest!)
    return true
  }

  #isOwn({ browserContextId }: TargetInfo): boolean {
    return browserContextId === this.#contextId
  }

  #send(call: object): void {
    this.#unanswered++
    this.#sendToBrowser(Buffer.from(JSON.stringify(call)))
  }
}

/** Of Chromium's `/json/list`, which has no ids of contexts, and shows pages but not their tabs. */
const hiddenType = 'other'

/** Filters Chromium's answer to `/json/list`. */
export function withoutOwnTargets(targets: unknown): unknown {
  if (!Array.isArray(targets)) return targets
  return targets.filter((target: { readonly type?: unknown } | null) => target?.type !== hiddenType)
}
