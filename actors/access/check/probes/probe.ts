/** Probes the target of a record within the time limit of one check, and returns the findings. */
import { z } from 'zod'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { Clock } from '../../../../runtime/lib/clock.ts'
import { NotPublic } from '../../../../runtime/lib/network/guard/lookup.ts'
import type { DomainFound } from '../fold-domain.ts'
import type { MonitorFound } from '../fold-monitor.ts'
import { probeDns } from './dns.ts'
import { probeHttp } from './http.ts'
import { allowedHosts } from '../../../../runtime/lib/network/guard/allowance.ts'
import { guardConnection } from '../../../../runtime/lib/network/guard/connection-guard.ts'
import { probeTls } from './tls.ts'

export interface ProbeDeps {
  readonly privateHosts: readonly string[]
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Aborts at the end of the check or of its time limit. */
  readonly signal: AbortSignal
}

const monitorFields = z.object({ kind: z.enum(['http', 'tls', 'dns']), target: z.string() })

export async function probeMonitor(fields: RecordFields, deps: ProbeDeps): Promise<MonitorFound> {
  const { kind, target } = monitorFields.parse(fields)
  const url = monitorUrlOf(kind, target)
  if (!url) return { status: 'unknown', cause: 'The target is not a valid address.' }
  const startedMs = deps.clock.monotonic()
  try {
    const found = await askers[kind](url, deps)
    const latencyMs = Math.round(found.latencyMs ?? deps.clock.monotonic() - startedMs)
    const isSlow = found.status === 'up' && latencyMs > limits.checkSlowMs
    return { ...found, latencyMs, ...(isSlow && { status: 'degraded' }) }
  } catch (error) {
    if (isNotPublic(error)) return { status: 'unknown', cause: 'NotPublic' }
    return { status: 'down', cause: causeOf(error) }
  }
}

type Probe = (url: URL, deps: ProbeDeps) => Promise<MonitorFound>

const askers: Readonly<Record<'http' | 'tls' | 'dns', Probe>> = {
  async http(url, { privateHosts, signal, clock }) {
    const now = () => clock.monotonic()
    const { status, latencyMs } = await probeHttp(
      url,
      guardConnection(url, allowedHosts(privateHosts)),
      {
        signal,
        now,
      },
    )
    if (status < 400) return { status: 'up', latencyMs }
    return { status: 'down', latencyMs, cause: `HTTP ${status}` }
  },
  async tls(url, { privateHosts, signal, clock }) {
    const { fault, notAfterMs } = await probeTls(
      portOf(url),
      guardConnection(url, allowedHosts(privateHosts)),
      signal,
    )
    if (fault !== null) return { status: 'down', cause: fault }
    const endsSoon = notAfterMs - clock.now() <= limits.checkEndsSoonMs
    return { status: endsSoon ? 'degraded' : 'up' }
  },
  async dns(url, { privateHosts, signal }) {
    await probeDns(guardConnection(url, allowedHosts(privateHosts)), signal)
    return { status: 'up' }
  },
}

/** Findings that could not be determined are absent. */
export async function probeDomain(fields: RecordFields, deps: ProbeDeps): Promise<DomainFound> {
  const url = monitorUrlOf('tls', String(fields['hostname']))
  if (!url) return {}
  const { privateHosts, signal } = deps
  const known = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask()
    } catch {
      // The record keeps the known value; outages are reported by monitors.
      return undefined
    }
  }
  const [tls, addresses] = await Promise.all([
    known(() => probeTls(portOf(url), guardConnection(url, allowedHosts(privateHosts)), signal)),
    known(() => probeDns(guardConnection(url, allowedHosts(privateHosts)), signal)),
  ])
  return {
    ...(tls && { tls: { issuer: tls.issuer, notAfterMs: tls.notAfterMs } }),
    ...(addresses && { addresses }),
  }
}

/** HTTP takes a URL; the others a host with an optional port. */
function monitorUrlOf(kind: 'http' | 'tls' | 'dns', target: string): URL | undefined {
  const text = kind === 'http' ? target : `https://${target}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) ? url : undefined
}

const portOf = ({ port }: URL): number => (port === '' ? 443 : Number(port))

const isNotPublic = (error: unknown): boolean =>
  error instanceof NotPublic || (error instanceof Error && error.cause instanceof NotPublic)

/** Only error codes: messages contain addresses, which would reveal the network to the client. */
function causeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code === 'ABORT_ERR' ? 'no answer in time' : error.code
  }
  const isLate = error instanceof Error && ['aborted', 'closed'].includes(error.message)
  return isLate || (error instanceof Error && error.name === 'TimeoutError')
    ? 'no answer in time'
    : 'no answer'
}
