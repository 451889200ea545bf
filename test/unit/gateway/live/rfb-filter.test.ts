/**
 * Goal: whatever a view-only viewer sends, and however it is split, no input reaches the VNC
 * server, and every request for the picture does. Method: the client's half of a conversation
 * message by message, then split everywhere and shuffled.
 */
import fc from 'fast-check'
import t from 'tap'
import { RfbFilter, RfbRefused } from '../../../../gateway/live/desktop/rfb-filter.ts'
import { liveLimits } from '../../../../gateway/live/limits.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const prelude = Buffer.concat([Buffer.from('RFB 003.008\n'), bytes('01'), bytes('01')])

const cutText = (length: number, text: Buffer) => {
  const head = Buffer.from(bytes('06 000000 00000000'))
  head.writeInt32BE(length, 4)
  return Buffer.concat([head, text])
}

/** Messages that request the picture. */
const looks = {
  setPixelFormat: bytes('00 000000 20 18 00 01 00ff 00ff 00ff 10 08 00 000000'),
  setEncodings: bytes('02 00 0003 00000007 00000001 ffffff21'),
  requestUpdate: bytes('03 01 0000 0000 05a0 0384'),
  continuousUpdates: bytes('96 01 0000 0000 05a0 0384'),
  fence: bytes('f8 000000 80000001 04 01020304'),
}

/** Messages with input. */
const touches = {
  key: bytes('04 01 0000 00000061'),
  pointer: bytes('05 01 0064 0064'),
  extendedPointer: bytes('05 81 0064 0064 01'),
  cutText: cutText(5, Buffer.from('hello')),
  // Its bytes look like messages.
  cutTextOfMessages: cutText(
    18,
    Buffer.concat([looks.requestUpdate, bytes('04 01 0000 00000061')]),
  ),
  extendedCutText: cutText(-8, bytes('10000001 deadbeef')),
  xvp: bytes('fa 00 01 02'),
  desktopSize: bytes('fb 00 0400 0300 01 00 00000000 0000 0000 0400 0300 00000000'),
  qemuKey: bytes('ff 00 0001 00000061 0000001e'),
  gii: bytes('fd 80 0004 01020304'),
}

const conversation = [
  ...Object.values(looks).flatMap((look, i) => [Object.values(touches)[i]!, look]),
  ...Object.values(touches),
  looks.requestUpdate,
]
const said = Buffer.concat([prelude, ...conversation])
const isLook = (message: Buffer) => Object.values<Buffer>(looks).includes(message)
const allowed = Buffer.concat([prelude, ...conversation.filter(isLook)])

function passAll(pieces: readonly Uint8Array[]): Buffer {
  const filter = new RfbFilter()
  return Buffer.concat(pieces.map((piece) => filter.pass(piece)))
}

t.test('only requests for the picture pass, split in two at any place', async (t) => {
  t.same(passAll([said]), allowed)
  for (let cut = 1; cut < said.length; cut++) {
    const passed = passAll([said.subarray(0, cut), said.subarray(cut)])
    if (!passed.equals(allowed)) t.fail(`cut at ${cut}`)
  }
})

t.test('byte by byte too', async (t) => {
  t.same(passAll([...said].map((byte) => Uint8Array.of(byte))), allowed)
})

t.test('any messages in any pieces: the requests for the picture pass, in order', async () => {
  const message = fc.constantFrom(...Object.values(looks), ...Object.values(touches))
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 40 }), cuts, (messages, sizes) => {
      const stream = Buffer.concat([prelude, ...messages])
      const pieces: Buffer[] = []
      for (let at = 0, i = 0; at < stream.length; at += sizes[i++ % sizes.length]!) {
        pieces.push(stream.subarray(at, at + sizes[i % sizes.length]!))
      }
      const expected = Buffer.concat([prelude, ...messages.filter(isLook)])
      return passAll(pieces).equals(expected)
    }),
  )
})

t.test('any bytes end in complete allowed messages or in a refusal', async () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (pieces) => {
      const filter = new RfbFilter()
      let passed = Buffer.concat([filter.pass(prelude)])
      try {
        for (const piece of pieces) passed = Buffer.concat([passed, filter.pass(piece)])
      } catch (error) {
        if (!(error instanceof RfbRefused)) throw error
      }
      // What has passed would pass again unchanged.
      return passAll([passed]).equals(passed)
    }),
  )
})

t.test('a viewer that asks for exclusive access gets shared access', async (t) => {
  const alone = Buffer.concat([Buffer.from('RFB 003.008\n'), bytes('01'), bytes('00')])
  t.same(passAll([alone]), prelude)
})

function isRefused(pieces: readonly Uint8Array[]): boolean {
  try {
    passAll(pieces)
    return false
  } catch (error) {
    return error instanceof RfbRefused
  }
}

t.test('messages of unknown or absurd length are refused', async (t) => {
  const refused: Record<string, Buffer> = {
    'another version': Buffer.from('RFB 003.003\n'),
    'no version': Buffer.from('GET / HTTP/1.1\r\n'),
    'another security': Buffer.concat([Buffer.from('RFB 003.008\n'), bytes('02')]),
    'an unknown message': Buffer.concat([prelude, bytes('63')]),
    'a file transfer': Buffer.concat([prelude, bytes('07 00 0000')]),
    'too many encodings': Buffer.concat([prelude, bytes('02 00 ffff')]),
    'a huge cut text': Buffer.concat([prelude, cutText(liveLimits.rfbCutTextBytes + 1, bytes(''))]),
    'a huge extended one': Buffer.concat([prelude, cutText(-(2 ** 31), bytes(''))]),
    'a long fence': Buffer.concat([prelude, bytes('f8 000000 00000000 41')]),
    'QEMU audio': Buffer.concat([prelude, bytes('ff 01 0000')]),
  }
  for (const [what, stream] of Object.entries(refused)) {
    t.ok(isRefused([stream]), what)
    t.ok(isRefused([...stream].map((byte) => Uint8Array.of(byte))), `${what}, byte by byte`)
  }
})
