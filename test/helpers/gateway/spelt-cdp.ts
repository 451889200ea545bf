/** CDP messages written by the test itself, byte by byte, and several ways to spell one call. */
import WebSocket from 'ws'

interface Received {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly message?: string; readonly targetInfo?: { readonly type: string } }
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export interface SpeltCdp {
  /** Resolves with the next message that is not an event, except events of nested sessions. */
  say(text: string): Promise<Received>
  /** Everything that was received, in order. */
  readonly received: readonly Received[]
  close(): void
}

export async function connectSpelt(url: string): Promise<SpeltCdp> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const received: Received[] = []
  let answered: (message: Received) => void = () => {}
  socket.on('message', (data) => {
    const message: Received = JSON.parse(String(data))
    received.push(message)
    if (message.method === undefined) answered(message)
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    received,
    say(text) {
      const answer = new Promise<Received>((resolve) => (answered = resolve))
      socket.send(text)
      return answer
    },
    close: () => socket.close(),
  }
}

/**
 * The same call in other bytes; `call` is in the form of JSON.stringify. Chromium accepts all of
 * them.
 */
export const spellings: Readonly<Record<string, (call: string) => string>> = {
  plain: (call) => call,
  'a letter as an escape': (call) => call.replace(/"method":"(\w)/, escapedLetter),
  'the dot as an escape': (call) => call.replace(/("method":"\w+)\./, '$1\\u002E'),
  'the key as an escape': (call) => call.replace('"method"', '"meth\\u006Fd"'),
  'white space that only Chromium takes': (call) => call.replace('"method":', '"method"\f:\v'),
  'white space in other places': (call) => call.replace('"method":', ' "method"\n:\t '),
}

function escapedLetter(_match: string, letter: string): string {
  return `"method":"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Wrapped into the message of another call, to the session of a target. */
export const nested = (message: string, sessionId: string) =>
  JSON.stringify({ id: 99, method: 'Target.sendMessageToTarget', params: { message, sessionId } })
