/** Commands of one session over a connection from a gateway, which saves the way through NATS. */
import type { Socket } from 'node:net'
import { encodeFrame, FrameDecoder, type Frame } from '../../runtime/browser-host/channel/frames.ts'
import { dataPortLimits } from './limits.ts'

/** The agent's verb `run`, with requests and answers as they are on the bus. */
export interface SessionCommandRunner {
  /** Of a request and of an answer. */
  readonly messageBytes: number
  /** Refuses requests about another session. */
  run(sessionId: string, request: Uint8Array): Promise<Uint8Array>
}

const accepted = [
  'HTTP/1.1 101 Switching Protocols',
  'Connection: Upgrade',
  'Upgrade: troupe-commands',
  '',
  '',
].join('\r\n')

/** Serves the socket of an upgrade request that a ticket of this session has admitted. */
export function serveCommands(
  socket: Socket,
  head: Buffer,
  sessionId: string,
  runner: SessionCommandRunner,
): void {
  const reader = new FrameDecoder(runner.messageBytes)
  socket.setNoDelay(true)
  socket.setTimeout(0)
  // A gateway whose host has vanished does not say goodbye.
  socket.setKeepAlive(true, dataPortLimits.channelKeepAliveMs)
  const answer = async ({ exchange, message }: Frame) => {
    const reply = await runner.run(sessionId, message)
    if (socket.writable) socket.write(encodeFrame({ exchange, message: reply }))
  }
  const receive = (data: Buffer) => {
    try {
      // Refusals are replies too; only bytes that cannot be read end the channel.
      for (const frame of reader.read(data)) answer(frame).catch(() => socket.destroy())
    } catch {
      socket.destroy()
    }
  }
  socket.write(accepted)
  if (head.byteLength > 0) receive(head)
  socket.on('data', receive)
  socket.once('end', () => socket.end())
}
