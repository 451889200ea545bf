/**
 * Goal: a burst of clients reaches a browser a few at a time, because Chromium lets only a few
 * connections wait; a busy browser makes them wait, and a dead one does not make them wait forever.
 * Method: a WebSocket server that accepts handshakes when the test says so.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocketServer } from 'ws'
import { limits } from '../../../../proto/limits.ts'
import type { BrowserClaim } from '../../../../proto/session/browser-claim.ts'
import { DialFailed } from '../../../../runtime/browser-host/channel/channel.ts'
import { dialTurns } from '../../../../runtime/browser-host/channel/dial-turns.ts'
import { sameHostDialer } from '../../../../runtime/browser-host/channel/same-host.ts'
import { browserHostLimits } from '../../../../runtime/browser-host/limits.ts'
import { sleep, systemClock } from '../../../../runtime/lib/clock.ts'
import { until } from '../../../helpers/lib/until.ts'

const { dialsAtOnce } = browserHostLimits
const clients = 3 * dialsAtOnce
const path = '/devtools/browser/x'
const listener = { received() {}, lost() {} }

async function busyBrowser(t: Test) {
  /** Of the handshakes that wait: each answers one. */
  const handshakes: ((isAccepted: boolean) => void)[] = []
  const gets: ServerResponse[] = []
  const http = createServer((_, response) => void gets.push(response))
  const server = new WebSocketServer({
    server: http,
    verifyClient: (_, answer) => void handshakes.push(answer),
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate()
    http.close()
    http.closeAllConnections()
  })
  const { port: devtoolsPort } = http.address() as AddressInfo
  return { handshakes, gets, dialer: sameHostDialer({ devtoolsPort } as BrowserClaim) }
}

t.test('dials beyond the limit wait for earlier ones, failed ones included', async (t) => {
  const { handshakes, dialer } = await busyBrowser(t)
  const dials = Array.from({ length: clients }, () => dialer.dial(path, listener))
  const ends = Promise.allSettled(dials)
  let answered = 0
  while (answered < clients) {
    const round = await until('the next ones wait', () => {
      return handshakes.length === dialsAtOnce && handshakes.splice(0)
    })
    for (const answer of round) answer(answered++ > 0)
  }
  const states = (await ends).map(({ status }) => status)
  t.equal(states.filter((status) => status === 'rejected').length, 1, 'the one that was refused')
  t.equal(states.filter((status) => status === 'fulfilled').length, clients - 1)
  t.equal(handshakes.length, 0)
})

t.test('what is read from the browser takes its turn among them', async (t) => {
  const { handshakes, gets, dialer } = await busyBrowser(t)
  const dials = Array.from({ length: dialsAtOnce }, () => dialer.dial(path, listener))
  const read = [dialer.get('/json/version'), dialer.getFile('/devtools/a.js')]
  await until('the first ones wait', () => handshakes.length === dialsAtOnce)
  t.equal(gets.length, 0)
  for (const answer of handshakes) answer(true)
  await Promise.all(dials)
  for (const response of await until('it is read', () => gets.length === 2 && gets)) {
    response.end('here')
  }
  t.same((await Promise.all(read)).map(String), ['here', 'here'])
})

t.test('a browser is waited for longer than its host is', async (t) => {
  const { handshakes, dialer } = await busyBrowser(t)
  const dial = dialer.dial(path, listener)
  await until('it is dialled', () => handshakes.length === 1)
  const dialledAt = performance.now()
  await until('a host would be lost', () => performance.now() - dialledAt > limits.channelDialMs)
  handshakes[0]!(true)
  const channel = await dial
  channel.close()
})

t.test('a turn that does not come in time fails, and later ones are taken', async (t) => {
  const inTurn = dialTurns(100)
  let called = 0
  const hung = Array.from({ length: dialsAtOnce }, () =>
    inTurn((leftMs) => sleep(systemClock, leftMs)),
  )
  const late = Promise.allSettled(
    Array.from({ length: dialsAtOnce }, () => inTurn(async () => ++called)),
  )
  await Promise.all(hung)
  for (const end of await late) {
    t.ok(end.status === 'rejected' && end.reason instanceof DialFailed && !end.reason.refused)
  }
  t.equal(called, 0)
  t.equal(await inTurn(async () => ++called), 1)
})
