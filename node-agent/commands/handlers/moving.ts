/** Navigating, waiting, and managing tabs. */
import { navigateTo, navigateHistory, reloadPage } from '../../page/tabs/navigation.ts'
import { waitForCondition } from '../../page/actions/waiting.ts'
import { noResult, type HandlersOf } from './handler.ts'

export const movingHandlers: HandlersOf<
  'goto' | 'navigate' | 'wait_for' | 'tab_list' | 'tab_new' | 'tab_select' | 'tab_close'
> = {
  // Runs outside the turns: a dialog that blocks the navigation may need input to be closed.
  async goto(context, { url }) {
    await context.page.goto(url)
    return noResult
  },
  navigate: (context, { url, go }) =>
    context.watch(async ({ tab }) => {
      if (url !== undefined) return navigateTo(tab, url, context.network)
      if (go === 'reload') await reloadPage(tab)
      else await navigateHistory(tab, go === 'back' ? -1 : 1)
    }),
  wait_for: (context, { timeout, ...condition }) =>
    context.watch((actionContext) => waitForCondition(actionContext, condition, timeout)),
  tab_list: async (context) => ({ tabs: [...(await context.page.listTabs())] }),
  tab_new: (context, { url }) => context.page.openTab(url),
  tab_select: (context, { tab }) => context.page.selectTab(tab),
  async tab_close(context, { tab }) {
    await context.page.closeTab(tab)
    return noResult
  },
}
