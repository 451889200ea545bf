/**
 * Calls of a service that may be restarting. A request that was never sent is sent again as soon as
 * the service is back. A request whose connection was lost may have been carried out, so it is
 * repeated only if that is harmless; otherwise the caller gets an error that asks it to check.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../proto/errors.ts'
import { mcpLimits } from './limits.ts'

export interface ReconnectOptions {
  /** The address of the service. */
  readonly base: string
  /** Set if sending the request twice has the same effect as sending it once. */
  readonly isRepeatable: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Throws a `ServiceError` if no connection can be made in time; other errors are passed on
 * unchanged.
 */
export async function withReconnect<T>(
  { base, isRepeatable, signal }: ReconnectOptions,
  send: () => Promise<T>,
): Promise<T> {
  const untilMs = performance.now() + mcpLimits.mcpReconnectMs
  for (let isLost = false; ;) {
    try {
      return await send()
    } catch (error) {
      const failure = connectionFailureOf(error)
      if (failure === undefined) throw error
      if (failure === 'lost' && !isRepeatable) {
        await waitForService(base, untilMs, signal)
        throw lostError(error)
      }
      isLost ||= failure === 'lost'
      const isOver = performance.now() >= untilMs || failure === 'unreachable'
      if (isOver) throw isLost ? lostError(error) : unreachableError(base, error)
      await delay(mcpLimits.mcpReconnectPollMs, undefined, signal && { signal })
    }
  }
}

/**
 * Waits until the service answers or the time is over; the error that follows is correct in both
 * cases.
 */
async function waitForService(
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
      if (connectionFailureOf(error) === undefined) return
      await delay(mcpLimits.mcpReconnectPollMs, undefined, signal && { signal })
    }
  }
}

/**
 * How a call failed. `refused`: nothing was sent, and the service may be back soon. `unreachable`:
 * nothing was sent, and waiting does not help. `lost`: the connection ended before the answer
 * arrived.
 */
type ConnectionFailure = 'refused' | 'unreachable' | 'lost'

const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'])

/** `fetch` reports a failed connection as a TypeError whose cause has the code. */
function connectionFailureOf(error: unknown): ConnectionFailure | undefined {
  if (!(error instanceof TypeError)) return undefined
  const { code } = (error.cause ?? {}) as { readonly code?: unknown }
  if (code === 'ECONNREFUSED') return 'refused'
  return lostCodes.has(String(code)) ? 'lost' : 'unreachable'
}

function lostError(cause: unknown): ServiceError {
  const text =
    'The connection was lost during the call, which may have been done. Check before you ' +
    'repeat it.'
  return new ServiceError('unavailable', text, {}, cause)
}

function unreachableError(base: string, cause: unknown): ServiceError {
  const text = `No service answers at ${base}: start the service, or set SVC_BASE to its URL.`
  return new ServiceError('unavailable', text, {}, cause)
}
