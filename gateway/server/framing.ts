/** How a request says where its body ends. */

/**
 * False when the headers can be read in two ways. Another server on the way may read the other one, and
 * take the rest of this body for the next request on the connection, which may be another caller's.
 */
export function hasClearLength(headers: ReadonlyMap<string, string>): boolean {
  const length = headers.get('content-length')
  const coding = headers.get('transfer-encoding')
  if (coding === undefined) return length === undefined || /^\d+$/.test(length)
  return length === undefined && coding.toLowerCase() === 'chunked'
}
