/** Navigating, waiting, and managing tabs. */
import { goTo, goThrough, reload } from '../../page/navigation.ts'
import { waitFor } from '../../page/acting/waiting.ts'
import { done, type HandlersOf } from './handler.ts'

export const movingHandlers: HandlersOf<
  'goto' | 'navigate' | 'wait_for' | 'tab_list' | 'tab_new' | 'tab_select' | 'tab_close'
> = {
  // Runs outside the turns: a dialog that blocks the navigation may need input to be closed.
  async goto(bench, { url }) {
    await bench.page.goto(url)
    return done
  },
  navigate: (bench, { url, go }) =>
    bench.watch(async ({ tab }) => {
      if (url !== undefined) await goTo(tab, url, bench.network)
      else if (go === 'reload') await reload(tab)
      else await goThrough(tab, go === 'back' ? -1 : 1)
    }),
  wait_for: (bench, { timeout, ...wish }) => bench.watch((stage) => waitFor(stage, wish, timeout)),
  tab_list: async (bench) => ({ tabs: [...(await bench.page.listTabs())] }),
  tab_new: (bench, { url }) => bench.page.openTab(url),
  tab_select: (bench, { tab }) => bench.page.selectTab(tab),
  async tab_close(bench, { tab }) {
    await bench.page.closeTab(tab)
    return done
  },
}
