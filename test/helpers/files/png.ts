/** The size of a PNG, from its header. */
export function pngSize(png: Uint8Array) {
  const bytes = Buffer.from(png)
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('no PNG')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}
