/**
 * `force_popups_as_tabs`: window.open with a size or position opens a separate window. Chromium has
 * no setting against that, so each page of such a browser gets a window.open that removes those
 * features.
 */
import { scriptOf, sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import type * as popupCode from '../in-page/popups.ts'

const script = scriptOf(sentFunctions<typeof popupCode>('popups').openTabsOnly)

/** New pages are paused until the script is installed, so no page can open a window before that. */
export async function openPopupsAsTabs(cdp: CdpPipe, onError: (error: unknown) => void) {
  const attached = async ({ method, params }: CdpEvent) => {
    if (method !== 'Target.attachedToTarget') return
    const { sessionId, targetInfo } = params as {
      sessionId: string
      targetInfo: { type: string }
    }
    if (targetInfo.type === 'page') {
      await cdp.send('Page.enable', {}, { sessionId })
      await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: script }, { sessionId })
      await cdp.send('Runtime.evaluate', { expression: script }, { sessionId })
    }
    await cdp.send('Runtime.runIfWaitingForDebugger', {}, { sessionId })
  }
  cdp.onEvent((event) => void attached(event).catch(onError))
  await cdp.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{ type: 'page' }, { exclude: true }],
  })
}
