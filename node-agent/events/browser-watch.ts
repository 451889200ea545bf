/**
 * What a browser does, whoever makes it do it: pages that open, go elsewhere, close or crash, and
 * downloads. Chromium tells the browser's own session, so no page is attached to.
 */
import type { NewLoggedEvent } from '../../proto/session/session-event.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { shownUrl } from '../../runtime/lib/text/shown-url.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { isSessionPage, type PageTarget } from '../cdp/session-page.ts'
import type { SessionDownloads } from '../files/downloads.ts'

export interface WatchedBrowser {
  readonly cdp: Pick<CdpPipe, 'onEvent'>
  /** Of pages of the service, which nobody is told of. */
  readonly ownContextId: string
  readonly files: { readonly downloads: Pick<SessionDownloads, 'onBegin'> }
}

/** Targets that were there before are known by their first change. */
export function watchEvents(
  { cdp, ownContextId, files }: WatchedBrowser,
  tell: (event: NewLoggedEvent) => void,
): void {
  /** Of each page, its last address. */
  const pages = new Map<string, string>()
  files.downloads.onBegin(({ id, name }) => tell({ type: 'download', file: id, name }))
  const seen = (target: PageTarget, isNew: boolean) => {
    if (!isSessionPage(target, ownContextId)) return
    const { targetId: page, url } = target
    if (pages.get(page) === url) return
    const wasKnown = pages.has(page)
    pages.set(page, url)
    const shown = shownUrl(url, sessionLimits.eventUrlChars)
    // The page that a browser begins with has only been looked at.
    if (!isNew && !wasKnown && url === 'about:blank') return
    if (isNew && !wasKnown) tell({ type: 'page_opened', page, url: shown })
    // A page that is new, and has not gone anywhere yet, is no news.
    else if (shown !== '') tell({ type: 'page_navigated', page, url: shown })
  }
  cdp.onEvent(({ method, params }: CdpEvent) => {
    switch (method) {
      case 'Target.targetCreated':
        return seen(params.targetInfo, true)
      case 'Target.targetInfoChanged':
        return seen(params.targetInfo, false)
      case 'Target.targetCrashed':
        return tell({ type: 'page_crashed', page: params.targetId })
      case 'Target.targetDestroyed':
        if (pages.delete(params.targetId)) tell({ type: 'page_closed', page: params.targetId })
    }
  })
}
