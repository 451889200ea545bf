/** A VNC client for the clipboard only: RFB 3.8, no password, no picture. */
import { once } from 'node:events'
import { connect } from 'node:net'

const clientCutText = 6
const serverCutText = 3

export interface VncClipboard {
  /** Every clipboard text that the server has sent. */
  readonly told: readonly string[]
  tell(text: string): void
  close(): void
}

export async function openVncClipboard(socketPath: string): Promise<VncClipboard> {
  const socket = connect(socketPath)
  const told: string[] = []
  let unread = Buffer.alloc(0)
  let wake: (() => void) | undefined
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    wake?.()
  })
  const read = async (bytes: number) => {
    while (unread.length < bytes) await new Promise<void>((resolve) => (wake = resolve))
    const taken = unread.subarray(0, bytes)
    unread = unread.subarray(bytes)
    return taken
  }
  await once(socket, 'connect')
  await read(12)
  socket.write('RFB 003.008\n')
  await read((await read(1))[0]!)
  socket.write(Buffer.of(1))
  await read(4)
  socket.write(Buffer.of(1)) // ClientInit: shared.
  const nameBytes = (await read(24)).readUInt32BE(20)
  await read(nameBytes)
  const listen = async (): Promise<void> => {
    for (;;) {
      const [kind] = await read(1)
      if (kind !== serverCutText) continue
      const bytes = (await read(7)).readUInt32BE(3)
      told.push((await read(bytes)).toString('latin1'))
    }
  }
  void listen()
  return {
    told,
    tell(text) {
      const head = Buffer.alloc(8)
      head[0] = clientCutText
      head.writeUInt32BE(text.length, 4)
      socket.write(Buffer.concat([head, Buffer.from(text, 'latin1')]))
    },
    close: () => socket.destroy(),
  }
}
