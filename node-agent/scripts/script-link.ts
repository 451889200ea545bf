/**
 * Relays CDP messages between a script and its session's browser. Each script has a DevTools socket
 * of its own, with the same rules as the sockets of clients; when it closes, everything that the
 * script has set up in the browser ends.
 */
import { filterCall } from '../../runtime/browser-host/cdp-rules/client-calls.ts'
import { OwnTargets } from '../../runtime/browser-host/cdp-rules/own-targets.ts'
import type { ByteChannel, ChannelListener } from '../../runtime/browser-host/channel/channel.ts'
import { dialUrl } from '../../runtime/browser-host/channel/web-socket.ts'
import type { DevtoolsEndpoint } from '../browser/running.ts'
import { scriptLimits } from './limits.ts'

export interface ScriptLinkOptions {
  readonly devtools: DevtoolsEndpoint
  readonly downloadsDir: string
  /** The browser context of the agent's pages, the script's own among them: it sees none of them. */
  readonly ownContextId: string
  /**
   * Passes messages to the script; resolves when the script has accepted them, before the next ones
   * are passed.
   */
  readonly sendToScript: (messages: readonly string[]) => Promise<unknown>
  /** The browser closed the socket, or the script does not accept messages. */
  readonly onLost: (error?: unknown) => void
}

export class ScriptLink implements ChannelListener {
  readonly #options: ScriptLinkOptions
  readonly #ownTargets: OwnTargets
  #channel: ByteChannel | undefined
  #unread: string[] = []
  #unreadChars = 0
  #isHanding = false
  #isClosed = false

  private constructor(options: ScriptLinkOptions) {
    this.#options = options
    this.#ownTargets = new OwnTargets(options.ownContextId, (message) =>
      this.#channel?.send(message, false),
    )
  }

  static async open(options: ScriptLinkOptions): Promise<ScriptLink> {
    const { port, path, socket } = options.devtools
    const link = new ScriptLink(options)
    link.#channel = await dialUrl(`ws://127.0.0.1:${port}${path}`, link, {
      unixSocket: socket,
    })
    return link
  }

  /** Sends a message from the script to the browser. */
  send(message: string): void {
    const bytes = Buffer.from(message)
    const filtered = filterCall(bytes, this.#options)
    if (filtered?.to === 'client') this.#handOver(filtered.message)
    else this.#channel?.send(filtered?.message ?? bytes, false)
  }

  received(data: Uint8Array): void {
    const visible = this.#ownTargets.visible(data)
    if (visible) this.#handOver(visible)
  }

  #handOver(data: Uint8Array): void {
    if (this.#isClosed) return
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')
    this.#unread.push(text)
    this.#unreadChars += text.length
    if (this.#unreadChars > scriptLimits.unreadChars) this.#channel?.pause()
    if (!this.#isHanding) void this.#handAll()
  }

  lost(): void {
    if (!this.#isClosed) this.#options.onLost()
  }

  close(): void {
    this.#isClosed = true
    this.#unread = []
    this.#channel?.close()
  }

  async #handAll(): Promise<void> {
    this.#isHanding = true
    try {
      while (this.#unread.length > 0 && !this.#isClosed) {
        const messages = this.#unread
        this.#unread = []
        this.#unreadChars = 0
        this.#channel?.resume()
        await this.#options.sendToScript(messages)
      }
    } catch (error) {
      if (!this.#isClosed) this.#options.onLost(error)
    } finally {
      this.#isHanding = false
    }
  }
}
