/** A process that only passes bytes to a port: the least that a process in between can cost. */
import { connect, createServer, type AddressInfo } from 'node:net'

const target = Number(process.argv[2])
const server = createServer((socket) => {
  const onward = connect(target, '127.0.0.1').setNoDelay()
  socket.setNoDelay().pipe(onward).pipe(socket)
  socket.on('error', () => onward.destroy())
  onward.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
