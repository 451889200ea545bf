/** One request of a signed-in person, as the console's pages see it. */
import type { z } from 'zod'
import type { KeyScope } from '../../proto/accounts/key-scopes.ts'
import type { SubmittedForm } from '../html/forms/form.ts'
import type { InnerCall } from '../routing/inner-request.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import type { ConsoleApi } from './serve/console-api.ts'
import type { ConsoleDeps } from './deps.ts'
import type { ConsoleFeeds } from './live/feeds.ts'
import type { SessionGlances } from './live/glances.ts'
import type { ConsoleNavItem } from './nav-item.ts'

export interface ConsoleVisitFacts {
  readonly request: HttpRequest
  readonly requestId: string
  readonly principal: Principal
  /** When this browser has to sign in again; wall-clock ms. */
  readonly endsAtMs: number
  readonly params: Readonly<Record<string, string>>
  readonly form: SubmittedForm
  /** The token for forms on the page. */
  readonly formToken: string
}

export interface ConsoleVisitDeps extends ConsoleDeps {
  readonly api: ConsoleApi
  readonly feeds: ConsoleFeeds
  readonly glances: SessionGlances
  /** Everything that is found by its name: the entries of the navigation, and forms. */
  readonly named: readonly ConsoleNavItem[]
  /** The paths of all pages, so that a page links to another only where that exists. */
  readonly paths: ReadonlySet<string>
}

export class ConsoleVisit {
  readonly facts: ConsoleVisitFacts
  readonly deps: ConsoleVisitDeps
  /** Wall-clock ms at the start of the request. */
  readonly now: number

  constructor(facts: ConsoleVisitFacts, deps: ConsoleVisitDeps) {
    this.facts = facts
    this.deps = deps
    this.now = deps.clock.now()
  }

  get form(): SubmittedForm {
    return this.facts.form
  }
  get query(): URLSearchParams {
    return this.facts.request.query
  }
  /** Whether the key sees every tenant, not only its own. */
  get isAdmin(): boolean {
    return this.has('admin')
  }

  has(scope: KeyScope): boolean {
    return this.facts.principal.scopes.includes(scope)
  }

  /** For example `at('/tasks')` is `/console/tasks`. */
  at(path: string): string {
    return `/console${path}`
  }

  /** A parameter of the page's path. */
  param(name: string): string {
    return this.facts.params[name] ?? ''
  }

  asked(name: string): string | undefined {
    return this.query.get(name)?.trim() || undefined
  }

  /** Whether this key may see objects of the tenant. */
  sees(tenant: string): boolean {
    return this.isAdmin || tenant === this.facts.principal.tenant
  }

  /**
   * Runs a REST route such as `POST /v1/sessions` with this key, and returns its parsed answer.
   * `tenant` is the owner of the object: a key with `admin` acts for that tenant, with its other
   * scopes. Throws the route's errors.
   */
  run<T>(route: string, call: InnerCall, answer: z.ZodType<T>, tenant?: string): Promise<T> {
    return this.deps.api.run(this.#for(tenant), route, call, answer)
  }

  /** Like `run`, without the answer. */
  async do(route: string, call: InnerCall, tenant?: string): Promise<void> {
    await this.deps.api.reply(this.#for(tenant), route, call)
  }

  /** Like `run`, for an answer that is not JSON. */
  file(route: string, call: InnerCall, tenant?: string): Promise<HttpReply> {
    return this.deps.api.reply(this.#for(tenant), route, call)
  }

  #for(tenant: string | undefined) {
    const { request, requestId, principal } = this.facts
    const isForeign = tenant !== undefined && this.isAdmin
    return { request, requestId, principal: isForeign ? { ...principal, tenant } : principal }
  }
}
