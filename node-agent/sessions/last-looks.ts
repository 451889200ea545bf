/**
 * The last picture of each session: taken before its browser is closed in order, kept for a day. There is
 * none of a browser that crashed, of an empty page, and of a page that hangs.
 */
import type { Logger } from 'pino'
import { join } from 'node:path'
import type { NodeVerbs, PageInfo } from '../../proto/browser-host/node.ts'
import { ServiceError } from '../../proto/errors.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { settleWithin, type Clock } from '../../runtime/lib/clock.ts'
import { shownUrl } from '../../runtime/lib/text/shown-url.ts'
import { LineFiles } from '../line-files/line-files.ts'
import { glanceAt } from '../page/pictures/glance.ts'
import type { GlancedBrowser } from './glances.ts'
import { hostedSessionLimits } from './limits.ts'

/** `image` is a JPEG in base64. */
interface StoredLook {
  readonly page: PageInfo
  readonly image: string
}

export interface LastLooksDeps {
  readonly config: {
    readonly DATA_DIR: string
    readonly NODE_ID: string
    readonly LAST_PICTURES: boolean
  }
  readonly clock: Clock
  readonly log: Logger
}

export class LastLooks {
  readonly #files: LineFiles<StoredLook>
  readonly #isOn: boolean
  readonly #clock: Clock
  readonly #log: Logger

  constructor({ config: { DATA_DIR, NODE_ID, LAST_PICTURES }, clock, log }: LastLooksDeps) {
    this.#isOn = LAST_PICTURES
    this.#clock = clock
    this.#log = log
    this.#files = new LineFiles({
      ...{ clock, log },
      folder: join(DATA_DIR, 'last-pictures', NODE_ID),
      allBytes: hostedSessionLimits.lastLooksBytes,
      missing: () => new ServiceError('not_found', 'There is no picture of this session.'),
    })
  }

  stop(): void {
    this.#files.stop()
  }

  /** Takes a moment at most. Never rejects: a session ends without its picture too. */
  async keep(sessionId: string, tenant: string, browser: GlancedBrowser): Promise<void> {
    if (!this.#isOn) return
    const taken = this.#take(sessionId, tenant, browser)
    // A browser that has stopped answers nothing at all.
    await settleWithin(this.#clock, hostedSessionLimits.lastLook.withinMs, taken)
  }

  async #take(sessionId: string, tenant: string, browser: GlancedBrowser): Promise<void> {
    try {
      const look = await lookAt(browser)
      if (look) await this.#files.append(sessionId, tenant, [look])
    } catch (err) {
      this.#log.debug({ err, sessionId }, 'a session ended without its last picture')
    }
  }

  /** Undefined if there is none. */
  async of(sessionId: string): Promise<NodeVerbs['glance']['reply'] | undefined> {
    const look = (await this.#files.linesOf(sessionId)).at(-1)
    return look && { pages: [look.page], image: Buffer.from(look.image, 'base64') }
  }
}

async function lookAt(browser: GlancedBrowser): Promise<StoredLook | undefined> {
  const [shown] = await browser.pages()
  if (!shown || shown.url === 'about:blank') return undefined
  const image = await glanceAt(browser.cdp, shown.id, hostedSessionLimits.lastLook)
  if (!image) return undefined
  const url = shownUrl(shown.url, sessionLimits.eventUrlChars)
  return { page: { ...shown, url }, image: Buffer.from(image).toString('base64') }
}
