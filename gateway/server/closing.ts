/** Why a socket closes: the close code and reason for the other side. */

export interface Closing {
  readonly code: number
  readonly reason: string
}

/** Close codes from the WebSocket standard (RFC 6455). */
export const socketCodes = {
  done: 1000,
  goingAway: 1001,
  notAccepted: 1003,
  policyViolation: 1008,
  tooBig: 1009,
  failed: 1011,
  overloaded: 1013,
} as const

const closeReasonBytes = 123

/** Cuts the text between characters to what fits in a close frame. */
export function closeReason(text: string): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= closeReasonBytes) return text
  return encoded
    .subarray(0, closeReasonBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
}

export const tooBigForBrowser = 'A message to the browser may have 100 MiB at most.'
