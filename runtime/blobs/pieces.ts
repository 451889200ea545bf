/** The same bytes in pieces of that size; only the last one may be shorter, and none is empty. */
export async function* inPieces(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    heldBytes += chunk.byteLength
    if (heldBytes < pieceBytes) continue
    const whole = Buffer.concat(held)
    let at = 0
    for (; heldBytes - at >= pieceBytes; at += pieceBytes) yield whole.subarray(at, at + pieceBytes)
    held = [whole.subarray(at)]
    heldBytes -= at
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
