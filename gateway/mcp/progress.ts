/** Signs of life for a client that asked for them, while something takes its time. */
import type { ServerContext } from '@modelcontextprotocol/server'
import { limits } from '../../proto/limits.ts'

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
    const params = { progressToken, progress, message, ...(total !== undefined && { total }) }
    // Whoever does not hear it has left, and the call with it.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  const timer = setInterval(tell, limits.mcpProgressMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
