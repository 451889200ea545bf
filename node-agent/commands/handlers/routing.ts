/** Requests of pages that are answered in place of their servers. */
import type { HandlersOf } from './handler.ts'

export const routingHandlers: HandlersOf<'route' | 'unroute' | 'routes'> = {
  async route({ routes }, rule) {
    await routes.add(rule)
    return { routes: routes.list() }
  },
  async unroute({ routes }, { url }) {
    await routes.remove(url)
    return { routes: routes.list() }
  },
  routes: async ({ routes }) => ({ routes: routes.list() }),
}
