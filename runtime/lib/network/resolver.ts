/**
 * Resolves names without `dns.lookup`, which has four threads for the whole process and no time
 * limit: four names whose name server is silent would hold up all others. Each look-up here has
 * sockets of its own, a time limit, and ends at once when its caller leaves.
 *
 * As with the system's resolver, addresses, `localhost`, /etc/hosts and the search list and the
 * servers of /etc/resolv.conf are honoured. Other sources of nsswitch.conf (mDNS, NIS, LDAP) are not.
 */
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { systemClock, type Clock } from '../clock.ts'
import { libLimits } from '../limits.ts'
import { canonicalHost, isLocalhost, localhostAddresses } from './hosts.ts'
import {
  hostsFile,
  searchFile,
  type HostsTable,
  type ResolvedAddress,
  type SearchRules,
} from './system-names.ts'

export interface NameResolverOptions {
  /** `address` or `address:port` of each name server; empty: those of /etc/resolv.conf. */
  readonly servers?: readonly string[]
  readonly clock?: Clock
  readonly hosts?: () => HostsTable
  readonly search?: () => SearchRules
}

/** `code` is as of `dns.lookup`: ENOTFOUND, or EAI_AGAIN where a later attempt may find it. */
export class NameNotResolved extends Error {
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN'
  readonly syscall = 'getaddrinfo'
  readonly hostname: string

  constructor(code: NameNotResolved['code'], hostname: string, cause?: unknown) {
    super(`getaddrinfo ${code} ${hostname}`, { cause })
    this.name = 'NameNotResolved'
    this.code = code
    this.hostname = hostname
  }
}

export class NameResolver {
  readonly #servers: readonly string[]
  readonly #clock: Clock
  readonly #hosts: () => HostsTable
  readonly #search: () => SearchRules

  constructor({ servers = [], clock, hosts, search }: NameResolverOptions = {}) {
    this.#servers = servers
    this.#clock = clock ?? systemClock
    this.#hosts = hosts ?? hostsFile()
    this.#search = search ?? searchFile()
  }

  /**
   * The addresses of a host, at least one. Throws {@link NameNotResolved}, or the signal's reason.
   */
  async resolve(
    host: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<readonly ResolvedAddress[]> {
    signal?.throwIfAborted()
    const name = canonicalHost(host)
    const family = isIP(name)
    if (family !== 0) return [{ address: name, family }]
    if (isLocalhost(name)) return localhostAddresses
    const here = this.#hosts().get(name)
    if (here) return here
    if (name === '' || name.length > libLimits.nameChars) {
      throw new NameNotResolved('ENOTFOUND', host)
    }
    return this.#ask(host, name, signal)
  }

  async #ask(host: string, name: string, signal: AbortSignal | undefined) {
    const { nameServerMs: timeout, nameServerTries: tries } = libLimits
    // One for each look-up: cancelling it cancels nothing else, its ports cannot be foreseen, and
    // it reads the servers of /etc/resolv.conf as they are now.
    const resolver = new Resolver({ timeout, tries })
    if (this.#servers.length > 0) resolver.setServers(this.#servers)
    const cancel = () => resolver.cancel()
    const timer = this.#clock.timer(libLimits.lookUpMs, cancel)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await this.#firstFound(resolver, name)
    } catch (error) {
      signal?.throwIfAborted()
      throw new NameNotResolved(isNoName(error) ? 'ENOTFOUND' : 'EAI_AGAIN', host, error)
    } finally {
      timer.cancel()
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** A name that does not exist is tried below the next domain; a silent server is not. */
  async #firstFound(resolver: Resolver, name: string): Promise<readonly ResolvedAddress[]> {
    let none: unknown
    for (const candidate of candidatesOf(name, this.#search())) {
      try {
        return await addressesOf(resolver, candidate)
      } catch (error) {
        if (!isNoName(error) && codeOf(error) !== 'ESERVFAIL') throw error
        // What is not there may be told; a server that failed may know it later.
        if (none === undefined || !isNoName(error)) none = error
      }
    }
    throw none
  }
}

function candidatesOf(name: string, { domains, dotsLeast }: SearchRules): readonly string[] {
  const completed = domains.map((domain) => `${name}.${domain}`)
  const fitting = completed.filter((one) => one.length <= libLimits.nameChars)
  return name.split('.').length > dotsLeast ? [name, ...fitting] : [...fitting, name]
}

/** Asks for both families at once. */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly ResolvedAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const v4 = found(four, 4)
  const v6 = found(six, 6)
  // A machine without IPv6 would try an address in vain before or after the one that it can reach.
  if (v4.length > 0 && !hasIpv6()) return v4
  if (v4.length + v6.length > 0) return [...v6, ...v4]
  const failures = [four, six].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  throw (
    failures.find((error) => !isNoName(error)) ??
    new NameNotResolved('ENOTFOUND', name, failures[0])
  )
}

function found(
  answer: PromiseSettledResult<readonly string[]>,
  family: 4 | 6,
): readonly ResolvedAddress[] {
  if (answer.status === 'rejected') return []
  return answer.value.slice(0, libLimits.addressesOfName).map((address) => ({ address, family }))
}

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) =>
        family === 'IPv6' && !internal && !address.startsWith('fe80:'),
    ),
  )

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code

/** The answer was that there is no such name, or that it has no address. */
const isNoName = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(String(codeOf(error)))
