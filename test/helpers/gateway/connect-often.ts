/** A program that opens sockets to a gateway one after the other, and prints the close codes. */
import { once } from 'node:events'
import WebSocket from 'ws'
import { playBrowser, playService } from './gateway.ts'

const sockets = 64
const ownCode = 4000

const browser = await playBrowser()
const service = await playService({ port: browser.port })
const codes: unknown[] = []
for (let i = 0; i < sockets; i++) {
  const socket = new WebSocket(service.cdpUrl)
  // An answer through the gateway shows that the socket works.
  socket.once('open', () => socket.send('hello'))
  socket.once('message', () => socket.close(ownCode))
  codes.push((await once(socket, 'close'))[0])
}
await service.close()
await browser.close()
process.stdout.write(JSON.stringify(codes))
