/**
 * Whether a page is accessible: axe-core finds nothing, light and dark. Of the rules that hold, it
 * describes one element each instead of all, which takes most of its time.
 */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

export async function isAccessible(t: Test, view: Page, what: string): Promise<void> {
  await view.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await view.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await view.evaluate<axe.AxeResults>(
      "axe.run({ resultTypes: ['violations'] })",
    )
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)
    t.same(found, [], `${what}, ${colorScheme}`)
  }
}
