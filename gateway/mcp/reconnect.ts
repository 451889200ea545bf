/**
 * Calls of a service that may be restarting. A request that was never sent is sent again as soon as
 * the service is back. One whose connection was lost may have been carried out, so it is repeated
 * only if that does no harm; otherwise the caller is told to look.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../proto/errors.ts'
import { mcpLimits } from './limits.ts'

export interface ReconnectOptions {
  /** The address of the service. */
  readonly base: string
  /** Sending it twice is as good as once. */
  readonly isRepeatable: boolean
  readonly signal: AbortSignal | undefined
}

/** Throws a `ServiceError` if there is no connection in the end; other errors stay as they are. */
export async function withReconnect<T>(
  { base, isRepeatable, signal }: ReconnectOptions,
  send: () => Promise<T>,
): Promise<T> {
  const untilMs = performance.now() + mcpLimits.mcpReconnectMs
  for (let isLost = false; ;) {
    try {
      return await send()
    } catch (error) {
      const loss = lossOf(error)
      if (loss === undefined) throw error
      if (loss === 'lost' && !isRepeatable) {
        await serviceIsBack(base, untilMs, signal)
        throw lostError(error)
      }
      isLost ||= loss === 'lost'
      const isOver = performance.now() >= untilMs || loss === 'unreachable'
      if (isOver) throw isLost ? lostError(error) : unreachableError(base, error)
      await delay(mcpLimits.mcpReconnectPollMs, undefined, signal && { signal })
    }
  }
}

/** Returns early with the time over: what is told then is true in both cases. */
async function serviceIsBack(
  base: string,
  untilMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (performance.now() < untilMs) {
    try {
      const leftMs = AbortSignal.timeout(mcpLimits.mcpReconnectMs)
      await fetch(`${base}/health/ready`, {
        method: 'HEAD',
        signal: signal ? AbortSignal.any([signal, leftMs]) : leftMs,
      })
      return
    } catch (error) {
      if (lossOf(error) === undefined) return
      await delay(mcpLimits.mcpReconnectPollMs, undefined, signal && { signal })
    }
  }
}

/**
 * `refused`: nothing was sent, and the service may be back soon. `unreachable`: nothing was sent,
 * and waiting does not help. `lost`: the connection ended before the answer did.
 */
type Loss = 'refused' | 'unreachable' | 'lost'

const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'])

/** `fetch` reports a failed connection as a TypeError whose cause has the code. */
function lossOf(error: unknown): Loss | undefined {
  if (!(error instanceof TypeError)) return undefined
  const { code } = (error.cause ?? {}) as { readonly code?: unknown }
  if (code === 'ECONNREFUSED') return 'refused'
  return lostCodes.has(String(code)) ? 'lost' : 'unreachable'
}

function lostError(cause: unknown): ServiceError {
  const text =
    'The connection was lost in mid-call: it may have been done. Look again before you repeat it.'
  return new ServiceError('unavailable', text, {}, cause)
}

function unreachableError(base: string, cause: unknown): ServiceError {
  const text = `No service answers at ${base}: start the service, or set SVC_BASE to where it is.`
  return new ServiceError('unavailable', text, {}, cause)
}
