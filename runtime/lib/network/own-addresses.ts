/**
 * The addresses of this machine. The public ones too lead to what listens here, past the firewall
 * that closes it to others, so the guard counts them as private.
 */
import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { systemClock, type Clock } from '../clock.ts'
import { libLimits } from '../limits.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

export interface OwnAddressesOptions {
  readonly clock?: Pick<Clock, 'monotonic'>
  readonly interfaces?: typeof networkInterfaces
}

export class OwnAddresses {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #interfaces: typeof networkInterfaces
  #inFront: readonly Range[] = []
  #here: ReadonlySet<string> = new Set()
  #readAtMs = -Infinity

  constructor({ clock = systemClock, interfaces = networkInterfaces }: OwnAddressesOptions = {}) {
    this.#clock = clock
    this.#interfaces = interfaces
  }

  /** Sets addresses and ranges that lead to this machine and that it does not know, as with NAT. */
  setInFront(texts: readonly string[]): void {
    this.#inFront = texts.map(rangeOf)
  }

  /** An IPv4-mapped address is given as IPv4. */
  has(address: Address): boolean {
    this.#refresh()
    const isInFront = ([base, bits]: Range) =>
      address.kind() === base.kind() && address.match(base, bits)
    return this.#here.has(address.toString()) || this.#inFront.some(isInFront)
  }

  #refresh(): void {
    const nowMs = this.#clock.monotonic()
    if (nowMs - this.#readAtMs < libLimits.ownAddressesMs) return
    this.#readAtMs = nowMs
    try {
      const found = Object.values(this.#interfaces()).flatMap((some) => some ?? [])
      this.#here = new Set(found.map(({ address }) => ipaddr.process(address).toString()))
    } catch {
      // Without a free file descriptor they cannot be read; those that were read last still hold.
    }
  }
}

/** Those of this process. */
export const ownAddresses = new OwnAddresses()

export const isAddressOrRange = (text: string): boolean =>
  isIP(text) !== 0 || ipaddr.isValidCIDR(text)

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
