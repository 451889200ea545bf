/**
 * Saves the profiles of browsers that run on. A copy of the files lacks what Chromium has not written
 * yet, so another browser begins with the copy, gets the cookies and local storage as the running one
 * has them, and is closed in order: what it leaves is whole. One at a time on each host.
 */
import type { NodeVerbs, SavedProfile } from '../../proto/browser-host/node.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { Browser } from '../browser/browser.ts'
import { copyProfile } from '../profiles/copy-profile.ts'
import { SessionStorage } from '../storage/session-storage.ts'

type Save = Pick<NodeVerbs['save_profile']['request'], 'blob' | 'bytesMax'>

/** Starts a browser of no session; `fill` puts its profile there. */
export type BootFilled = (fill: (profile: string) => Promise<void>) => Promise<Browser>

export class RunningSaves {
  readonly #boot: BootFilled
  readonly #turns = new SerialQueue()

  constructor(boot: BootFilled) {
    this.#boot = boot
  }

  save(browser: Browser, { blob, bytesMax }: Save): Promise<SavedProfile> {
    return this.#turns.run(async () => {
      const state = await new SessionStorage(browser).read(false)
      const visited = browser.origins.known()
      const [group] = browser.groups
      const copy = await this.#boot((to) => copyProfile(browser.scratch.profile, to, group!))
      try {
        await new SessionStorage(copy).replaceLocal(state, visited)
        const keeper = await copy.keepProfile()
        try {
          return await keeper.save(blob, bytesMax)
        } finally {
          keeper.giveUp()
        }
      } finally {
        await copy.end()
      }
    })
  }
}
