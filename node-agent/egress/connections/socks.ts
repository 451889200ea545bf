/**
 * The server's side of SOCKS 5 (RFC 1928), as far as Chromium uses it: no authentication, and
 * connections to a name or an address.
 */
import { isIPv6, type Socket } from 'node:net'
import type { SocketReader } from './socket-reader.ts'

export interface SocksTarget {
  /** A name or an address as in a URL. */
  readonly hostname: string
  readonly port: number
}

/** The first byte of every request. */
export const socksVersion = 5
/** Replies of the RFC that we give. */
export const socksReplies = {
  succeeded: 0,
  failed: 1,
  notAllowed: 2,
  unreachable: 4,
  refused: 5,
  unknownCommand: 7,
} as const
export type SocksReply = keyof typeof socksReplies

const connectCommand = 1
const addressKinds = { ipv4: 1, name: 3, ipv6: 4 } as const
const withoutAuthentication = Buffer.from([socksVersion, 0])

/** Without an address: it is of no use to clients, and would tell how this host is connected. */
export function replyTo(socket: Socket, reply: SocksReply): void {
  socket.write(
    Buffer.from([socksVersion, socksReplies[reply], 0, addressKinds.ipv4, 0, 0, 0, 0, 0, 0]),
  )
}

/**
 * Reads a request that begins with {@link socksVersion}; undefined if it ends early or is none, for
 * which there is no answer.
 */
export async function readTarget(
  socket: Socket,
  reader: SocketReader,
): Promise<SocksTarget | undefined> {
  const greeting = await reader.take(2)
  if (!greeting || !(await reader.take(greeting[1]!))) return undefined
  socket.write(withoutAuthentication)
  const head = await reader.take(4)
  if (head?.[0] !== socksVersion) return undefined
  const hostname = await takeHost(reader, head[3]!)
  const port = hostname === undefined ? undefined : await reader.take(2)
  if (hostname === undefined || !port) return undefined
  if (head[1] !== connectCommand) {
    replyTo(socket, 'unknownCommand')
    return undefined
  }
  return { hostname, port: port.readUInt16BE() }
}

async function takeHost(reader: SocketReader, kind: number): Promise<string | undefined> {
  if (kind === addressKinds.ipv4) return (await reader.take(4))?.join('.')
  if (kind === addressKinds.ipv6) return bracketed(await reader.take(16))
  if (kind !== addressKinds.name) return undefined
  const length = await reader.take(1)
  const name = length && (await reader.take(length[0]!))?.toString('latin1')
  return name !== undefined && isIPv6(name) ? `[${name}]` : name
}

const bracketed = (address: Buffer | undefined): string | undefined =>
  address && `[${address.toString('hex').match(/.{4}/g)!.join(':')}]`
