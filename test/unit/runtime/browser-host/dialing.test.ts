/**
 * Goal: a burst of clients reaches a browser a few at a time, because Chromium lets only a few
 * connections wait. Method: a WebSocket server that accepts handshakes when the test says so.
 */
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { WebSocketServer } from 'ws'
import type { BrowserClaim } from '../../../../proto/session/browser-claim.ts'
import { sameHostDialer } from '../../../../runtime/browser-host/channel/same-host.ts'
import { browserHostLimits } from '../../../../runtime/browser-host/limits.ts'
import { until } from '../../../helpers/lib/until.ts'

const { dialsAtOnce } = browserHostLimits
const clients = 3 * dialsAtOnce

t.test('dials beyond the limit wait for earlier ones, failed ones included', async (t) => {
  /** Of the handshakes that wait: each answers one. */
  const waiting: ((isAccepted: boolean) => void)[] = []
  const server = new WebSocketServer({
    ...{ port: 0, host: '127.0.0.1' },
    verifyClient: (_, answer) => void waiting.push(answer),
  })
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  const { port: devtoolsPort } = server.address() as AddressInfo
  const dialer = sameHostDialer({ devtoolsPort } as BrowserClaim)
  const listener = { received() {}, lost() {} }
  const dials = Array.from({ length: clients }, () => dialer.dial('/devtools/browser/x', listener))
  const ends = Promise.allSettled(dials)
  let answered = 0
  while (answered < clients) {
    const round = await until('the next ones wait', () => {
      return waiting.length === dialsAtOnce && waiting.splice(0)
    })
    for (const answer of round) answer(answered++ > 0)
  }
  const states = (await ends).map(({ status }) => status)
  t.equal(states.filter((status) => status === 'rejected').length, 1, 'the one that was refused')
  t.equal(states.filter((status) => status === 'fulfilled').length, clients - 1)
  t.equal(waiting.length, 0)
})
