/**
 * Whether a page is accessible: axe-core finds nothing, light and dark, and no transition is under
 * way for a user who asked for less motion (so axe sees no colour half way to another). Of the rules
 * that hold, axe describes one element each instead of all, which takes most of its time; and in the
 * dark it checks only those about colours again.
 */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const rules: Readonly<Record<'light' | 'dark', axe.RunOptions>> = {
  light: {},
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
}

interface Found {
  readonly found: readonly string[]
  readonly rulesThatHold: number
}

/** Runs in the page: the whole of what axe has to say takes longer to send than to find. */
const summary = `({ violations, passes }) => ({
  found: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html)),
  rulesThatHold: passes.length,
})`

/** The elements in a transition. An animation that fades a message out is no motion. */
const inTransition = `document.getAnimations()
  .filter((animation) => animation instanceof CSSTransition)
  .map(({ transitionProperty, effect }) => transitionProperty + ': ' + effect.target.outerHTML)`

export async function isAccessible(t: Test, view: Page, what: string): Promise<void> {
  // Half a megabyte of script, which stays until the page navigates.
  if (!(await view.evaluate<boolean>(`'axe' in globalThis`))) await view.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await view.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    t.same(await view.evaluate(inTransition), [], `${what}, ${colorScheme}: no transition`)
    const options = JSON.stringify({ ...rules[colorScheme], resultTypes: ['violations'] })
    const { found, rulesThatHold } = await view.evaluate<Found>(
      `axe.run(${options}).then(${summary})`,
    )
    t.same(found, [], `${what}, ${colorScheme}`)
    t.ok(rulesThatHold > 0, `${what}, ${colorScheme}: there was something to check`)
  }
}
