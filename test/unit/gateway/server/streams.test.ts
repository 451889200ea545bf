/**
 * Goal: a reply of unknown length reaches the client part by part, no faster than it reads. Method:
 * the real server with streams that a test feeds.
 */
import { get, type IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { once } from 'node:events'
import t from 'tap'
import type { HttpReply } from '../../../../gateway/server/http.ts'
import { chooseEngine } from '../../../../gateway/server/engine.ts'
import { startHttpServer } from '../../../../gateway/server/server.ts'
import { serverEngine } from '../../../helpers/service/server-engine.ts'
import { until } from '../../../helpers/lib/until.ts'

const MiB = 2 ** 20

/** Answers every request with this stream. */
async function serving(stream: Readable) {
  const reply: HttpReply = { status: 200, headers: {}, body: { stream } }
  const server = await startHttpServer(chooseEngine(serverEngine), {
    host: '127.0.0.1',
    port: 0,
    handle: async () => reply,
    upgrade: async () => ({ accepted: false, reply }),
  })
  t.teardown(() => server.stop())
  const request = get({ host: '127.0.0.1', port: server.port, agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer
}

t.test(
  'a part reaches the client before the next one is made, and the end is a regular end',
  async (t) => {
    const source = new PassThrough()
    source.write('one')
    const answer = await serving(source)
    answer.setEncoding('utf8')
    t.same(await once(answer, 'data'), ['one'])
    source.write('two')
    t.same(await once(answer, 'data'), ['two'])
    source.end()
    await once(answer, 'end')
    t.ok(answer.complete)
  },
)

t.test(
  'a client that does not read pauses the source, and gets everything in the end',
  async (t) => {
    let made = 0
    const all = 64
    const source = new Readable({
      read() {
        this.push(++made > all ? null : Buffer.alloc(MiB, made))
      },
    })
    const answer = await serving(source)
    await until('the source rests', async () => {
      const before = made
      await new Promise((resolve) => setImmediate(resolve))
      return made === before && source.isPaused()
    })
    t.ok(made < all, `${made} of ${all} parts made`)
    let bytes = 0
    answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
    await once(answer, 'end')
    t.equal(bytes, all * MiB)
  },
)

t.test('a disconnect ends the source; a source that fails breaks the connection', async (t) => {
  const left = new PassThrough()
  left.write('…')
  const leaver = await serving(left)
  leaver.destroy()
  await once(left, 'close')

  const failing = new PassThrough()
  failing.write('…')
  const answer = await serving(failing)
  answer.resume()
  const broken = once(answer, 'error')
  failing.destroy(new Error('on purpose'))
  t.match(await broken, [{ code: 'ECONNRESET' }])
  t.notOk(answer.complete)
})
