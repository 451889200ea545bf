/**
 * Goal: a live view whose desktop closes the connection is told why, by the code and reason of its
 * socket: the browser runs on, or the session has ended. Method: a gateway with a played browser,
 * and a played VNC server on a unix socket.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { playBrowser, playService } from '../../../helpers/gateway/gateway.ts'
import { LiveSocket } from '../../../helpers/gateway/live-socket.ts'

async function watchDesktop(t: Test) {
  const connections: Socket[] = []
  const vnc = createServer((socket) => {
    connections.push(socket)
    socket.once('error', () => undefined) // The gateway may have left first.
    socket.write('RFB 003.008\n')
  })
  // A socket's path may not be as long as that of tap's own folder.
  const folder = mkdtempSync(join(tmpdir(), 'troupe-vnc-'))
  const vncSocket = join(folder, 'vnc')
  await once(vnc.listen(vncSocket), 'listening')
  const browser = await playBrowser()
  const service = await playService({
    port: browser.port,
    claim: { display: { vncSocket, xSocket: '', authority: '' } },
  })
  t.teardown(async () => {
    await service.close()
    await browser.close()
    vnc.close()
    rmSync(folder, { recursive: true })
  })
  const { gateway, sessionId, views } = service
  const response = await fetch(`${gateway.url}/v1/sessions/${sessionId}`, {
    headers: { 'service-api-key': devKey },
  })
  const { data } = (await response.json()) as { readonly data: { readonly live_view_url: string } }
  const viewer = await LiveSocket.open(data.live_view_url)
  const lose = () => connections.forEach((socket) => socket.destroy())
  return { viewer, lose, browser, views, view: views.get(sessionId)! }
}

t.test('the browser runs on: connect again', async (t) => {
  const { viewer, lose } = await watchDesktop(t)
  lose()
  t.match(await viewer.closed, {
    code: 1011,
    reason: /^The desktop closed this connection, and the browser runs on; connect again/,
  })
})

t.test('the session has ended: its reason', async (t) => {
  const { viewer, lose, browser, views, view } = await watchDesktop(t)
  await browser.close()
  lose()
  views.set({ ...view, status: 'completed', reason: 'browser_closed' })
  t.match(await viewer.closed, { code: 1000, reason: /^browser_closed: / })
})
