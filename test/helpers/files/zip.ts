/** ZIP archives as an attacker writes them: none of the entries is validated. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  /** A folder when it ends with a slash. */
  readonly name: string
  readonly text?: string
  readonly unixMode?: number
  /** The size that the archive claims instead of the true one. */
  readonly claimedBytes?: number
}

const unix = 3 << 8
const deflated = 8

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, text = '', unixMode = 0o100644, claimedBytes } of entries) {
    const content = deflateRawSync(text)
    const fileName = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(deflated, 4)
    common.writeUInt32LE(crc32(text), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(claimedBytes ?? Buffer.byteLength(text), 18)
    common.writeUInt16LE(fileName.length, 22)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, fileName, content])
    const more = Buffer.alloc(14)
    more.writeUInt32LE(unixMode * 2 ** 16, 6)
    more.writeUInt32LE(offset, 10)
    const madeBy = Buffer.from([20, unix >> 8])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, more, fileName]))
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, list, end])
}
