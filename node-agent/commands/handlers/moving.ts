/** Navigating, waiting, and managing tabs. */
import { navigateTo, navigateHistory, reloadPage } from '../../page/tabs/navigation.ts'
import { waitForCondition } from '../../page/actions/waiting.ts'
import { noResult, type HandlersOf } from './handler.ts'

export const movingHandlers: HandlersOf<
  'goto' | 'navigate' | 'wait_for' | 'tab_list' | 'tab_new' | 'tab_select' | 'tab_close'
> = {
  // Runs outside the turns: a dialog that blocks the navigation may need input to be closed.
  async goto(context, { url, ...wait }) {
    await context.page.goto(url, wait)
    return noResult
  },
  async navigate(context, { url, go, ...wait }) {
    // Before the page is looked at, which it cannot answer meanwhile.
    if (go === 'stop') await (await context.actionContext()).tab.stopLoading()
    return context.watch(async ({ tab }) => {
      if (go === 'stop') return
      if (url !== undefined) return navigateTo(tab, url, context.network, wait)
      if (go === 'reload') await reloadPage(tab)
      else await navigateHistory(tab, go === 'back' ? -1 : 1)
    })
  },
  wait_for: (context, { timeout, ...condition }) =>
    context.watch((actionContext) => waitForCondition(actionContext, condition, timeout)),
  tab_list: async (context) => ({ tabs: [...(await context.page.listTabs())] }),
  tab_new: (context, { url, ...wait }) => context.page.openTab(url, wait),
  tab_select: (context, { tab }) => context.page.selectTab(tab),
  async tab_close(context, { tab }) {
    await context.page.closeTab(tab)
    return noResult
  },
}
