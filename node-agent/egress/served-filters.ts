/** The filters of the egress process, and how it carries out its agent's orders. */
import type { ConnectionLoad } from '../../proto/host-counts.ts'
import type { ListenerHandle } from '../../runtime/browser-host/isolation/own-network.ts'
import { failureText } from '../../runtime/lib/text/failure-text.ts'
import { noPorts, type ServicePorts } from './service-ports.ts'
import { ConnectionRoom } from './connections/connection-room.ts'
import { NetworkFilter } from './filter.ts'
import { fairLookUp } from './look-ups.ts'
import type { EgressMessage, EgressOrder, EgressSettings, FilterSettings } from './orders.ts'

export class ServedFilters {
  readonly #filters = new Map<number, NetworkFilter>()
  readonly #means
  #ports: ServicePorts = noPorts

  constructor({ connections, nameServers }: EgressSettings) {
    const room = new ConnectionRoom({ perBrowser: connections })
    this.#means = { room, lookUp: fairLookUp(nameServers) }
  }

  get load(): ConnectionLoad {
    return this.#means.room.load()
  }

  /** `listener` is the socket that came with the order. */
  async answer(order: EgressOrder, listener?: ListenerHandle): Promise<EgressMessage> {
    const { id } = order
    try {
      return { id, answer: await this.#carryOut(order, listener) }
    } catch (error) {
      return { id, error: failureText(error) }
    }
  }

  #carryOut(order: EgressOrder, listener: ListenerHandle | undefined): unknown {
    if (order.order === 'ports') return this.#setPorts(order.ports)
    if (order.order === 'open') return this.#open(order.filter, order, listener)
    const filter = this.#filters.get(order.filter)
    // It was closed while the order was on its way.
    if (!filter) return order.order === 'refused' || order.order === 'unreported' ? [] : null
    switch (order.order) {
      case 'restrict':
        filter.policies = order.policies
        return null
      case 'failure':
        return URL.canParse(order.url) ? (filter.failureOf(new URL(order.url)) ?? null) : null
      case 'refused':
        return filter.takeRefused()
      case 'unreported':
        return filter.takeUnreported()
      case 'traffic':
        return filter.traffic
      case 'close':
        this.#filters.delete(order.filter)
        return filter.close().then(() => filter.traffic)
    }
  }

  #setPorts(ports: ServicePorts): null {
    this.#ports = ports
    for (const filter of this.#filters.values()) filter.ports = ports
    return null
  }

  async #open(
    id: number,
    { upstream, policies, port }: FilterSettings,
    listener: ListenerHandle | undefined,
  ): Promise<number> {
    const filter = listener
      ? NetworkFilter.behind(listener, upstream, this.#means)
      : await NetworkFilter.open(upstream, this.#means, port)
    filter.ports = this.#ports
    filter.policies = policies
    this.#filters.set(id, filter)
    return listener ? 0 : filter.port
  }
}
