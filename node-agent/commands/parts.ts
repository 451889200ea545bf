/** What commands on one browser work with, each part opened at its first use. */
import type { Readable } from 'node:stream'
import { newId } from '../../proto/ids.ts'
import type { Browser } from '../browser/browser.ts'
import type { Folder } from '../files/folder.ts'
import { safeName } from '../files/names.ts'
import type { XAddress } from '../input/display-connection.ts'
import { OsInput } from '../input/os-input.ts'
import { Acting } from '../page/acting/acting.ts'
import { Recorder } from '../page/acting/recording.ts'
import { PageControl } from '../page/page-control.ts'
import { PageHands } from '../page/page-hands.ts'
import type { DesktopTools, WorkbenchParts } from './workbench.ts'

export function partsOf(browser: Browser): WorkbenchParts {
  const page = new PageControl(browser)
  const hands = new PageHands(page, browser.cdp)
  const { pointer, keyboard } = hands
  const { uploads } = browser.files
  return {
    page,
    acting: new Acting({
      pages: page,
      cdp: browser.cdp,
      pointer,
      keyboard,
      network: browser.network,
    }),
    network: browser.network,
    recorder: new Recorder(),
    mayEvaluate: browser.mayEvaluate,
    uploads: {
      pathOf: (id) => uploads.pathOf(uploads.get(id)),
      store: (name, content) => storeAs(uploads, name, content),
    },
    pageHands: async () => hands,
    desktop: browser.display && desktopOf(browser.display),
  }
}

/** In a folder of its own: the page sees the name that was given, however often it was before. */
function storeAs(uploads: Folder, name: string, content: Readable): Promise<string> {
  return uploads.arrive(content, async ({ path, bytes }) => {
    const file = await uploads.take(path, `${newId('fil')}/${safeName(name)}`, bytes)
    return uploads.pathOf(file)
  })
}

/** One connection to the display; one that could not be made is tried again by the next command. */
function desktopOf(address: XAddress): DesktopTools {
  let opened: Promise<OsInput> | undefined
  const hands = () => {
    opened ??= OsInput.open(address).catch((error: unknown) => {
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
