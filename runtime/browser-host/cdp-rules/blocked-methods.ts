/**
 * CDP calls that clients may not make. Chromium allows them on every connection, but they reach
 * past the session: onto the browser's host, into other browsers there, or around this gateway.
 */
import { closedDomains, guardedDomains } from './guarded-domains.ts'

interface Guard {
  readonly allowed: ReadonlySet<string>
  /** The reason why a call is not allowed, as the end of a sentence. */
  reasonOf(command: string): string
}

const guards: ReadonlyMap<string, Guard> = new Map([
  ...Object.entries(closedDomains).map(([domain, reason]): [string, Guard] => [
    domain,
    { allowed: new Set(), reasonOf: () => reason },
  ]),
  ...Object.entries(guardedDomains).map(([domain, { allowed, refused }]): [string, Guard] => [
    domain,
    {
      allowed: new Set(allowed),
      reasonOf: (command) =>
        refused.get(command) ?? 'it is not known to be safe for those beside it',
    },
  ]),
])

export const isBlockedMethod = (method: string): boolean => blockReasonOf(method) !== undefined

/** The reason why a client may not call it, as the end of a sentence; undefined if it may. */
export function blockReasonOf(method: string): string | undefined {
  const dot = method.indexOf('.')
  const guard = guards.get(method.slice(0, dot))
  const command = method.slice(dot + 1)
  return guard === undefined || guard.allowed.has(command) ? undefined : guard.reasonOf(command)
}
