/**
 * Answers requests of a session's pages in place of their servers. Chromium asks the agent's own
 * connection, for all pages, frames and workers; a client that intercepts requests of its page is
 * asked before, and what it lets through comes here. Without routes, nothing is intercepted.
 *
 * Chromium drops this with the agent, so routes are in the browser's record for the next one, sealed.
 */
import type { CommandOutput } from '../../../proto/commands/catalogue.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'
import type { RouteRule } from '../../../proto/commands/page/routing.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import { CdpError, type CdpPipe } from '../../cdp/cdp.ts'
import type { CdpEventParams } from '../../cdp/protocol.ts'
import { openForNext, sealForNext, type NextStore } from '../../logins/kept-values.ts'
import { withPage } from '../page.ts'
import { chromiumPattern, fitsPattern } from './url-patterns.ts'
import { failureOf, isPreflight, methodOf, preflightAnswer, routeAnswer } from './route-answers.ts'

type Paused = CdpEventParams<'Fetch.requestPaused'>
type ListedRoute = CommandOutput<'routes'>['routes'][number]

interface Route extends RouteRule {
  /** How many it has answered. */
  requests: number
}

export class Routes {
  readonly #cdp: CdpPipe
  /** The newest is the first. */
  #routes: Route[] = []
  /** Set while requests are intercepted. */
  #stop: (() => void) | undefined
  #store: NextStore | undefined

  constructor(cdp: CdpPipe) {
    this.#cdp = cdp
  }

  /** Sets those of the agent before again, if there are any. */
  async keepIn(store: NextStore): Promise<void> {
    this.#store = store
    const { sealed, secret } = store
    if (sealed === undefined) return
    this.#routes = [...this.#routes, ...openForNext<Route[]>(sealed, secret, 'routes')]
    if (this.#routes.length > 0) await unlessGone(this.#apply())
  }

  list(): ListedRoute[] {
    return this.#routes.map(({ url, method, status = 200, abort, times, requests }) => ({
      ...{ url, ...(method && { method }) },
      ...{ answer: abort ?? String(status), requests },
      ...(times !== undefined && { times_left: times - requests }),
    }))
  }

  /** Throws `conflict` if there are too many, `too_large` if their bodies are. */
  async add(rule: RouteRule): Promise<void> {
    const routes = [{ ...rule, requests: 0 }, ...this.#routes]
    assertRoom(routes)
    this.#routes = routes
    await this.#apply()
  }

  /** All of them, without a URL. Throws `not_found` if there is none with it. */
  async remove(url?: string): Promise<void> {
    const others = url === undefined ? [] : this.#routes.filter((one) => one.url !== url)
    if (url !== undefined && others.length === this.#routes.length) {
      throw new ServiceError('not_found', `There is no route for ${url}; routes lists them.`)
    }
    this.#routes = others
    await this.#apply()
  }

  async #apply(): Promise<void> {
    await this.#keep()
    if (this.#routes.length === 0) {
      this.#stop?.()
      this.#stop = undefined
      return void (await this.#cdp.send('Fetch.disable'))
    }
    const isFirst = !this.#stop
    this.#stop ??= this.#cdp.onEvent(({ method, params }) => {
      if (method === 'Fetch.requestPaused') void unlessGone(this.#answer(params))
    })
    const patterns = this.#routes.map(({ url }) => ({ urlPattern: chromiumPattern(url) }))
    await this.#cdp.send('Fetch.enable', { patterns })
    if (isFirst) await reachLoadedPages(this.#cdp)
  }

  async #keep(): Promise<void> {
    if (!this.#store) return
    await this.#store.write(sealForNext(this.#routes, this.#store.secret, 'routes'))
  }

  #routeFor({ request }: Paused): Route | undefined {
    const asked = methodOf(request)
    const route = this.#routes.find(
      ({ url, method = asked }) => method === asked && fitsPattern(url, request.url),
    )
    if (!route || isPreflight(request)) return route
    route.requests++
    if (route.times === undefined) return route
    // Chromium still asks for its URL until the routes are changed, and such requests are let through.
    if (route.requests >= route.times) this.#routes = this.#routes.filter((one) => one !== route)
    void this.#keep()
    return route
  }

  async #answer(paused: Paused): Promise<void> {
    const { requestId, request } = paused
    const route = this.#routeFor(paused)
    if (!route) return void (await this.#cdp.send('Fetch.continueRequest', { requestId }))
    if (isPreflight(request)) {
      const answer = { requestId, ...preflightAnswer(request) }
      return void (await this.#cdp.send('Fetch.fulfillRequest', answer))
    }
    if (route.delay) await sleep(this.#cdp.clock, route.delay)
    if (route.abort) {
      const errorReason = failureOf(route.abort)
      return void (await this.#cdp.send('Fetch.failRequest', { requestId, errorReason }))
    }
    const answer = { requestId, ...routeAnswer(route, request) }
    await this.#cdp.send('Fetch.fulfillRequest', answer)
  }
}

/** If the page has left, or the browser has ended, there is nobody to answer. */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof CdpError)) throw error
  }
}

function assertRoom(routes: readonly Route[]): void {
  const { routesPerSession: most, routeBodiesChars } = commandLimits
  if (routes.length > most) {
    const text = `The session has ${most} routes, which is the most: remove some with unroute.`
    throw new ServiceError('conflict', text, { limit: most })
  }
  const chars = routes.reduce((sum, { body = '' }) => sum + body.length, 0)
  if (chars <= routeBodiesChars) return
  const text = `The bodies of all routes would have more than ${routeBodiesChars} characters: remove some with unroute.`
  throw new ServiceError('too_large', text, { limit: routeBodiesChars })
}

/** What a document asks for is intercepted if that was on when it was loaded, or is switched on its page. */
async function reachLoadedPages(cdp: CdpPipe): Promise<void> {
  const { targetInfos } = await cdp.send('Target.getTargets')
  const pages = targetInfos.filter(({ type }) => type === 'page' || type === 'iframe')
  const reached = pages.map(({ targetId }) =>
    withPage(cdp, targetId, async (sessionId) => {
      await cdp.send('Fetch.enable', { patterns: [{ urlPattern: 'none:' }] }, { sessionId })
      await cdp.send('Fetch.disable', {}, { sessionId })
    }),
  )
  // Some may close meanwhile.
  await Promise.allSettled(reached)
}
