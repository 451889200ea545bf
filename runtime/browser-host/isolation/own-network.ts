/**
 * The network of one browser: a namespace for it alone. From outside, its DevTools are reachable
 * only by a unix socket in its folder; from inside, only a proxy is reachable. A short-lived
 * process in the namespace creates the proxy's listening socket and passes it to the process that
 * started it.
 */
import { spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { browserHostLimits } from '../limits.ts'

/**
 * Ports inside the namespace, where the browser is alone, so they can be the same for all browsers.
 * The DevTools port is one of Chromium's unsafe ports, to which pages cannot connect: a client may
 * create a context without the proxy, whose pages could otherwise reach DevTools past the gateway.
 */
export const sandboxPorts = { proxyPort: 3128, devtoolsPort: 10_080 } as const

/** The descriptor of Node's IPC channel in the process that {@link ownNetwork} starts. */
const channelFd = 5

/**
 * A listening socket without a process that accepts: connections wait in the kernel. Node passes
 * it between processes, and its servers can listen on it.
 */
export interface ListenerHandle {
  close(): void
}

/**
 * Exits once the other side has received the listening socket, which lives on there. Node would
 * start to accept connections in a process that receives a server; this is the bare socket.
 */
const handOver = `
  const server = require('node:net').createServer()
  server.listen(${sandboxPorts.proxyPort}, '127.0.0.1', () => process.send('listener', server._handle))
  process.once('disconnect', () => process.exit())
`

/**
 * A pair of connected links (veth), because without an address outside loopback `navigator.onLine`
 * is false in pages; a kernel without such links leaves it so. Automatic IPv6 addresses are
 * switched off: they would be assigned a second or two later, and Chromium aborts all requests in
 * progress when an address is added (`net::ERR_NETWORK_CHANGED`).
 */
const links = `
ip link set lo up
{ ip link add up0 type veth peer name up1 &&
  for link in up0 up1; do ip link set "$link" addrgenmode none; done
  ip address add 192.0.2.1/32 dev up0 && ip link set up0 up && ip link set up1 up; } 2>/dev/null
`

/**
 * $1: this program's Node. $2: the socket. Then the browser's own command line, which replaces the
 * shell: when that ends in any way, the kernel ends socat. 3 and 4 are the browser's own pipes.
 * Without a backlog of its own, socat lets 6 connections wait, and the kernel refuses further ones
 * at once (EAGAIN).
 */
const script = `
${links}
"$1" -e "$handOver" 3<&- 4<&- &
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE handOver
setpriv --pdeathsig KILL socat UNIX-LISTEN:"$2",fork,mode=600,backlog=${browserHostLimits.relayBacklog} TCP4:127.0.0.1:${sandboxPorts.devtoolsPort},nodelay 3<&- 4<&- ${channelFd}<&- &
shift 2
exec "$@" ${channelFd}<&-
`

const namespaces = ['unshare', '--user', '--map-root-user', '--net']

/** The first part of the command line. `socket`: the path of the DevTools socket. */
export const ownNetwork = (socket: string): readonly string[] => [
  ...namespaces,
  ...['sh', '-c', `handOver='${handOver.replaceAll("'", `'\\''`)}'\n${script}`, 'sh'],
  ...[process.execPath, socket],
]

/**
 * The command line of a process that makes such a socket once more, in the network of a process that
 * runs; {@link receiveListener} gets it. It fails while an earlier one is open.
 */
export const handOverAgain = (pid: number): readonly string[] => [
  ...['nsenter', `--target=${pid}`, '--user', '--preserve-credentials', '--net'],
  ...[process.execPath, '-e', handOver],
]

/** The listening socket, once the process of {@link ownNetwork} has passed it on. */
export async function receiveListener(
  child: ChildProcess,
  withinMs: number,
): Promise<ListenerHandle> {
  const late = AbortSignal.timeout(withinMs)
  try {
    return await new Promise((resolve, reject) => {
      child.once('message', (_message, handle: unknown) => {
        if (handle) resolve(handle as ListenerHandle)
        else reject(new Error('its network has no way out'))
      })
      child.once('exit', () => reject(new Error('it ended before it had a network')))
      child.once('error', reject)
      late.addEventListener('abort', () => reject(new Error(`no network within ${withinMs} ms`)))
    })
  } finally {
    if (child.connected) child.disconnect()
  }
}

/** The missing program or other reason why it does not work here; undefined if it works. */
export function whatOwnNetworkLacks(): { readonly why: string; readonly fix: string } | undefined {
  const programs = [
    ['socat', 'socat', ['-V']],
    ['ip', 'iproute2', ['-V']],
  ] as const
  for (const [program, debian, args] of programs) {
    if (spawnSync(program, args, { stdio: 'ignore' }).status !== 0) {
      return { why: `there is no ${program}`, fix: `apt-get install ${debian}` }
    }
  }
  const made = spawnSync(
    namespaces[0]!,
    [...namespaces.slice(1), 'ip', 'link', 'set', 'lo', 'up'],
    {
      stdio: 'ignore',
    },
  )
  if (made.status === 0) return undefined
  return {
    why: 'this user may not create network namespaces',
    fix: 'allow it: sysctl -w user.max_net_namespaces=10000',
  }
}
