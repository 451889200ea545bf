/** Metrics that a gateway measures itself: durations of requests and of session creations. */
import { Counter, Histogram, type Registry } from 'prom-client'
import { ServiceError } from '../../../proto/errors.ts'

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const createOutcomes = ['created', 'refused', 'failed'] as const

export class GatewayTimings {
  readonly #requests: Counter
  readonly #durations: Histogram
  readonly #creations: Histogram

  constructor(registry: Registry) {
    const registers = [registry]
    this.#requests = new Counter({
      name: 'troupe_http_requests_total',
      help: 'Requests answered, by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'troupe_http_request_seconds',
      help: 'Time from a request to its answer.',
      labelNames: ['method', 'route'],
      buckets: durationBuckets,
      registers,
    })
    this.#creations = new Histogram({
      name: 'troupe_session_create_seconds',
      help:
        'Time from the request for a session until it had its browser; refused: by a limit or ' +
        'for lack of capacity, failed: for another reason.',
      labelNames: ['outcome'],
      buckets: durationBuckets,
      registers,
    })
    for (const outcome of createOutcomes) this.#creations.zero({ outcome })
  }

  answered(method: string, route: string, status: number, ms: number): void {
    this.#requests.inc({ method, route, status })
    this.#durations.observe({ method, route }, ms / 1000)
  }

  async ofCreation<T>(creation: () => Promise<T>): Promise<T> {
    const done = this.#creations.startTimer()
    try {
      const created = await creation()
      done({ outcome: 'created' })
      return created
    } catch (error) {
      done({ outcome: isRefusal(error) ? 'refused' : 'failed' })
      throw error
    }
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceError && (error.status < 500 || error.type === 'storage_full')
