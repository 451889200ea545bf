/** Sends one GET. Redirects are not followed, because their target is not what is monitored. */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { contained } from '../../../../runtime/lib/network/contained.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { ConnectionGuard } from '../../../../runtime/lib/network/guard/connection-guard.ts'

export interface HttpProbeResult {
  readonly status: number
  /** Time until the headers were received. */
  readonly latencyMs: number
}

interface HttpProbeOptions {
  readonly signal: AbortSignal
  readonly now: () => number
}

export function probeHttp(
  url: URL,
  { lookup, admit }: ConnectionGuard,
  { signal, now }: HttpProbeOptions,
): Promise<HttpProbeResult> {
  const startedMs = now()
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const options = {
      ...{ method: 'GET', agent: false, lookup, signal, maxHeaderSize: limits.checkHeaderBytes },
      headers: { 'user-agent': 'TroupeCheck', accept: '*/*', connection: 'close' },
    }
    const asked = contained(start(url, options))
    asked.on('error', reject)
    asked.on('socket', (socket) => {
      socket.once('connect', () => {
        try {
          admit(socket)
        } catch (error) {
          asked.destroy(error instanceof Error ? error : undefined)
        }
      })
    })
    asked.on('response', (response) => {
      const answered = { status: response.statusCode ?? 0, latencyMs: now() - startedMs }
      readToEnd(response).then(() => resolve(answered), reject)
      response.on('close', () => asked.destroy())
    })
    asked.end()
  })
}

/** Reads to the end or the limit; a response that is cut off counts as an error. */
async function readToEnd(response: IncomingMessage): Promise<void> {
  let bytes = 0
  for await (const chunk of response) {
    bytes += Buffer.byteLength(chunk)
    if (bytes >= limits.checkBodyBytes) return
  }
}
