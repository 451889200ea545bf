/**
 * `force_popups_as_tabs`: window.open with a size or position opens a separate window. Chromium has
 * no setting against that, so each page of such a browser gets a window.open that removes those
 * features.
 */
import { scriptOf, sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type * as popupCode from '../in-page/popups.ts'
import type { TargetPreparation } from './setup/prepare-targets.ts'

const script = scriptOf(sentFunctions<typeof popupCode>('popups').openTabsOnly)

/** Before a page's first script, so no page can open a window before that. */
export const popupsAsTabs: TargetPreparation = {
  types: ['page'],
  frames: false,
  prepare: (call) => [
    call('Page.enable'),
    call('Page.addScriptToEvaluateOnNewDocument', { source: script }),
    call('Runtime.evaluate', { expression: script }),
  ],
}
