/**
 * Calls of CDP that no client may make: Chromium opens them to every connection for the sake of the
 * agent's own line, and they load what is on the browser's host into the browser, or take the network
 * policy out of it. All other messages pass unread.
 */
interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly message?: unknown } | null
  readonly sessionId?: unknown
}

const domain = 'Extensions.'
/** With an escape in it, a name is not to be seen in the bytes. */
const signs = [Buffer.from(domain), Buffer.from('\\u')]

/** What the client is answered in place of the browser; nothing when the message may pass. */
export function refusalOf(message: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (!signs.some((sign) => bytes.includes(sign))) return undefined
  const call = parse(bytes.toString('utf8'))
  if (!call || !isRefused(call)) return undefined
  const { id, sessionId } = call
  const error = { code: -32601, message: 'Extensions are not for clients of a session.' }
  return Buffer.from(JSON.stringify({ id, error, sessionId }))
}

function isRefused({ method, params }: Call): boolean {
  if (typeof method !== 'string') return false
  if (method.startsWith(domain)) return true
  // An older way of speaking to a target has the message as a text in another.
  const inner = method === 'Target.sendMessageToTarget' ? params?.message : undefined
  const call = typeof inner === 'string' ? parse(inner) : undefined
  return call !== undefined && isRefused(call)
}

/** What is no JSON is for Chromium to refuse. */
function parse(text: string): Call | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
