/** A loopback port that forwards to a unix socket, for clients that can only use ports. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export async function relayTo(path: string) {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ path })
    for (const socket of [near, far]) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      // When one side breaks, both are closed.
      socket.on('error', () => socket.destroy())
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
