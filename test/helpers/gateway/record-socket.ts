/** A client of `/ws`: the records it got, and how it was closed. */
import { once } from 'node:events'
import WebSocket from 'ws'
import type { TaskRecord } from '../../../proto/task/task.ts'

export class RecordClient {
  readonly told: TaskRecord[] = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  readonly #socket: WebSocket

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('error', () => undefined) // What matters of an error is the close that follows it.
    socket.on('message', (data: Buffer) => this.told.push(JSON.parse(data.toString())))
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
  }

  /** Throws with the status and the error's type when the connection is refused. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<RecordClient> {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers })
    const client = new RecordClient(socket)
    const refused = new Promise<never>((_, reject) => {
      socket.once('unexpected-response', (_request, response) => {
        void refusalIn(response).then((error) => {
          reject(new Error(`${error.code} ${error.type}: ${error.message}`))
          socket.terminate()
        }, reject)
      })
    })
    await Promise.race([once(socket, 'open'), refused])
    return client
  }

  /** `s3`: step 3; `S2`: state 2. */
  get numbers(): string {
    return this.told.map(({ type, n }) => `${type === 'step' ? 's' : 'S'}${n}`).join(' ')
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  say(text: string): void {
    this.#socket.send(text)
  }

  drop(): void {
    this.#socket.terminate()
  }
}

interface Refusal {
  readonly code: number
  readonly type: string
  readonly message: string
}

async function refusalIn(response: AsyncIterable<unknown>): Promise<Refusal> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return (JSON.parse(Buffer.concat(chunks).toString()) as { error: Refusal }).error
}
