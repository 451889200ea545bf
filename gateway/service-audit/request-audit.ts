/**
 * Writes requests and sockets of this gateway to the service's audit. Requests never wait for it:
 * entries are queued by `runtime/service-audit/writer.ts`.
 */
import { defined } from '../../proto/defined.ts'
import type { ServiceAuditAction } from '../../proto/service-audit.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { NewAuditEntry, ServiceAudit } from '../../runtime/service-audit/writer.ts'
import { clientAddressOf } from '../routing/client-address.ts'
import { asServiceError } from '../routing/answers/reply.ts'
import type { AboutAnswer, Caller, RawCall, Route, RouteReply } from '../routing/route.ts'
import type { Principal, SocketGrant } from '../routing/auth/auth.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'

export interface RequestAuditDeps {
  readonly serviceAudit: Pick<ServiceAudit, 'add' | 'addRepeated'>
  readonly config: { readonly PUBLIC_URL: string }
  readonly clock: Clock
}

type RequestSource = Pick<HttpRequest, 'remoteAddress' | 'headers'>
type AuditedCaller = Pick<NewAuditEntry, 'tenant' | 'key_id'>

/** The facts about a socket that are known when it opens. */
export interface SocketFacts extends AuditedCaller {
  readonly session_id: string
  readonly address: string
}

export class RequestAudit {
  readonly #deps: RequestAuditDeps

  constructor(deps: RequestAuditDeps) {
    this.#deps = deps
  }

  #addressOf(request: RequestSource): string {
    return clientAddressOf(request, this.#deps.config.PUBLIC_URL !== '')
  }

  /** Describes a socket, or a link, of a session; the tenant is known once the session is attached. */
  socketFacts(
    request: RequestSource,
    { sessionId, keyId }: Pick<SocketGrant, 'sessionId' | 'keyId'>,
    { tenant }: { readonly tenant: string },
  ): SocketFacts {
    return { tenant, key_id: keyId, session_id: sessionId, address: this.#addressOf(request) }
  }

  /** Runs a route, and writes an entry if the route is audited. */
  async run(route: Route, call: RawCall): Promise<HttpReply> {
    const { audit: action } = route
    if (action === undefined) return route.run(call)
    const { request, requestId, caller, params } = call
    const entry = {
      action,
      ...whoIs(caller),
      address: this.#addressOf(request),
      ...idsIn(params),
      request_id: requestId,
    }
    return withoutAuditData(
      await this.#audited(
        entry,
        () => route.run(call),
        ({ about }) => about,
      ),
    )
  }

  /** Runs the work that an entry is about, and writes the entry with its outcome. */
  async #audited<R>(
    entry: Omit<NewAuditEntry, 'outcome'>,
    work: () => Promise<R>,
    aboutOf: (result: R) => AboutAnswer | undefined,
  ): Promise<R> {
    try {
      const result = await work()
      this.#deps.serviceAudit.add({ ...entry, outcome: 'done', ...aboutOf(result) })
      return result
    } catch (error) {
      const { status, type } = asServiceError(error)
      const outcome = status < 500 ? 'refused' : 'failed'
      // A caller can cause these without limit.
      this.#deps.serviceAudit.addRepeated(`${entry.key_id} ${outcome} ${type}`, {
        ...{ ...entry, outcome, detail: { error: type } },
      })
      throw error
    }
  }

  /** Runs the creation of a session for a socket, and writes the same entry as the route would. */
  async createdBySocket<V extends { readonly id: string }>(
    request: RequestSource,
    { keyId, tenant }: Principal,
    create: () => Promise<V>,
  ): Promise<V> {
    const address = this.#addressOf(request)
    const entry = { action: 'session.create', key_id: keyId, tenant, address } as const
    return this.#audited(entry, create, ({ id }) => ({ session_id: id }))
  }

  /** A request was refused because of its key; `where` is its route, or the name of its socket. */
  keyRefused(request: RequestSource, where: string): void {
    const address = this.#addressOf(request)
    const entry = {
      action: 'key.refuse',
      outcome: 'refused',
      address,
      detail: { route: where },
    } as const
    this.#deps.serviceAudit.addRepeated(address, entry)
  }

  /** A valid key lacks the scope of the route. */
  scopeRefused(request: RequestSource, caller: Caller[keyof Caller], route: Route): void {
    const who = whoIs(caller)
    const where = `${route.method} ${route.path}`
    this.#deps.serviceAudit.addRepeated(`${who.key_id} ${where}`, {
      ...{ action: 'scope.refuse', outcome: 'refused', ...who },
      ...{ address: this.#addressOf(request), detail: { route: where } },
    })
  }

  /** An action over a socket that also exists as a route. */
  acted(
    action: ServiceAuditAction,
    facts: SocketFacts,
    detail: NonNullable<NewAuditEntry['detail']> = {},
  ): void {
    this.#deps.serviceAudit.add({ action, outcome: 'done', ...facts, ...withDetail(detail) })
  }

  /** By a link, which its holder may open without limit. */
  recordingOpened(facts: SocketFacts): void {
    const { session_id, key_id, address } = facts
    const entry = { action: 'recording.open', outcome: 'done', ...facts } as const
    this.#deps.serviceAudit.addRepeated(`${session_id} ${key_id} ${address}`, entry)
  }

  cdpRefused({ address: _, ...facts }: SocketFacts, method: string): void {
    this.#deps.serviceAudit.addRepeated(`${facts.session_id} ${method}`, {
      ...{ action: 'cdp.refuse', outcome: 'refused', ...facts, detail: { method } },
    })
  }

  /** Writes that a socket opened; calling the returned function writes that it closed. */
  opened(
    kind: 'cdp' | 'live',
    facts: SocketFacts,
    detail: NewAuditEntry['detail'] = {},
  ): () => void {
    const { serviceAudit, clock } = this.#deps
    const [open, close] = socketActions[kind]
    const sinceMs = clock.monotonic()
    serviceAudit.add({ action: open, outcome: 'done', ...facts, ...withDetail(detail) })
    return () => {
      const seconds = Math.round((clock.monotonic() - sinceMs) / 1_000)
      serviceAudit.add({ action: close, outcome: 'done', ...facts, detail: { ...detail, seconds } })
    }
  }
}

const socketActions = {
  cdp: ['cdp.attach', 'cdp.detach'],
  live: ['live.open', 'live.close'],
} as const

const withDetail = (detail: NonNullable<NewAuditEntry['detail']>) =>
  Object.keys(detail).length > 0 ? { detail } : {}

/** The reply without the data that is only for the audit. */
function withoutAuditData({ about: _, ...reply }: RouteReply): HttpReply {
  return reply
}

function whoIs(caller: Caller[keyof Caller]): AuditedCaller {
  if (caller === undefined || !('keyId' in caller)) return {}
  const tenant = 'tenant' in caller ? caller.tenant : undefined
  return { key_id: caller.keyId, ...defined({ tenant }) }
}

/** Ids in the path of an audited route. */
function idsIn({ session_id, workflow_id, ...others }: RawCall['params']) {
  return {
    ...defined({ session_id, task_id: workflow_id }),
    ...withDetail(others),
  }
}
