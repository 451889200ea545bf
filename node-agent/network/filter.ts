/**
 * The proxy of a restricted browser, through which all its connections go. It checks each request
 * and each tunnel against the policies. It listens on loopback, or where only the browser can reach
 * it. It resolves names itself and connects to the addresses it has checked, so a name that
 * resolves differently a second time gains nothing.
 */
import { Agent, type IncomingMessage } from 'node:http'
import type { Server as Listener, Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { RequestError } from 'proxy-chain'
import { limits } from '../../proto/limits.ts'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { ProxyOptions } from '../../proto/session/session.ts'
import { demoPage, demoPath } from '../../runtime/browser-host/demo/demo-page.ts'
import { isOpenAt } from '../../runtime/lib/network/guard/allowance.ts'
import { canonicalHost, isLocalhost, localhostAddresses } from '../../runtime/lib/network/hosts.ts'
import type { ResolvedAddress } from '../../runtime/lib/network/system-names.ts'
import { BoundedProxy } from './connections/bounded-proxy.ts'
import { ConnectionRoom } from './connections/connection-room.ts'
import { fairLookUp, type LookUp } from './look-ups.ts'
import {
  allowanceOf,
  domainRefusalOf,
  isPrivate,
  ownPortRefusalOf,
  policyOf,
  refusalOfAll,
} from './policy.ts'
import { noPorts, type ServicePorts } from './service-ports.ts'
import { UpstreamProxy } from './upstream.ts'

export type { LookUp }

export interface RefusedHost {
  readonly host: string
  readonly count: number
}

/** What the filters of one agent share. */
export interface FilterMeans {
  readonly lookUp?: LookUp | undefined
  readonly room?: ConnectionRoom | undefined
}

/** Hosts that Chromium itself contacts from time to time; their refusals are not reported. */
const ofChromium = new Set(['accounts.google.com:443', 'clients2.google.com:443'])

const meansOf = (means: FilterMeans | LookUp): FilterMeans =>
  typeof means === 'function' ? { lookUp: means } : means

const ask = fairLookUp()

/**
 * Node's default agent pools connections by name for all browsers. A pooled connection might lead
 * to an address that the name no longer has, or be closing on the other side.
 */
const unpooled = new Agent({ keepAlive: false })

type LookupCallback = (
  error: Error | null,
  address: string | ResolvedAddress[],
  family?: number,
) => void

export class NetworkFilter {
  readonly #server: BoundedProxy
  readonly #lookUp: LookUp
  /** The session's own proxy, which then resolves the names. */
  readonly #upstream: UpstreamProxy | undefined
  /** Hosts refused since the last `takeRefused`. */
  readonly #refused = new LRUCache<string, true>({ max: limits.refusedHosts })
  /** The same hosts with their number of refusals, for the audit. */
  readonly #unreported = new LRUCache<string, number>({ max: limits.refusedHosts })
  /** Names whose last resolution failed. */
  readonly #unknown = new LRUCache<string, true>({ max: limits.refusedHosts })
  /** A request needs the permission of every policy. */
  policies: readonly NetworkPolicy[] = []
  /** Closed on private addresses regardless of the policies; the demo page is answered here. */
  ports = noPorts

  private constructor(upstream: ProxyOptions | undefined, { lookUp, room }: FilterMeans) {
    this.#lookUp = lookUp ?? ask
    this.#upstream = upstream && new UpstreamProxy(upstream)
    this.#server = new BoundedProxy(
      room ?? new ConnectionRoom(),
      ({ request, hostname, port }) =>
        this.#demoAnswer(request) ??
        whileOpen(request.socket, (signal) => this.#route(hostname, port, signal)),
    )
  }

  static async open(
    upstream?: ProxyOptions,
    means: FilterMeans | LookUp = {},
  ): Promise<NetworkFilter> {
    const filter = new NetworkFilter(upstream, meansOf(means))
    await filter.#server.listen()
    return filter
  }

  /**
   * Listens on the socket of `listener`, and closes it at the end. Allows only public addresses
   * until policies are set.
   */
  static behind(
    listener: Listener,
    upstream?: ProxyOptions,
    means: FilterMeans | LookUp = {},
  ): NetworkFilter {
    const filter = new NetworkFilter(upstream, meansOf(means))
    filter.policies = [policyOf({}, true)]
    // The socket itself, because the limits of an HTTP server hold for what it accepts.
    filter.#server.server.listen(listener)
    return filter
  }

  /** The reason why a page may not navigate to this URL, judged by the URL alone. */
  refusalOf(url: URL): string | undefined {
    return isDemo(url, this.ports)
      ? refusalOfAll(url, this.policies, domainRefusalOf)
      : (refusalOfAll(url, this.policies) ?? ownPortRefusalOf(url, this.ports.closed))
  }

  /** Only valid for a filter from `open`. */
  get port(): number {
    return this.#server.port
  }

  /** Whether the last resolution of the name failed. */
  isUnknown(hostname: string): boolean {
    return this.#unknown.has(canonicalHost(hostname))
  }

  /** Hosts that were refused since the last call, the newest last. */
  takeRefused(): readonly string[] {
    const hosts = [...this.#refused.rkeys()]
    this.#refused.clear()
    return hosts
  }

  /** Hosts that were refused since the last call, with the number of refusals of each. */
  takeUnreported(): readonly RefusedHost[] {
    const hosts = [...this.#unreported.entries()].map(([host, count]) => ({ host, count }))
    this.#unreported.clear()
    return hosts
  }

  /** Ends all connections, those of the browser and those of its sites. */
  close(): Promise<void> {
    return this.#server.close(true)
  }

  /**
   * The demo page, if the browser's user navigates to it. Pages of other sites cannot load it,
   * because that would reveal to them that they run in this service.
   */
  #demoAnswer({ method, url = '', headers }: IncomingMessage) {
    if (method !== 'GET' || !URL.canParse(url) || !isDemo(new URL(url), this.ports)) {
      return undefined
    }
    const site = headers['sec-fetch-site']
    if (site !== 'none' && site !== 'same-origin') return undefined
    if (this.refusalOf(new URL(url)) !== undefined) return undefined
    const { html, headers: answered } = demoPage()
    return { customResponseFunction: () => ({ headers: { ...answered }, body: html }) }
  }

  async #route(hostname: string, port: number, signal: AbortSignal) {
    const { policies } = this
    const text = `http://${hostname}:${port}/`
    if (!URL.canParse(text)) throw new RequestError(`${hostname} is not the name of a host`, 400)
    const url = new URL(text)
    const why = refusalOfAll(url, policies) ?? ownPortRefusalOf(url, this.ports.closed)
    if (why !== undefined) throw this.#refusal(url.host, why)
    const addresses = await this.#openAddresses(this.#upstream?.url ?? url, signal)
    const dnsLookup = pinnedTo(addresses) as never
    return { dnsLookup, httpAgent: unpooled, ...this.#upstream?.routeTo(addresses) }
  }

  async #openAddresses(
    { protocol, hostname, host, port }: URL,
    signal: AbortSignal,
  ): Promise<readonly ResolvedAddress[]> {
    const allowance = { ...allowanceOf(this.policies), closedPorts: this.ports.closed }
    const found = await this.#addressesOf(canonicalHost(hostname), signal)
    const portNumber = Number(port) || (protocol === 'https:' ? 443 : 80)
    const open = found.filter(({ address }) => isOpenAt(address, portNumber, allowance))
    if (open.length === 0) throw this.#refusal(host, isPrivate(host))
    return open
  }

  async #addressesOf(host: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    if (isLocalhost(host)) return localhostAddresses
    try {
      const found = await this.#lookUp(host, signal, this)
      this.#unknown.delete(host)
      return found
    } catch (cause) {
      signal.throwIfAborted()
      this.#unknown.set(host, true)
      throw new RequestError(`${host} could not be found: ${String(cause)}`, 502)
    }
  }

  #refusal(host: string, why: string): RequestError {
    if (!ofChromium.has(host)) {
      this.#refused.set(host, true)
      this.#unreported.set(host, (this.#unreported.get(host) ?? 0) + 1)
    }
    return new RequestError(`Blocked by the network policy of this session: ${why}`, 403)
  }
}

/** The signal aborts when the browser closes the connection that the work is for. */
async function whileOpen<T>(socket: Socket, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController()
  const leave = () => gone.abort(new RequestError('The browser has closed the connection', 499))
  socket.once('close', leave)
  try {
    if (socket.destroyed) leave()
    const done = await work(gone.signal)
    // Nothing may be opened for it any more, because its end would not be noticed.
    gone.signal.throwIfAborted()
    return done
  } finally {
    socket.off('close', leave)
  }
}

const isDemo = ({ protocol, hostname, port, pathname }: URL, { gateways }: ServicePorts): boolean =>
  protocol === 'http:' &&
  pathname === demoPath &&
  (hostname === '127.0.0.1' || hostname === 'localhost') &&
  gateways.includes(Number(port) || 80)

/**
 * A lookup function that returns the addresses resolved before. Not in the same tick: a connection
 * that fails at once, for lack of IPv6 or of descriptors, would fail before its errors are listened
 * for.
 */
const pinnedTo =
  (addresses: readonly ResolvedAddress[]) =>
  (_host: string, options: { readonly all?: boolean }, done: LookupCallback): void => {
    setImmediate(() => {
      if (options.all) done(null, [...addresses])
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
