/**
 * The proxy of a restricted browser, through which all its connections go. It checks each
 * connection and each request against the policies. It listens on loopback, or where only the
 * browser can reach it. It resolves names itself and connects to the addresses it has checked, so a
 * name that resolves differently a second time gains nothing.
 */
import { Agent, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { RequestError } from 'proxy-chain'
import { limits } from '../../proto/limits.ts'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { Traffic } from '../../proto/session/browser-reports.ts'
import type { ProxyOptions } from '../../proto/session/session.ts'
import { demoPage } from '../../runtime/browser-host/demo/demo-page.ts'
import type { ListenerHandle } from '../../runtime/browser-host/isolation/own-network.ts'
import { isOpenAt } from '../../runtime/lib/network/guard/allowance.ts'
import {
  canonicalHost,
  isLocalhost,
  localhostAddresses,
  portOfUrl,
} from '../../runtime/lib/network/hosts.ts'
import type { ResolvedAddress } from '../../runtime/lib/network/system-names.ts'
import {
  allowanceOf,
  isDemo,
  isDemoHost,
  isPrivate,
  navigationRefusalOf,
  ownPortRefusalOf,
  policyOf,
  refusalOfAll,
} from './policy.ts'
import { noPorts } from './service-ports.ts'
import { BoundedProxy } from './connections/bounded-proxy.ts'
import { ConnectionRoom } from './connections/connection-room.ts'
import { connectionErrorOf } from './connections/connection-errors.ts'
import { pinnedTo, SiteConnection } from './connections/site-connection.ts'
import type { SocksTarget } from './connections/socks.ts'
import { egressLimits } from './limits.ts'
import { fairLookUp, type LookUp } from './look-ups.ts'
import type { RefusedHost } from './orders.ts'
import { UpstreamProxy } from './upstream.ts'

export type { LookUp }

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
  readonly #unknown = new LRUCache<string, true>({ max: egressLimits.failedHosts })
  /** Hosts with their ports whose last connection failed, and Chromium's name for the failure. */
  readonly #failures = new LRUCache<string, string>({ max: egressLimits.failedHosts })
  /** Where the browser's open connections lead. */
  readonly #routes = new Map<Socket, Route>()
  #policies: readonly NetworkPolicy[] = []
  /** Closed on private addresses regardless of the policies; the demo page is answered here. */
  ports = noPorts

  private constructor(
    upstream: ProxyOptions | undefined,
    { lookUp, room }: FilterMeans,
    port?: number,
  ) {
    this.#lookUp = lookUp ?? ask
    this.#upstream = upstream && new UpstreamProxy(upstream)
    const rules = {
      onRequest: ({ request, hostname, port }: ProxyRequest) =>
        this.#demoAnswer(request) ??
        whileOpen(request.socket, (signal) =>
          this.#route(request.socket, { hostname, port }, signal),
        ),
      connect: (target: SocksTarget, source: Socket) => this.#connect(target, source),
      answers: ({ hostname, port }: SocksTarget) => isDemoHost(hostname, port, this.ports),
    }
    this.#server = new BoundedProxy(room ?? new ConnectionRoom(), rules, port)
  }

  /** Listens on a free port of loopback, or on this one. */
  static async open(
    upstream?: ProxyOptions,
    means: FilterMeans | LookUp = {},
    port?: number,
  ): Promise<NetworkFilter> {
    const filter = new NetworkFilter(upstream, meansOf(means), port)
    await filter.#server.listen()
    return filter
  }

  /**
   * Listens on the socket of `listener`, and closes it at the end. Allows only public addresses
   * until policies are set.
   */
  static behind(
    listener: ListenerHandle,
    upstream?: ProxyOptions,
    means: FilterMeans | LookUp = {},
  ): NetworkFilter {
    const filter = new NetworkFilter(upstream, meansOf(means))
    filter.policies = [policyOf({}, true)]
    // The socket itself, because the limits of an HTTP server hold for what it accepts.
    filter.#server.server.listen(listener)
    return filter
  }

  /** A request needs the permission of every policy. */
  get policies(): readonly NetworkPolicy[] {
    return this.#policies
  }

  /** Also ends the connections that the new ones would refuse. */
  set policies(policies: readonly NetworkPolicy[]) {
    this.#policies = policies
    for (const [socket, route] of this.#routes) if (!this.#allows(route)) socket.destroy()
  }

  /** The reason why a page may not navigate to this URL, judged by the URL alone. */
  refusalOf(url: URL): string | undefined {
    return navigationRefusalOf(url, this.policies, this.ports)
  }

  /** Only valid for a filter from `open`. */
  get port(): number {
    return this.#server.port
  }

  /**
   * Why the last connection to the host and port of this URL failed, by Chromium's name for it;
   * `blockedByPolicy` if the policies refused it. Undefined if it succeeded, or there was none.
   */
  failureOf(url: URL): string | undefined {
    const isUnknown = this.#unknown.has(canonicalHost(url.hostname))
    return isUnknown ? 'net::ERR_NAME_NOT_RESOLVED' : this.#failures.get(placeOf(url))
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

  /** What the browser's connections have carried since the filter was opened. */
  get traffic(): Traffic {
    return this.#server.traffic
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

  /** Where a request of HTTP goes. */
  async #route(source: Socket, target: SocksTarget, signal: AbortSignal) {
    const url = urlOf(target)
    const addresses = await this.#check(url, source, signal)
    const dnsLookup = pinnedTo(addresses) as never
    return { dnsLookup, httpAgent: unpooled, ...this.#upstream?.routeTo(addresses) }
  }

  /** A connection of its own to the site, for a browser that uses no HTTP with us. */
  async #connect(target: SocksTarget, source: Socket): Promise<SiteConnection> {
    const url = urlOf(target)
    const place = placeOf(url)
    if (this.#upstream) throw new RequestError('This session’s proxy is reached by HTTP.', 501)
    try {
      const site = await whileOpen(source, async (signal) =>
        SiteConnection.open(await this.#check(url, source, signal), target.port, signal),
      )
      this.#failures.delete(place)
      return site
    } catch (error) {
      const failure = connectionErrorOf(error)
      if (failure !== undefined) this.#failures.set(place, failure)
      throw error
    }
  }

  /** The addresses that may be dialled for it. */
  async #check(url: URL, source: Socket, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const why = refusalOfAll(url, this.policies) ?? ownPortRefusalOf(url, this.ports.closed)
    if (why !== undefined) throw this.#refusal(url.host, why)
    const addresses = await this.#openAddresses(this.#upstream?.url ?? url, signal)
    if (!this.#routes.has(source)) source.once('close', () => this.#routes.delete(source))
    this.#routes.set(source, { url, addresses: this.#upstream ? [] : addresses })
    return addresses
  }

  #allows({ url, addresses }: Route): boolean {
    return (
      refusalOfAll(url, this.policies) === undefined &&
      addresses.every((address) => this.#isOpen(url, address))
    )
  }

  async #openAddresses(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const found = await this.#addressesOf(canonicalHost(url.hostname), signal)
    const open = found.filter((address) => this.#isOpen(url, address))
    if (open.length === 0) throw this.#refusal(url.host, isPrivate(url.host))
    return open
  }

  #isOpen(url: URL, { address }: ResolvedAddress): boolean {
    const allowance = { ...allowanceOf(this.policies), closedPorts: this.ports.closed }
    return isOpenAt(address, portOfUrl(url), allowance)
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

/** Where a connection leads: as it was asked for, and to what was or may be dialled. */
interface Route {
  readonly url: URL
  /** None if the session's own proxy is dialled. */
  readonly addresses: readonly ResolvedAddress[]
}

interface ProxyRequest extends SocksTarget {
  readonly request: IncomingMessage
}

function urlOf({ hostname, port }: SocksTarget): URL {
  const text = `http://${hostname}:${port}/`
  if (!URL.canParse(text)) throw new RequestError(`${hostname} is not the name of a host`, 400)
  return new URL(text)
}

const placeOf = (url: URL): string => `${canonicalHost(url.hostname)} ${portOfUrl(url)}`

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
