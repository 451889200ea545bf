/**
 * Goal: a download that is listed says which page it came from, and its bytes are waited for, but not
 * for ever. Method: a browser of two pipes, which reports the whole download before it answers what
 * its pages are, and a clock that the test moves on.
 */
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { CdpPipe } from '../../../../node-agent/cdp/cdp.ts'
import { watchDownloads } from '../../../../node-agent/files/downloads.ts'
import { folderLimits } from '../../../../node-agent/files/limits.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'

const guid = 'one'
const begun = { guid, url: 'http://a.test/f', suggestedFilename: 'f', frameId: 'T1' }
const pageInfo = { targetId: 'T1', type: 'page', url: 'http://a.test/' }

async function openBrowser(t: Test) {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()]
  const waits: (() => void)[] = []
  const timer = (ms: number, fire: () => void) => {
    if (ms === folderLimits.downloadWaitMs) waits.push(fire)
    return { cancel: () => undefined }
  }
  const cdp = new CdpPipe(toBrowser, fromBrowser, { ...systemClock, timer })
  const say = (message: object) => fromBrowser.write(`${JSON.stringify(message)}\0`)
  const asked: { id: number; method: string }[] = []
  toBrowser.on('data', (bytes: Buffer) => {
    for (const text of bytes.toString().split('\0')) if (text) asked.push(JSON.parse(text))
  })
  const turns = async () => {
    for (let i = 0; i < 5; i++) await turn()
  }
  const answer = async (method: string, result: object) => {
    while (!asked.some((call) => call.method === method)) await turn()
    say({ id: asked.find((call) => call.method === method)!.id, result })
    await turns()
  }
  const tell = async (method: string, params: object) => {
    say({ method: `Browser.${method}`, params })
    await turns()
  }
  const watching = watchDownloads(cdp, t.testdir())
  await answer('Browser.setDownloadBehavior', {})
  return { downloads: await watching, answer, tell, waits }
}

const completed = { guid, receivedBytes: 3, state: 'completed' }

t.test('it is listed, and ends, once its page is known', async (t) => {
  const { downloads, answer, tell } = await openBrowser(t)
  await tell('downloadWillBegin', begun)
  let listed = false
  const listing = downloads.list().finally(() => (listed = true))
  await tell('downloadProgress', completed)
  t.notOk(listed)
  await answer('Target.getTargets', { targetInfos: [pageInfo] })
  const ended = { state: 'completed', pageUrl: pageInfo.url, bytes: 3 }
  t.match(await listing, [{ pageUrl: pageInfo.url, bytes: 3 }])
  t.match(await downloads.list(), [ended])
})

t.test('its bytes are waited for until it ends, for a while, or until nobody asks', async (t) => {
  const { downloads, answer, tell, waits } = await openBrowser(t)
  await tell('downloadWillBegin', begun)
  await answer('Target.getTargets', { targetInfos: [pageInfo] })
  const { id, state } = (await downloads.list())[0]!
  t.equal(state, 'in_progress')
  const late = downloads.get(id)
  waits.pop()!()
  await t.rejects(late, { message: /still in progress/ })
  const gone = new AbortController()
  const left = downloads.get(id, gone.signal)
  gone.abort()
  await t.rejects(left, { message: /still in progress/ })
  const whole = downloads.get(id)
  await tell('downloadProgress', completed)
  t.match(await whole, { file: { id, state: 'completed' } })
})
