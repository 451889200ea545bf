/**
 * Goal: a form is read as it arrives, its file ends only once the whole form is valid, and its
 * meaning does not depend on how it is split. Method: request bodies played chunk by chunk.
 */
import { Readable } from 'node:stream'
import t from 'tap'
import { z } from 'zod'
import { ServiceError } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import { BodyReader } from '../../../../gateway/server/body.ts'
import { receiveFile, type FileContent } from '../../../../gateway/files/multipart.ts'
import type { HttpRequest } from '../../../../gateway/server/http.ts'
import { until } from '../../../helpers/lib/until.ts'
import { serverLimits } from '../../../../gateway/server/limits.ts'

const type = 'multipart/form-data; boundary=b'

/** A body whose sender is paused as a socket's would be. */
function playBody(headers: Record<string, string> = {}) {
  const flow = { paused: false, pauses: 0 }
  const reader = new BodyReader(
    new Map(Object.entries({ 'transfer-encoding': 'chunked', ...headers })),
    {
      pause() {
        flow.paused = true
        flow.pauses++
      },
      resume() {
        flow.paused = false
      },
    },
  )
  return { reader, flow }
}

function requestOf(reader: BodyReader, contentType = type): HttpRequest {
  return {
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: new Map([['content-type', contentType]]),
    remoteAddress: '127.0.0.1',
    gone: new AbortController().signal,
    body: (limitBytes) => reader.whole(limitBytes),
    stream: (limitBytes) => reader.stream(limitBytes),
  }
}

const fields = z.strictObject({ selector: z.string().optional() })

const textOf = async (name: string, content: FileContent) => {
  const chunks = await Readable.from(content).toArray()
  return `${name}: ${Buffer.concat(chunks)}`
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: ServiceError) => error.type,
  )

const partOf = (name: string, fileName?: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"` +
  `${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n`

const whole = `${partOf('file', 'é.txt')}hello\r\n${partOf('selector')}input\r\n--b--\r\n`

t.test('a form means the same however it is split', async (t) => {
  const bytes = Buffer.from(whole)
  for (const size of [1, 2, 7, 64, bytes.length]) {
    const { reader } = playBody()
    const received = receiveFile(requestOf(reader), { fields, store: textOf })
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size), at + size >= bytes.length)
    }
    t.same(await received, { stored: 'é.txt: hello', fields: { selector: 'input' } }, `${size}`)
  }
})

t.test('the file does not end before the form does', async (t) => {
  const { reader } = playBody()
  let ended = false
  const store = async (_name: string, content: FileContent) => {
    for await (const _ of content);
    ended = true
  }
  const received = receiveFile(requestOf(reader), { fields, store })
  reader.push(Buffer.from(`${partOf('file', 'f')}hello\r\n${partOf('other')}`), false)
  await new Promise(setImmediate)
  t.notOk(ended)
  reader.push(Buffer.from('x\r\n--b--\r\n'), true)
  t.equal(await refusal(received), 'unsupported_option')
  t.notOk(ended, 'a form that turns out bad never lets it end')
})

t.test('a refusal of the store is the answer, and the rest of the body is discarded', async (t) => {
  const { reader, flow } = playBody()
  const full = new ServiceError('too_large', 'Full.')
  const store = () => Promise.reject(full)
  const received = receiveFile(requestOf(reader), { fields, store })
  reader.push(Buffer.from(`${partOf('file', 'f')}hello`), false)
  t.equal(await refusal(received), 'too_large')
  for (let i = 0; i < 8; i++) reader.push(Buffer.alloc(serverLimits.streamBufferBytes), i === 7)
  await reader.drained()
  t.notOk(flow.paused)
})

t.test('a reader that stalls pauses the sender, and lets it go on later', async (t) => {
  const { reader, flow } = playBody()
  let release!: () => void
  const stalled = new Promise<void>((resolve) => (release = resolve))
  let bytes = 0
  const store = async (_name: string, content: FileContent) => {
    await stalled
    for await (const chunk of content) bytes += chunk.byteLength
  }
  const received = receiveFile(requestOf(reader), { fields, store })
  reader.push(Buffer.from(partOf('file', 'f')), false)
  let sent = 0
  await until('it is held up', async () => {
    if (!flow.paused) reader.push(Buffer.alloc(64 * 1024), false)
    if (!flow.paused) sent++
    await new Promise(setImmediate)
    return flow.paused
  })
  t.ok(sent * 64 * 1024 < 2 * 2 ** 20, `held up after ${sent} chunks`)
  release()
  await until('it goes on', () => !flow.paused)
  reader.push(Buffer.from('\r\n--b--\r\n'), true)
  await received
  t.equal(bytes, (sent + 1) * 64 * 1024)
})

t.test('a body that is not read yet is paused beyond a common size', async (t) => {
  const { reader, flow } = playBody()
  reader.push(Buffer.alloc(serverLimits.jsonBodyBytes), false)
  t.notOk(flow.paused)
  reader.push(Buffer.alloc(1), false)
  t.ok(flow.paused)
  const body = reader.whole(2 * serverLimits.jsonBodyBytes)
  t.notOk(flow.paused)
  reader.push(Buffer.alloc(1), true)
  t.equal((await body).byteLength, serverLimits.jsonBodyBytes + 2)
})

t.test('a form announced as too large is refused at once, and its sender drained', async (t) => {
  const announced = { 'content-length': String(20 * serverLimits.jsonBodyBytes) }
  const { reader } = playBody(announced)
  t.equal(await refusal(reader.whole()), 'too_large')
  const streamed = async () => playBody(announced).reader.stream(serverLimits.jsonBodyBytes)
  t.equal(await refusal(streamed()), 'too_large')
  let answered = false
  const drained = reader.drained().then(() => (answered = true))
  for (let i = 0; i < 20; i++) {
    t.notOk(answered)
    reader.push(Buffer.alloc(serverLimits.jsonBodyBytes), i === 19)
  }
  await drained
})

t.test('the refusal of a form announced as too large names its file', async (t) => {
  const { reader } = playBody({ 'content-length': String(2 * limits.uploadBytes) })
  const received = receiveFile(requestOf(reader), { fields, store: textOf })
  const refused = await received.then(
    () => undefined,
    (error: ServiceError) => error.message,
  )
  t.equal(refused, `A file can have at most ${limits.uploadBytes} bytes.`)
})

t.test('a client that leaves fails the form', async (t) => {
  const { reader } = playBody()
  const received = receiveFile(requestOf(reader), { fields, store: textOf })
  reader.push(Buffer.from(`${partOf('file', 'f')}hello`), false)
  reader.abort()
  t.equal(await refusal(received), 'bad_request')
})
