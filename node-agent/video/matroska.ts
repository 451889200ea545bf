/**
 * Pictures with their times as a Matroska stream, which is what the encoder reads: it is the simplest
 * container in which each JPEG has a time of its own, in ms. RFC 9559.
 */
export interface TimedPicture {
  /** From the begin of the stream. */
  readonly ms: number
  readonly jpeg: Uint8Array
}

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Times rise by 1 ms at least. The size may differ from that of the pictures. */
export async function* matroska(
  pictures: AsyncIterable<TimedPicture>,
  { width, height }: PictureSize,
): AsyncGenerator<Buffer> {
  const video = [element(0xb0, uint(width)), element(0xba, uint(height))]
  const track = [
    ...[element(0xd7, uint(1)), element(0x73c5, uint(1)), element(0x83, uint(typeVideo))],
    element(0x86, Buffer.from('V_MJPEG')),
    element(0xe0, ...video),
  ]
  yield Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from('matroska'))),
    ...[uint(0x18538067), sizeUnknown],
    // Times are in ms.
    element(0x1549a966, element(0x2ad7b1, uint(1_000_000))),
    element(0x1654ae6b, element(0xae, ...track)),
  ])
  for await (const { ms, jpeg } of pictures) {
    // Track 1, no ms after the time of its cluster, a keyframe.
    const block = element(0xa3, Buffer.from([0x81, 0, 0, 0x80]), jpeg)
    yield element(0x1f43b675, element(0xe7, uint(ms)), block)
  }
}

const typeVideo = 1
const sizeUnknown = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])

function element(id: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = content.reduce((sum, part) => sum + part.byteLength, 0)
  // Of the eight bytes of a size, the first says how many there are.
  const size = Buffer.alloc(8)
  size.writeUInt8(0x01)
  size.writeUIntBE(bytes, 2, 6)
  return Buffer.concat([uint(id), size, ...content])
}

/** In as few bytes as it needs. */
function uint(value: number): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}
