/**
 * Goal: a download that counts as ended says which page it came from. Method: a browser of two pipes,
 * which reports the whole download before it answers what its pages are.
 */
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { CdpPipe } from '../../../../node-agent/cdp/cdp.ts'
import { watchDownloads } from '../../../../node-agent/files/downloads.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'

t.test('it ends once its page is known', async (t) => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()]
  const cdp = new CdpPipe(toBrowser, fromBrowser, systemClock)
  const say = (message: object) => fromBrowser.write(`${JSON.stringify(message)}\0`)
  const asked: { id: number; method: string }[] = []
  toBrowser.on('data', (bytes: Buffer) => {
    for (const text of bytes.toString().split('\0')) if (text) asked.push(JSON.parse(text))
  })
  const answer = async (method: string, result: object) => {
    while (!asked.some((call) => call.method === method)) await turn()
    say({ id: asked.find((call) => call.method === method)!.id, result })
    for (let i = 0; i < 5; i++) await turn()
  }

  const watching = watchDownloads(cdp, t.testdir())
  await answer('Browser.setDownloadBehavior', {})
  const downloads = await watching
  const guid = 'one'
  const begun = { guid, url: 'http://a.test/f', suggestedFilename: 'f', frameId: 'T1' }
  say({ method: 'Browser.downloadWillBegin', params: begun })
  const progress = { guid, receivedBytes: 3, state: 'completed' }
  say({ method: 'Browser.downloadProgress', params: progress })
  for (let i = 0; i < 5; i++) await turn()
  t.match(downloads.list(), [{ state: 'in_progress', bytes: 3 }])
  const page = { targetId: 'T1', type: 'page', url: 'http://a.test/' }
  await answer('Target.getTargets', { targetInfos: [page] })
  t.match(downloads.list(), [{ state: 'completed', pageUrl: 'http://a.test/', bytes: 3 }])
})
