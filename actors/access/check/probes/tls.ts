/**
 * Reads the certificate that a server presents. Whether it is trusted is reported but not required.
 */
import { contained } from '../../../../runtime/lib/network/contained.ts'
import { defined } from '../../../../proto/defined.ts'
import { connect } from 'node:tls'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { ConnectionGuard } from '../../../../runtime/lib/network/guard/connection-guard.ts'

export interface ProbedCertificate {
  readonly issuer: string
  readonly notAfterMs: number
  /** Why it is not trusted; null if it is. */
  readonly fault: string | null
}

export function probeTls(
  port: number,
  { host, servername, lookup, admit }: ConnectionGuard,
  signal: AbortSignal,
): Promise<ProbedCertificate> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const socket = contained(
      connect({
        ...{ host, port, lookup, rejectUnauthorized: false },
        ...defined({ servername }),
      }),
    )
    const stop = () => socket.destroy(new Error('aborted', { cause: signal.reason }))
    signal.addEventListener('abort', stop, { once: true })
    socket.once('close', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('closed'))
    })
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      try {
        admit(socket)
        const { issuer, valid_to: until } = socket.getPeerCertificate()
        const fault = socket.authorized ? null : String(socket.authorizationError)
        resolve({ issuer: nameOf(issuer), notAfterMs: Date.parse(until), fault })
      } catch (error) {
        reject(error instanceof Error ? error : new Error('no certificate'))
      } finally {
        socket.destroy()
      }
    })
  })
}

/** Node returns repeated name fields as arrays. */
function nameOf(issuer: Readonly<Record<string, string | string[] | undefined>>): string {
  const name = [issuer['O'] ?? issuer['CN'] ?? 'unknown'].flat()[0] ?? 'unknown'
  return name.slice(0, limits.nameChars)
}
