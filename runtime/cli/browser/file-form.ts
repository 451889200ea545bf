/** A file of this machine as the body of a request: a form with one part, which is streamed. */
import { randomBytes } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { contained } from '../../lib/network/contained.ts'

/** The body of a request, and what its headers say of it. */
export interface SentContent {
  readonly headers: Readonly<Record<string, string | number>>
  readonly text?: string
  readonly stream?: Readable
}

export function formWithFile(path: string): SentContent {
  const boundary = `troupe-${randomBytes(16).toString('hex')}`
  // What would end the name; hosts of browsers replace it as well.
  const name = basename(path).replaceAll(/["\\\r\n]/g, '_')
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  )
  const foot = Buffer.from(`\r\n--${boundary}--\r\n`)
  const length = head.byteLength + statSync(path).size + foot.byteLength
  async function* parts() {
    yield head
    yield* contained(createReadStream(path))
    yield foot
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': length,
    },
    stream: Readable.from(parts()),
  }
}
