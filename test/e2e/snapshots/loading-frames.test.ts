/**
 * Goal: a frame whose content has not come is waited for briefly and once, and otherwise said to be
 * loading; what has come of it is read. Method: real Chromium without and with a display; a server
 * that holds answers back until the test lets them go.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { pageLimits } from '../../../node-agent/page/limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'
import { openPageReaders } from '../../helpers/pages/page-readers.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'

const held: ServerResponse[] = []
const inside = '<!doctype html><button>Inside</button>'
const page = (other: string) => `<!doctype html><title>Frames</title><h1>Frames</h1>
<div id="holder"></div>
<script>
  const add = (name, at) => {
    const frame = document.createElement('iframe')
    frame.name = frame.title = name
    frame.src = at
    holder.append(frame)
  }
  const addFar = (path) => add('Far', '${other}' + path)
  const addBoth = (path) => {
    add('Near', path)
    addFar(path)
  }
</script>`

const server = createServer(({ url = '', headers }, response) => {
  response.setHeader('content-type', 'text/html')
  if (url === '/held') return void held.push(response)
  if (url === '/begun') {
    response.write('<!doctype html><title>Begun</title>')
    return void held.push(response)
  }
  const port = headers.host?.split(':')[1]
  response.end(url === '/' ? page(`http://localhost:${port}`) : inside)
})
await listenOnLoopback(server)
t.teardown(() => {
  for (const response of held) response.end()
  return closeServer(server)
})
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const readers = await openPageReaders(t)
const isLoading = (name: string) => new RegExp(`e\\d+ frame "${name}" \\(loading\\)`)

for (const { mode, run, evaluate, snapshot } of readers) {
  for (const path of ['/held', '/begun']) {
    t.test(`frames that have not come, ${mode}: ${path}`, async (t) => {
      await run('navigate', { url: address })
      await evaluate(`addBoth('${path}')`)
      await until('both are asked for', () => held.length === 2)
      const early = await snapshot()
      t.match(early, isLoading('Near'))
      t.match(early, isLoading('Far'))
      const again = await snapshot()
      t.match(again, isLoading('Far'), 'it is not waited for again')
      const asked = snapshot()
      for (const response of held.splice(0)) response.end(inside)
      await asked
      await until('their content is read', async () => {
        const text = await snapshot()
        return !text.includes('(loading)') && text.match(/button "Inside"/g)?.length === 2
      })
    })
  }

  t.test(`frames that come soon are read by the first snapshot, ${mode}`, async (t) => {
    await run('navigate', { url: address })
    await evaluate("addBoth('/held')")
    await until('both are asked for', () => held.length === 2)
    const asked = snapshot()
    for (const response of held.splice(0)) response.end(inside)
    const text = await asked
    t.equal(text.match(/button "Inside"/g)?.length, 2, text)
    t.notMatch(text, /loading/)
  })

  t.test(`more frames than are read say so, ${mode}`, async () => {
    await run('navigate', { url: address })
    await evaluate(`for (let n = 0; n <= ${pageLimits.framesRead}; n++) addFar('/inside')`)
    await until('all others are read', async () => {
      const text = await snapshot(commandLimits.snapshotTokensMax)
      const [unread, read] = [/\(not read: one frame of too many\)/g, /button "Inside"/g]
      if (text.match(read)?.length !== pageLimits.framesRead) return false
      return text.match(unread)?.length === 1
    })
  })

  t.test(`a frame that is empty for good is left out, ${mode}`, async (t) => {
    await run('navigate', { url: address })
    await evaluate("holder.append(document.createElement('iframe'))")
    t.notMatch(await snapshot(), /frame/)
  })
}
