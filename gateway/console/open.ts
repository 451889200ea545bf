/** Assembles the console: its pages and what they depend on. */
import type { ServiceError } from '../../proto/errors.ts'
import { errorShown } from '../html/error-page.tsx'
import { pageReply } from '../html/answers/page-reply.ts'
import type { Route } from '../routing/route.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import { BareConsolePage } from './html/frame.tsx'
import type { ConsoleDeps } from './deps.ts'
import { ConsoleFeeds } from './live/feeds.ts'
import { SessionGlances } from './live/glances.ts'
import { consoleSections } from './pages/registry.ts'
import { ConsoleApi } from './serve/console-api.ts'
import { consolePageRoutes } from './serve/serve.ts'
import { ConsoleCookies } from './session/console-cookies.ts'
import { consoleEntryRoutes } from './session/sign-in.tsx'

export interface OperatorConsole {
  /** `all` returns all routes of the gateway, through which pages act. */
  routes(all: () => readonly Route[]): readonly Route[]
  /** Ends the streams of open pages. */
  drain(): void
  /** Renders errors of the console's paths as pages. */
  readonly errors: {
    serves(path: string): boolean
    reply(error: ServiceError, request: HttpRequest, requestId: string): HttpReply
  }
}

export function openConsole(deps: ConsoleDeps): OperatorConsole {
  const cookies = new ConsoleCookies(deps)
  const feeds = new ConsoleFeeds(deps)
  const glances = new SessionGlances(deps.bus)
  return {
    routes(all) {
      const api = new ConsoleApi({ ...deps, routes: all })
      const paths = new Set(consoleSections.flatMap(({ pages }) => pages.map(({ path }) => path)))
      const named = (['nav', 'forms'] as const).flatMap((of) =>
        consoleSections.flatMap((section) => section[of] ?? []),
      )
      const sections = consoleSections
      const serveDeps = { ...deps, api, feeds, glances, named, paths, cookies, sections }
      return [...consoleEntryRoutes(serveDeps), ...consolePageRoutes(serveDeps)]
    },
    drain: () => feeds.drain(),
    errors: {
      serves: (path) => /^\/console(\/|$)/.test(path),
      reply(error, request, requestId) {
        const page = BareConsolePage({ shown: errorShown(error, requestId, '/console') })
        return pageReply({ request, cookies }, error.status, page)
      },
    },
  }
}
