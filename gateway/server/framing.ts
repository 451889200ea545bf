/** How a request declares the length of its body. */

/**
 * False if the headers can be interpreted in two ways. A proxy in front may choose the other
 * interpretation, and take the rest of this body for the next request on the connection, possibly
 * of another caller (request smuggling).
 */
export function hasClearLength(headers: ReadonlyMap<string, string>): boolean {
  const length = headers.get('content-length')
  const coding = headers.get('transfer-encoding')
  if (coding === undefined) return length === undefined || /^\d+$/.test(length)
  return length === undefined && coding.toLowerCase() === 'chunked'
}
