/** The tools for commands on one browser; each is opened at its first use. */
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

/** Each file gets a folder of its own, so that the page sees the given name even if it repeats. */
function storeAs(uploads: Folder, name: string, content: Readable): Promise<string> {
  return uploads.arrive(content, async ({ path, bytes }) => {
    const file = await uploads.take(path, `${newId('fil')}/${safeName(name)}`, bytes)
    return uploads.pathOf(file)
  })
}

/** Shares one connection to the display; if opening it fails, the next command tries again. */
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
