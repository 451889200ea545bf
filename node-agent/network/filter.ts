/**
 * The one way out of a restricted browser: a proxy that asks the policies for each request and each
 * tunnel. It listens on loopback, or where the browser alone can reach it. It looks names up itself and
 * connects to what it has looked at, so a name that changes its address in between gains nothing.
 */
import { lookup } from 'node:dns/promises'
import { Agent } from 'node:http'
import type { Server as Listener } from 'node:net'
import { LRUCache } from 'lru-cache'
import { RequestError, Server } from 'proxy-chain'
import { limits } from '../../proto/limits.ts'
import type { NetworkPolicy } from '../../proto/node.ts'
import type { ProxyOptions } from '../../proto/session.ts'
import { isOpenAt } from '../../runtime/network/guard/allowance.ts'
import { canonicalHost, isLocalhost, localhostAddresses } from '../../runtime/network/hosts.ts'
import { upstreamUrl } from '../browser/proxy.ts'
import { allowanceOf, isPrivate, policyOf, refusalOfAll } from './policy.ts'

interface Address {
  readonly address: string
  readonly family: number
}
export interface RefusedHost {
  readonly host: string
  readonly count: number
}

export type LookUp = (host: string) => Promise<readonly Address[]>

/** Chromium itself wants these now and then; nobody is to be told that it may not. */
const ofChromium = new Set(['accounts.google.com:443', 'clients2.google.com:443'])

const ask: LookUp = (host) => lookup(host, { all: true })

/**
 * Node's own agent keeps connections by name, for all browsers: one would be given to a request whose
 * name leads elsewhere by now, or as the other side closes it.
 */
const unpooled = new Agent({ keepAlive: false })

type Looked = (error: Error | null, address: string | Address[], family?: number) => void

export class NetworkFilter {
  readonly #server: Server
  readonly #lookUp: LookUp
  /** Of the session's own proxy, which then looks names up. */
  readonly #upstream: string | undefined
  /** Asked for and refused since somebody asked. */
  readonly #refused = new LRUCache<string, true>({ max: limits.refusedHosts })
  /** The same, with how often, for the audit. */
  readonly #unreported = new LRUCache<string, number>({ max: limits.refusedHosts })
  /** Names that no name server knew when they were asked for last. */
  readonly #unknown = new LRUCache<string, true>({ max: limits.refusedHosts })
  /** All must agree. */
  policies: readonly NetworkPolicy[] = []
  /** Of the service itself: closed on private addresses, whatever the policies say. */
  closedPorts: readonly number[] = []
  #listener: Listener | undefined

  private constructor(upstream: ProxyOptions | undefined, lookUp: LookUp) {
    this.#lookUp = lookUp
    this.#upstream = upstream && upstreamUrl(upstream)
    this.#server = new Server({
      host: '127.0.0.1',
      port: 0,
      prepareRequestFunction: ({ hostname, port }) => this.#route(hostname, port),
    })
  }

  static async open(upstream?: ProxyOptions, lookUp: LookUp = ask): Promise<NetworkFilter> {
    const filter = new NetworkFilter(upstream, lookUp)
    await filter.#server.listen()
    return filter
  }

  /** Answers what comes to that listener, which closes with it. Public addresses alone, until it is told. */
  static behind(listener: Listener, upstream?: ProxyOptions, lookUp: LookUp = ask): NetworkFilter {
    const filter = new NetworkFilter(upstream, lookUp)
    filter.#listener = listener
    filter.policies = [policyOf({}, true)]
    listener.on('connection', (socket) => filter.#server.server.emit('connection', socket))
    return filter
  }

  /** Of one that listens by itself. */
  get port(): number {
    return this.#server.port
  }

  /** Whether no name server knew it when it was asked for last. */
  isUnknown(hostname: string): boolean {
    return this.#unknown.has(canonicalHost(hostname))
  }

  /** Hosts that were refused since this was asked last, the newest last. */
  takeRefused(): readonly string[] {
    const hosts = [...this.#refused.rkeys()]
    this.#refused.clear()
    return hosts
  }

  /** Hosts that were refused since this was asked last, with how often each was. */
  takeUnreported(): readonly RefusedHost[] {
    const hosts = [...this.#unreported.entries()].map(([host, count]) => ({ host, count }))
    this.#unreported.clear()
    return hosts
  }

  async close(): Promise<void> {
    if (!this.#listener) return this.#server.close(true)
    this.#listener.close()
    this.#server.closeConnections()
  }

  async #route(hostname: string, port: number) {
    const { policies } = this
    const url = new URL(`http://${hostname}:${port}/`)
    const why = refusalOfAll(url, policies)
    if (why !== undefined) throw this.#refusal(url.host, why)
    if (this.#upstream !== undefined) {
      await this.#openAddresses(new URL(this.#upstream))
      return { upstreamProxyUrl: this.#upstream, httpAgent: unpooled }
    }
    const dnsLookup = pinnedTo(await this.#openAddresses(url)) as never
    return { dnsLookup, httpAgent: unpooled }
  }

  async #openAddresses({ protocol, hostname, host, port }: URL): Promise<readonly Address[]> {
    const allowance = { ...allowanceOf(this.policies), closedPorts: this.closedPorts }
    const found = await this.#addressesOf(canonicalHost(hostname))
    const portNumber = Number(port) || (protocol === 'https:' ? 443 : 80)
    const open = found.filter(({ address }) => isOpenAt(address, portNumber, allowance))
    if (open.length === 0) throw this.#refusal(host, isPrivate(host))
    return open
  }

  async #addressesOf(host: string): Promise<readonly Address[]> {
    if (isLocalhost(host)) return localhostAddresses
    try {
      const found = await this.#lookUp(host)
      this.#unknown.delete(host)
      return found
    } catch (cause) {
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

/** Answers what was looked up before, in the form that is asked for. */
const pinnedTo =
  (addresses: readonly Address[]) =>
  (_host: string, options: { readonly all?: boolean }, done: Looked): void => {
    if (options.all) done(null, [...addresses])
    else done(null, addresses[0]!.address, addresses[0]!.family)
  }
