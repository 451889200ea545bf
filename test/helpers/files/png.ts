import { inflateSync } from 'node:zlib'

/** The size of a PNG, from its header. */
export function pngSize(png: Uint8Array) {
  const bytes = Buffer.from(png)
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('no PNG')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** What a filter of PNG (https://www.w3.org/TR/png-3/#9Filters) adds to a byte. */
export function pngPrediction(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  if (filter !== 4) return 0
  const estimate = left + above - corner
  const [a, b, c] = [left, above, corner].map((each) => Math.abs(estimate - each))
  if (a! <= b! && a! <= c!) return left
  return b! <= c! ? above : corner
}

/** Decodes a PNG of eight bits per colour by the rules of the specification. */
export function pngPixels(png: Uint8Array) {
  const bytes = Buffer.from(png)
  const { width, height } = pngSize(bytes)
  const perPixel = bytes[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) !== 'IDAT') continue
    parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  }
  const rows = inflateSync(Buffer.concat(parts))
  const stride = width * perPixel
  const pixels = new Uint8Array(height * stride)
  for (let row = 0; row < height; row++) {
    const filter = rows[row * (stride + 1)]!
    for (let at = 0; at < stride; at++) {
      const to = row * stride + at
      const left = at >= perPixel ? pixels[to - perPixel]! : 0
      const above = row > 0 ? pixels[to - stride]! : 0
      const corner = at >= perPixel && row > 0 ? pixels[to - stride - perPixel]! : 0
      pixels[to] = rows[row * (stride + 1) + 1 + at]! + pngPrediction(filter, left, above, corner)
    }
  }
  const pixel = (x: number, y: number) => [
    ...pixels.subarray(y * stride + x * perPixel, y * stride + x * perPixel + 3),
  ]
  return { width, height, pixel }
}
