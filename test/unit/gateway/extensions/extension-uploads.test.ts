/**
 * Goal: uploads of one tenant hold up no other, and a file that is too large is not kept in memory.
 * Method: uploads that are held.
 */
import t from 'tap'
import { ExtensionUploads } from '../../../../gateway/extensions/extension-uploads.ts'
import { extensionUploadLimits } from '../../../../gateway/extensions/limits.ts'

const open = (assertRoom: () => Promise<readonly never[]> = async () => []) =>
  new ExtensionUploads({
    bus: { request: () => Promise.reject(new Error('it has no bus')) },
    extensions: { assertRoom, create: () => Promise.reject(new Error('none is made')) },
  })
const busy = { name: 'ServiceError', type: 'busy' }

t.test('one of a tenant at once, some of all', async (t) => {
  const uploads = open()
  const ends: (() => void)[] = []
  const held = () => new Promise<void>((resolve) => ends.push(resolve))
  const { uploadsAtOnce: most } = extensionUploadLimits
  const first = uploads.during('a', held)
  await t.rejects(uploads.during('a', held), busy)
  const others = Array.from({ length: most - 1 }, (_, i) => uploads.during(`b${i}`, held))
  await t.rejects(uploads.during('c', held), busy)
  await new Promise(setImmediate)
  ends.shift()!()
  await first
  t.equal(await uploads.during('a', async () => 'again'), 'again')
  for (const end of ends) end()
  await Promise.all(others)
})

t.test('one that failed, or would be refused anyway, holds up nothing', async (t) => {
  let received = 0
  const full = open(() => Promise.reject(new Error('full')))
  for (let i = 0; i < 3; i++) {
    await t.rejects(
      full.during('a', async () => received++),
      { message: 'full' },
    )
  }
  t.equal(received, 0)
})

t.test('a file that is too large is refused at the byte that is too much', async (t) => {
  const { uploadBytes } = extensionUploadLimits
  const chunk = Buffer.alloc(1_000_000)
  let sent = 0
  async function* endless() {
    for (;;) {
      sent += chunk.length
      yield chunk
    }
  }
  await t.rejects(open().receive('x.zip', endless()), { name: 'ServiceError', type: 'too_large' })
  t.ok(sent <= uploadBytes + chunk.length)
})
