/**
 * The server's side of SOCKS 5 (RFC 1928), as far as Chromium uses it: no authentication, and
 * connections to a name or an address.
 */
import { isIPv6, type Socket } from 'node:net'

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
  socket.write(Buffer.from([socksVersion, socksReplies[reply], 0, addressKinds.ipv4, 0, 0, 0, 0, 0, 0]))
}

/** Reads a request; undefined if it ends early or is none, for which there is no answer. */
export async function readTarget(socket: Socket): Promise<SocksTarget | undefined> {
  const greeting = await take(socket, 2)
  if (greeting?.[0] !== socksVersion || !(await take(socket, greeting[1]!))) return undefined
  socket.write(withoutAuthentication)
  const head = await take(socket, 4)
  if (head?.[0] !== socksVersion) return undefined
  const hostname = await takeHost(socket, head[3]!)
  const port = hostname === undefined ? undefined : await take(socket, 2)
  if (hostname === undefined || !port) return undefined
  if (head[1] !== connectCommand) {
    replyTo(socket, 'unknownCommand')
    return undefined
  }
  return { hostname, port: port.readUInt16BE() }
}

async function takeHost(socket: Socket, kind: number): Promise<string | undefined> {
  if (kind === addressKinds.ipv4) return (await take(socket, 4))?.join('.')
  if (kind === addressKinds.ipv6) return bracketed(await take(socket, 16))
  if (kind !== addressKinds.name) return undefined
  const length = await take(socket, 1)
  const name = length && (await take(socket, length[0]!))?.toString('latin1')
  return name !== undefined && isIPv6(name) ? `[${name}]` : name
}

const bracketed = (address: Buffer | undefined): string | undefined =>
  address && `[${address.toString('hex').match(/.{4}/g)!.join(':')}]`

/** Exactly so many bytes; undefined if the connection ends before. */
async function take(socket: Socket, count: number): Promise<Buffer | undefined> {
  if (count === 0) return Buffer.alloc(0)
  for (;;) {
    const bytes = socket.read(count) as Buffer | null
    if (bytes) return bytes.length === count ? bytes : undefined
    if (!(await canRead(socket))) return undefined
  }
}

/** Resolves when there is more to read; false if nothing will come. */
export function canRead(socket: Socket): Promise<boolean> {
  if (socket.destroyed || socket.readableEnded) return Promise.resolve(false)
  return new Promise((resolve) => {
    const more = () => tell(true)
    const none = () => tell(false)
    const tell = (is: boolean) => {
      socket.off('readable', more).off('end', none).off('close', none)
      resolve(is)
    }
    socket.on('readable', more).on('end', none).on('close', none)
  })
}
