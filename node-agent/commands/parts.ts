/** The tools for commands on one browser; each is opened at its first use. */
import type { Readable } from 'node:stream'
import { newId } from '../../proto/ids.ts'
import type { Browser } from '../browser/browser.ts'
import type { FileFolder } from '../files/folder.ts'
import { safeName } from '../files/names.ts'
import type { AskLoginValues } from '../logins/login-values.ts'
import { PageActions } from '../page/actions/acting.ts'
import { PageRecorder } from '../page/network/recording.ts'
import { PageControl } from '../page/page-control.ts'
import { pageLimits } from '../page/limits.ts'
import { PageInput } from '../page/input/page-input.ts'
import { SessionScripts } from '../scripts/session-scripts.ts'
import { SessionStorage } from '../storage/session-storage.ts'
import type { CommandContextParts } from './command-context.ts'
import { desktopToolsOf } from './desktop-tools.ts'

export function commandContextPartsOf(browser: Browser, ask: AskLoginValues): CommandContextParts {
  const page = new PageControl(browser)
  const device = new PageInput(page, browser.cdp, browser.ownContextId)
  const { pointer, keyboard } = device
  const { uploads } = browser.files
  return {
    page,
    actions: new PageActions({
      pages: page,
      cdp: browser.cdp,
      pointer,
      keyboard,
      network: browser.network,
      downloads: browser.files.downloads,
      refsBefore: browser.turn * pageLimits.refsOfOneAgent,
    }),
    network: browser.network,
    recorder: new PageRecorder(),
    scripts: new SessionScripts(browser),
    storage: new SessionStorage(browser),
    logins: { ask, filled: browser.filled },
    permissions: browser.permissions,
    routes: browser.routes,
    mayEvaluate: browser.mayEvaluate,
    isTraced: browser.isTraced,
    uploads: {
      pathOf: (id) => uploads.pathOf(uploads.get(id)),
      store: (name, content) => storeAs(uploads, name, content),
    },
    pageInput: async () => device,
    desktop:
      browser.display &&
      desktopToolsOf(browser.display, browser.cdp.clock, (withinMs) => page.handles(withinMs)),
  }
}

/** Each file gets a folder of its own, so that the page sees the given name even if it repeats. */
function storeAs(uploads: FileFolder, name: string, content: Readable): Promise<string> {
  return uploads.arrive(content, async ({ path, bytes }) => {
    const file = await uploads.take(path, `${newId('fil')}/${safeName(name)}`, bytes)
    return uploads.pathOf(file)
  })
}
