/**
 * Attaches to the pages of a session for those who want to know what happens in them. Pages may notice,
 * so it is for sessions that are recorded or traced. Frames in processes of their own are not seen.
 */
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { noBodies } from '../page/network/in-flight.ts'
import { isSessionPage, type PageTarget } from '../cdp/session-page.ts'

export interface WatchedPagesBrowser {
  readonly cdp: CdpPipe
  /** Of pages of the service, which nobody is told of. */
  readonly ownContextId: string
}

export interface PageWatcher {
  /** The domains of CDP whose events it wants. */
  readonly domains: readonly ('Log' | 'Runtime' | 'Network')[]
  /** Takes the events of a page that is new. */
  watch(page: string): (event: CdpEvent) => void
}

/** From now on, until the browser ends. */
export function watchPages(
  { cdp, ownContextId }: WatchedPagesBrowser,
  watchers: readonly PageWatcher[],
): void {
  const domains = new Set(watchers.flatMap((watcher) => watcher.domains))
  /** By their pages, what stops listening; undefined until a page is attached to. */
  const watched = new Map<string, (() => void) | undefined>()
  const watch = async (page: string) => {
    watched.set(page, undefined)
    const { sessionId } = await cdp.send('Target.attachToTarget', { targetId: page, flatten: true })
    if (!watched.has(page)) return
    const listeners = watchers.map((watcher) => watcher.watch(page))
    const stopListening = cdp.onEvent((event) => {
      for (const listen of listeners) listen(event)
    }, sessionId)
    watched.set(page, stopListening)
    for (const domain of domains) {
      await cdp.send(`${domain}.enable`, domain === 'Network' ? noBodies : {}, { sessionId })
    }
  }
  const leave = (page: string) => {
    watched.get(page)?.()
    watched.delete(page)
  }
  const seen = (target: PageTarget) => {
    if (!isSessionPage(target, ownContextId) || watched.has(target.targetId)) return
    // A page that closes at once.
    watch(target.targetId).catch(() => leave(target.targetId))
  }
  cdp.onEvent(({ method, params }: CdpEvent) => {
    if (method === 'Target.targetCreated') seen(params.targetInfo)
    else if (method === 'Target.targetDestroyed') leave(params.targetId)
  })
  const all = cdp.send('Target.getTargets', {})
  all.then(({ targetInfos }) => targetInfos.forEach(seen)).catch(() => undefined)
}
