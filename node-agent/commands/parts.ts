/** What commands on one browser work with, each part opened at its first use. */
import type { Browser } from '../browser/browser.ts'
import { OsInput } from '../input/os-input.ts'
import { PageControl } from '../page/page-control.ts'
import { PageHands } from '../page/page-hands.ts'
import type { DesktopTools, WorkbenchParts } from './workbench.ts'

export function partsOf(browser: Browser): WorkbenchParts {
  const page = new PageControl(browser)
  const hands = new PageHands(page, browser.cdp)
  const { uploads } = browser.files
  return {
    page,
    uploads: { pathOf: (id) => uploads.pathOf(uploads.get(id)) },
    pageHands: async () => hands,
    desktop: browser.display && desktopOf(browser.display.number),
  }
}

/** One connection to the display; one that could not be made is tried again by the next command. */
function desktopOf(displayNumber: number): DesktopTools {
  let opened: Promise<OsInput> | undefined
  const hands = () => {
    opened ??= OsInput.open(displayNumber).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    hands,
    screenshot: async () => (await hands()).screenshot(),
    closeFileChoosers: async () => (await hands()).closeFileChoosers(),
  }
}
