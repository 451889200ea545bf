/** The metrics of a gateway for Prometheus, served at `/metrics`. */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { GatewayTimings } from './gateway-timings.ts'
import { addHostFigures } from './host-figures.ts'
import type { HostReports } from './host-reports.ts'
import { addServiceFigures, type ServiceFigureDeps } from './service-figures.ts'
import { addSocketFigures, type SocketFigureDeps } from './socket-figures.ts'

export interface MetricsDeps extends ServiceFigureDeps, SocketFigureDeps {
  readonly membership: HostReports
}

/** Gauges whose names end like a counter's, which Prometheus' own linter rejects. */
const misnamed = [
  'troupe_nodejs_active_handles_total',
  'troupe_nodejs_active_requests_total',
  'troupe_nodejs_active_resources_total',
]

export class Metrics {
  readonly #registry = new Registry()
  readonly timings = new GatewayTimings(this.#registry)

  constructor() {
    collectDefaultMetrics({ register: this.#registry, prefix: 'troupe_' })
    for (const name of misnamed) this.#registry.removeSingleMetric(name)
  }

  /** Adds the metrics of the gateway's other parts, which are created later than the timings. */
  watch(deps: MetricsDeps): void {
    addSocketFigures(this.#registry, deps)
    addHostFigures(this.#registry, deps.membership)
    addServiceFigures(this.#registry, deps)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
