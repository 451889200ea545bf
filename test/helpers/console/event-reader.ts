/** Reads a stream of server-sent events. */
import { until } from '../lib/until.ts'

export class EventReader {
  readonly #abort = new AbortController()
  readonly #heard: { readonly event: string; readonly data: unknown }[] = []
  /** Resolves with true when the service has ended the stream, with false after `close`. */
  readonly ended: Promise<boolean>

  constructor(answer: Response) {
    this.ended = this.#read(answer.body!.pipeThrough(new TextDecoderStream())).then(
      () => true,
      () => false,
    )
  }

  /** The data of the next event of this name; earlier ones of other names are passed over. */
  async next<T>(event: string): Promise<T> {
    const found = await until(`the event ${event}`, () => {
      const at = this.#heard.findIndex((each) => each.event === event)
      return at !== -1 && this.#heard.splice(0, at + 1).at(-1)!
    })
    return found.data as T
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await this.ended
  }

  async #read(body: ReadableStream<string>): Promise<void> {
    const reader = body.getReader()
    this.#abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
    let text = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const parts = (text + read.value).split('\n\n')
      text = parts.pop()!
      for (const part of parts) this.#hear(part)
    }
    if (this.#abort.signal.aborted) throw new Error('closed')
  }

  #hear(part: string): void {
    const [, event] = /^event: (.*)$/m.exec(part) ?? []
    const [, data = 'null'] = /^data: (.*)$/m.exec(part) ?? []
    if (event !== undefined) this.#heard.push({ event, data: JSON.parse(data) })
  }
}
