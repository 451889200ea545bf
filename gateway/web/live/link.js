/**
 * The connection to the session: text frames carry messages, binary frames the picture. The picture
 * gets a `channel` with the binary frames only, which looks like a WebSocket.
 */
import { socketUrl } from './address.js'

const answerWithinMs = 15_000

export class Link {
  #socket
  #channel
  #waiting = new Map()
  #lastId = 0
  #shownAt = performance.now()

  /**
   * `onMessage` is called for messages that are not answers to requests; `closed` resolves when the
   * socket closes.
   */
  constructor(onMessage) {
    const socket = new WebSocket(socketUrl())
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#channel = new Channel(socket)
    socket.onmessage = (event) => {
      if (typeof event.data === 'string') return this.#receive(JSON.parse(event.data), onMessage)
      this.#shownAt = performance.now()
      this.#channel.onmessage?.(event)
    }
    this.closed = new Promise((resolve) => {
      socket.onclose = (event) => {
        this.#channel.onclose?.(event)
        for (const { reject } of this.#waiting.values())
          reject(new Error('The connection was lost. Try again when it is back.'))
        this.#waiting.clear()
        resolve({ code: event.code, reason: event.reason })
      }
    })
  }

  get channel() {
    return this.#channel
  }

  /** Since the last data of the picture, or since the connection was opened. */
  get pictureAgeMs() {
    return performance.now() - this.#shownAt
  }

  tell(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  /** Resolves with the answer to this message, matched by its id. */
  ask(message) {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error('The session does not respond. Try again.'))
      }, answerWithinMs)
      this.#waiting.set(id, { resolve, reject, late })
      this.tell({ ...message, id })
    })
  }

  close() {
    this.#socket.close()
  }

  #receive(message, onMessage) {
    const waiting = this.#waiting.get(message.id)
    if (!waiting) return onMessage(message)
    this.#waiting.delete(message.id)
    clearTimeout(waiting.late)
    if (message.type === 'failed') waiting.reject(new Error(message.message))
    else waiting.resolve(message)
  }
}

/** Has the part of the WebSocket interface that noVNC uses. */
class Channel {
  binaryType = 'arraybuffer'
  protocol = ''
  onopen = null
  onmessage = null
  onerror = null
  onclose = null
  #socket

  constructor(socket) {
    this.#socket = socket
  }

  get readyState() {
    return this.#socket.readyState
  }

  send(data) {
    this.#socket.send(data)
  }

  close() {
    this.#socket.close()
  }
}
