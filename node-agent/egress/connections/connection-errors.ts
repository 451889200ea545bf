/** What a browser's connection failed for: in Chromium's words, and as a reply of SOCKS. */
import { RequestError } from 'proxy-chain'
import { blockedByPolicy } from '../policy.ts'
import type { SocksReply } from './socks.ts'

const statuses = { refused: 403, unknownName: 502 } as const

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'net::ERR_CONNECTION_REFUSED',
  ECONNRESET: 'net::ERR_CONNECTION_RESET',
  EHOSTUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  ETIMEDOUT: 'net::ERR_CONNECTION_TIMED_OUT',
}

/** Undefined for failures that say nothing of the site, such as that the browser has gone. */
export function connectionErrorOf(error: unknown): string | undefined {
  if (error instanceof RequestError) {
    return error.statusCode === statuses.refused ? blockedByPolicy : undefined
  }
  return byCode[codeOf(error)] ?? 'net::ERR_CONNECTION_FAILED'
}

export function replyFor(error: unknown): SocksReply {
  if (error instanceof RequestError) {
    if (error.statusCode === statuses.refused) return 'notAllowed'
    return error.statusCode === statuses.unknownName ? 'unreachable' : 'failed'
  }
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'refused'
  return code === 'EHOSTUNREACH' || code === 'ENETUNREACH' ? 'unreachable' : 'failed'
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
