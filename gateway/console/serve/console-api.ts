/**
 * Calls the REST routes in this process for the console's pages, with the signed-in key. So forms
 * pass the same scopes, schemas, limits and audit as requests with that key.
 */
import type { z } from 'zod'
import type { Idempotency } from '../../routing/answers/idempotency.ts'
import { asServiceError, errorReply } from '../../routing/answers/reply.ts'
import type { Principal } from '../../routing/auth/auth.ts'
import { requireScope } from '../../routing/auth/key-scope.ts'
import { innerRequest, storedRefusal, type InnerCall } from '../../routing/inner-request.ts'
import type { RawCall, Route } from '../../routing/route.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import type { RequestAudit } from '../../service-audit/request-audit.ts'

export interface ConsoleApiDeps {
  /** All routes of the gateway; read at the first call, when the list is complete. */
  readonly routes: () => readonly Route[]
  readonly audit: RequestAudit
  readonly idempotency: Pick<Idempotency, 'once'>
}

export interface ConsoleCaller {
  readonly request: HttpRequest
  readonly requestId: string
  readonly principal: Principal
}

export class ConsoleApi {
  readonly #deps: ConsoleApiDeps
  #routes: ReadonlyMap<string, Route> | undefined

  constructor(deps: ConsoleApiDeps) {
    this.#deps = deps
  }

  /** Runs a route such as `POST /v1/sessions` and returns its parsed answer. Throws its errors. */
  async run<T>(
    caller: ConsoleCaller,
    name: string,
    call: InnerCall,
    answer: z.ZodType<T>,
  ): Promise<T> {
    const { body } = await this.reply(caller, name, call)
    return answer.parse(JSON.parse(String(body)))
  }

  async reply(caller: ConsoleCaller, name: string, call: InnerCall): Promise<HttpReply> {
    const { audit, idempotency } = this.#deps
    const route = this.#routeOf(name)
    const { principal, requestId } = caller
    try {
      requireScope(principal.scopes, route.scope ?? 'any')
    } catch (error) {
      audit.scopeRefused(caller.request, principal, route)
      throw error
    }
    const raw: RawCall = {
      request: innerRequest(caller.request, route, call),
      requestId,
      caller: principal,
      params: call.params ?? {},
    }
    if (call.once === undefined || !route.makes) return audit.run(route, raw)
    let failed: unknown
    const reply = await idempotency.once(route, raw.request, principal, (lasting, attempt) =>
      audit.run(route, { ...raw, request: lasting, attempt }).catch((error: unknown) => {
        failed = error
        return errorReply(asServiceError(error), requestId)
      }),
    )
    if (failed !== undefined) throw failed
    // The stored answer of an earlier attempt may be an error too.
    if (reply.status >= 400) throw storedRefusal(reply)
    return reply
  }

  #routeOf(name: string): Route {
    this.#routes ??= new Map(
      this.#deps
        .routes()
        // The other routes expect a caller that is not a key.
        .filter(({ auth }) => auth === 'key' || auth === 'bearer')
        .map((route) => [`${route.method} ${route.path}`, route]),
    )
    const route = this.#routes.get(name)
    if (!route) throw new Error(`no route ${name}`)
    return route
  }
}
