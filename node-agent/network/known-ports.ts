/**
 * The ports of the service's own processes, which browsers never reach. A process may have chosen a
 * free port, so the settings alone do not tell: the others are read from the processes' records.
 */
import type { HostRecord } from '../../proto/host.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { ServicePorts } from '../egress/service-ports.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import { portOfUrl } from '../../runtime/lib/network/hosts.ts'

interface PortSources {
  readonly config: Pick<Config, 'PORT' | 'NATS_URL'>
  readonly membership: Pick<Membership, 'hosts'>
  /** As in {@link HostRecord}. */
  readonly machine: string
}

/** Computed at each connection, so that a process that has just started is included. */
export class KnownPorts implements ServicePorts {
  readonly #sources: PortSources
  readonly #configured: readonly number[]

  constructor(sources: PortSources, dataPort: number) {
    this.#sources = sources
    const { PORT, NATS_URL } = sources.config
    const nats = NATS_URL.split(',').flatMap((url) => /:(\d+)\/?$/.exec(url)?.[1] ?? [])
    this.#configured = [PORT, dataPort, ...nats.map(Number)]
  }

  get closed(): readonly number[] {
    const urls = this.#hosts().flatMap(({ url, dataUrl }) => [url, dataUrl])
    return [...this.#configured, ...urls.flatMap(portOf)]
  }

  get gateways(): readonly number[] {
    const { config, machine } = this.#sources
    const here = this.#hosts().filter((host) => host.machine === machine)
    return [config.PORT, ...here.flatMap(({ url }) => portOf(url))]
  }

  #hosts(): readonly HostRecord[] {
    return this.#sources.membership.hosts().filter(({ state }) => state !== 'dead')
  }
}

function portOf(url: string | undefined): readonly number[] {
  if (url === undefined || !URL.canParse(url)) return []
  return [portOfUrl(new URL(url))]
}
