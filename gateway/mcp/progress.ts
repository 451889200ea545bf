/** Sends progress notifications during long calls to clients that asked for them. */
import { defined } from '../../proto/defined.ts'
import type { ServerContext } from '@modelcontextprotocol/server'
import { mcpLimits } from './limits.ts'

export async function withProgress<T>(
  title: string,
  input: Readonly<Record<string, unknown>>,
  { mcpReq }: ServerContext,
  work: () => Promise<T>,
): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return work()
  const startedAtMs = performance.now()
  const total = typeof input['timeout'] === 'number' ? input['timeout'] / 1000 : undefined
  const tell = () => {
    const progress = Math.round((performance.now() - startedAtMs) / 100) / 10
    const message = `${title}: ${progress} s`
    const params = { progressToken, progress, message, ...defined({ total }) }
    // Fails only if the client has left, which also ends the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  const timer = setInterval(tell, mcpLimits.mcpProgressMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
