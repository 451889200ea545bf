/**
 * Pages whose load broke when the agent before ended, and the way out with it: the next agent loads
 * them again, as a person would. What a form has sent is not sent twice.
 */
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import { chromiumLimits } from './limits.ts'
import { listPages, withPage } from './page.ts'

/** Resolves when these pages are there, have failed again, or after a time limit. */
export async function repeatBrokenLoads(cdp: CdpPipe): Promise<void> {
  const pages = await listPages(cdp)
  // Some may close by themselves meanwhile.
  await Promise.allSettled(pages.map(({ id }) => repeatBrokenLoad(cdp, id)))
}

function repeatBrokenLoad(cdp: CdpPipe, pageId: string): Promise<void> {
  return withPage(cdp, pageId, async (sessionId) => {
    const frame = async () => {
      return (await cdp.send('Page.getFrameTree', {}, { sessionId })).frameTree.frame
    }
    const { unreachableUrl, loaderId } = await frame()
    if (unreachableUrl === undefined) return
    const history = await cdp.send('Page.getNavigationHistory', {}, { sessionId })
    const { transitionType } = history.entries[history.currentIndex] ?? {}
    if (transitionType === 'form_submit') return
    await cdp.send('Page.reload', {}, { sessionId })
    const { reloadPollMs: everyMs, initialNavigationMs: withinMs } = chromiumLimits
    await pollUntil(cdp.clock, { everyMs, withinMs }, async () => {
      return (await frame()).loaderId !== loaderId
    })
  })
}
