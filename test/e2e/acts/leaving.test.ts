/**
 * Goal: a click that leads to a page that does not come is told as done, with what to do next. Method:
 * real Chromium; a server that holds the answer back.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { openFixtures } from '../../helpers/browser/page-session.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'

const held: ServerResponse[] = []
const server = createServer(({ url }, response) => {
  if (url === '/held') return void held.push(response)
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>Here</title><a href="/held">Leave</a>')
})
await listenOnLoopback(server)
t.teardown(() => closeServer(server))
const { run } = await openFixtures(t)
const { port } = server.address() as AddressInfo

t.test('a page that does not come', async (t) => {
  await run('navigate', { url: `http://127.0.0.1:${port}/` })
  const { changes, note } = await run('click', { target: 'link "Leave"' })
  t.match(changes, /has not answered yet: wait for it/)
  t.equal(note, undefined)
  t.equal(held.length, 1, 'it was pressed once')
  for (const response of held) response.end('<!doctype html><h1>There</h1>')
  await until('it is there', async () => {
    const { text } = await run('snapshot')
    return text.includes('There')
  })
})
