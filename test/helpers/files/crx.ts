/** CRX files of version 3, as Chromium's packer writes them. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'

/** A field of a protocol buffer with bytes. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Buffer.from([...bytes, value])
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Signed with a new key of that kind, which is returned as it stands in a manifest. */
export function crxOf(zip: Buffer, kind: 'rsa' | 'ec' = 'rsa', signed: Buffer = zip) {
  const pair =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = pair.publicKey.export({ format: 'der', type: 'spki' })
  const id = createHash('sha256').update(key).digest().subarray(0, 16)
  const data = field(1, id)
  const message = [Buffer.from('CRX3 SignedData\0'), uint32(data.length), data, signed]
  const signature = sign('sha256', Buffer.concat(message), pair.privateKey)
  const proof = Buffer.concat([field(1, key), field(2, signature)])
  const header = Buffer.concat([field(kind === 'rsa' ? 2 : 3, proof), field(10_000, data)])
  const file = [Buffer.from('Cr24'), uint32(3), uint32(header.length), header, zip]
  return { file: Buffer.concat(file), key: key.toString('base64') }
}
