/**
 * The origins that a session's pages have had, because no call of Chromium's lists the origins that
 * have local storage. Frames of other sites do not count: what they store is kept apart by the site
 * around them, and no storage state has it.
 */
import { LRUCache } from 'lru-cache'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { chromiumLimits } from './limits.ts'
import { withPage } from './page.ts'

const onlyPages = [{ type: 'page' }, { exclude: true }]

interface VisitedPage {
  readonly url: string
  readonly browserContextId?: string | undefined
}

export class VisitedOrigins {
  /** The context of the session's own pages; clients may create others. */
  readonly #contextId: string | undefined
  readonly #origins = new LRUCache<string, true>({ max: chromiumLimits.originsRemembered })
  readonly #onChange: (origins: readonly string[]) => void

  private constructor(contextId: string | undefined, onChange: (all: readonly string[]) => void) {
    this.#contextId = contextId
    this.#onChange = onChange
  }

  /** `known`: those that an earlier agent has seen. `onChange` gets all when there is a new one. */
  static async watch(
    cdp: CdpPipe,
    onChange: (origins: readonly string[]) => void,
    known: readonly string[] = [],
  ): Promise<VisitedOrigins> {
    const { defaultBrowserContextId } = await cdp.send('Target.getBrowserContexts')
    const origins = new VisitedOrigins(defaultBrowserContextId, onChange)
    for (const origin of known) origins.#origins.set(origin, true)
    cdp.onEvent((event) => origins.#onEvent(event))
    // Existing pages have been reported by the time this is answered.
    await cdp.send('Target.setDiscoverTargets', { discover: true, filter: onlyPages })
    return origins
  }

  /** Those of its pages, and of the frames that these have now. */
  async all(cdp: CdpPipe): Promise<readonly string[]> {
    const { targetInfos } = await cdp.send('Target.getTargets', { filter: onlyPages })
    const pages = targetInfos.filter((page) => this.#isOwn(page))
    const ofFrames = await Promise.all(pages.map(({ targetId }) => frameOrigins(cdp, targetId)))
    for (const url of [...pages.map((page) => page.url), ...ofFrames.flat()]) this.add(url)
    return this.known()
  }

  /** `url`: of a page, or the origin itself. */
  add(url: string): void {
    const origin = originOf(url)
    if (origin === undefined) return
    const isNew = !this.#origins.has(origin)
    this.#origins.set(origin, true)
    if (isNew) this.#onChange(this.known())
  }

  /** Without asking; the one visited longest ago comes first, as `watch` takes them. */
  known(): readonly string[] {
    return [...this.#origins.keys()].toReversed()
  }

  #onEvent({ method, params }: CdpEvent): void {
    if (method !== 'Target.targetCreated' && method !== 'Target.targetInfoChanged') return
    if (this.#isOwn(params.targetInfo)) this.add(params.targetInfo.url)
  }

  #isOwn({ browserContextId }: VisitedPage): boolean {
    return browserContextId === this.#contextId
  }
}

/** Undefined for pages that store nothing. */
function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin } = new URL(url)
  return /^https?:/.test(origin) ? origin : undefined
}

/** None if the page is busy, shows a dialog or closes meanwhile. */
async function frameOrigins(cdp: CdpPipe, targetId: string): Promise<readonly string[]> {
  try {
    return await withPage(cdp, targetId, async (sessionId) => {
      const options = { sessionId, timeoutMs: chromiumLimits.framesMs }
      return originsIn((await cdp.send('Page.getFrameTree', {}, options)).frameTree)
    })
  } catch {
    return []
  }
}

interface FrameTree {
  readonly frame: { readonly securityOrigin: string }
  readonly childFrames?: readonly FrameTree[]
}

const originsIn = ({ frame, childFrames = [] }: FrameTree): readonly string[] => [
  frame.securityOrigin,
  ...childFrames.flatMap(originsIn),
]
