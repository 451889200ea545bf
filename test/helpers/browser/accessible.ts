/**
 * Whether a page is accessible: axe-core finds nothing, light and dark. Of the rules that hold, it
 * describes one element each instead of all, which takes most of its time; and in the dark it checks
 * only those about colours again.
 */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const rules: Readonly<Record<'light' | 'dark', axe.RunOptions>> = {
  light: {},
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
}

export async function isAccessible(t: Test, view: Page, what: string): Promise<void> {
  await view.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await view.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const options = JSON.stringify({ ...rules[colorScheme], resultTypes: ['violations'] })
    const { violations, passes } = await view.evaluate<axe.AxeResults>(`axe.run(${options})`)
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)
    t.same(found, [], `${what}, ${colorScheme}`)
    t.ok(passes.length > 0, `${what}, ${colorScheme}: there was something to check`)
  }
}
