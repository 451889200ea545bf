/**
 * Calls the handlers of the scoped-access routes in this process for the portal's pages, in the
 * name of the signed-in person. So forms and REST requests pass the same roles, schemas, step-up,
 * actors and audit, and permissions are defined only once.
 */
import type { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { PersonCaller } from '../routing/auth/access-caller.ts'
import type { ReportRefusal } from '../access/gate/refusals.ts'
import { applyRule, mayAttempt, peopleRule } from '../routing/auth/access-rule.ts'
import type { Idempotency } from '../routing/answers/idempotency.ts'
import { asServiceError, errorReply } from '../routing/answers/reply.ts'
import { innerRequest, storedRefusal, type InnerCall } from '../routing/inner-request.ts'
import type { RawCall, Route } from '../routing/route.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'

export interface InnerApiDeps {
  /** The routes of scoped access. */
  readonly routes: readonly Route[]
  readonly tellRefusal: ReportRefusal
  readonly idempotency: Pick<Idempotency, 'once'>
  readonly clock: Clock
}

/** The person who acts; `caller` is undefined during sign-in. */
export interface InnerCaller {
  readonly request: HttpRequest
  readonly requestId: string
  readonly caller?: PersonCaller | undefined
}

export class InnerApi {
  readonly #deps: InnerApiDeps
  readonly #routes: ReadonlyMap<string, Route>

  constructor(deps: InnerApiDeps) {
    this.#deps = deps
    this.#routes = new Map(deps.routes.map((route) => [`${route.method} ${route.path}`, route]))
  }

  /**
   * Runs a route such as `POST /v1/needs` and returns its parsed answer. Throws the route's errors.
   */
  async run<T>(actor: InnerCaller, name: string, act: InnerCall, answer: z.ZodType<T>): Promise<T> {
    const reply = await this.#reply(actor, name, act)
    return answer.parse(JSON.parse(String(reply.body)))
  }

  /** Like `run`, for callers that do not need the answer. */
  async do(actor: InnerCaller, name: string, act: InnerCall = {}): Promise<void> {
    await this.#reply(actor, name, act)
  }

  /** Like `run`, for an answer that is not JSON, such as a PDF: returned as it is. */
  file(actor: InnerCaller, name: string, act: InnerCall): Promise<HttpReply> {
    return this.#reply(actor, name, act)
  }

  /** Whether the person may use the route, possibly after a step-up; for pages that offer it. */
  isFor(caller: PersonCaller, name: string): boolean {
    return mayAttempt(this.#routeOf(name).access ?? peopleRule, caller)
  }

  #routeOf(name: string): Route {
    const route = this.#routes.get(name)
    if (!route) throw new Error(`no route ${name}`)
    return route
  }

  async #reply(actor: InnerCaller, name: string, act: InnerCall): Promise<HttpReply> {
    const route = this.#routeOf(name)
    const { caller, requestId } = actor
    this.#admit(route, caller)
    const call: RawCall = {
      request: innerRequest(actor.request, route, act),
      requestId,
      caller,
      params: act.params ?? {},
    }
    if (act.once === undefined || !route.makes || !caller) return route.run(call)
    let failed: unknown
    const reply = await this.#deps.idempotency.once(
      route,
      call.request,
      caller,
      (lasting, attempt) =>
        route.run({ ...call, request: lasting, attempt }).catch((error: unknown) => {
          failed = error
          return errorReply(asServiceError(error), requestId)
        }),
    )
    if (failed !== undefined) throw failed
    // The stored answer of an earlier attempt may be an error too.
    if (reply.status >= 400) throw storedRefusal(reply)
    return reply
  }

  #admit(route: Route, caller: PersonCaller | undefined): void {
    if (route.auth !== 'access') return
    if (!caller) throw new ServiceError('unauthorized', 'Sign in first.')
    try {
      applyRule(route.access ?? peopleRule, caller, this.#deps.clock.now())
    } catch (error) {
      // A missing step-up is not a refusal yet: the password will be asked for.
      if (error instanceof ServiceError && error.type !== 'step_up_required') {
        this.#deps.tellRefusal(error, caller, `${route.method} ${route.path}`, undefined)
      }
      throw error
    }
  }
}
