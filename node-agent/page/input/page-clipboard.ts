/**
 * The clipboard of a browser without a display, which only that browser uses. It is accessed by
 * copying and pasting in a hidden page of our own. That page is not listed as a tab, needs no
 * permission and takes no focus. Its handlers set and read the text unchanged, and keep the
 * previous content while another text is lent.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { installedFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type * as clipboardCode from '../../in-page/clipboard.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import { Tab } from '../tabs/tab.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

const { serveClipboard, giveText, giveKept, keepTaken, forgetTaken, takenText, takenBytes } =
  installedFunctions<typeof clipboardCode>('clipboard')

export class PageClipboard {
  readonly #cdp: CdpPipe
  readonly #contextId: string
  #hidden: Promise<Tab> | undefined

  /** `contextId`: the browser context of the page. */
  constructor(cdp: CdpPipe, contextId: string) {
    this.#cdp = cdp
    this.#contextId = contextId
  }

  async read(): Promise<string> {
    const page = await this.#page()
    await take(page)
    const bytes = await page.evaluate(takenBytes)
    if (bytes <= commandLimits.clipboardBytes) return page.evaluate(takenText)
    const limit = commandLimits.clipboardBytes
    const message = `The clipboard has ${bytes} bytes of text; at most ${limit} can be read.`
    throw new ServiceError('too_large', message, { limit })
  }

  async write(text: string): Promise<void> {
    const page = await this.#page()
    await page.evaluate(giveText, text)
    await command(page, 'copy')
  }

  /**
   * Puts a text on the clipboard for the duration of an action, then restores the previous content
   * unless the action returns `keep`.
   */
  async withText(text: string, action: () => Promise<'keep' | 'restore'>): Promise<void> {
    const page = await this.#page()
    await take(page)
    await page.evaluate(keepTaken)
    await this.write(text)
    let after: 'keep' | 'restore' = 'restore'
    try {
      after = await action()
    } finally {
      if (after === 'restore') {
        await page.evaluate(giveKept)
        await command(page, 'copy')
      }
    }
  }

  async #page(): Promise<Tab> {
    const known = await this.#hidden
    if (known && !known.ended) return known
    const opening = this.#open().catch((error: unknown) => {
      this.#hidden = undefined
      throw error
    })
    return (this.#hidden = opening)
  }

  async #open(): Promise<Tab> {
    const { targetId } = await this.#cdp.send('Target.createTarget', {
      url: 'about:blank',
      hidden: true,
      browserContextId: this.#contextId,
    })
    const page = await Tab.attach(this.#cdp, targetId)
    await page.evaluate(serveClipboard)
    return page
  }
}

/** A key event without a key but with an editing command, as menus send it. */
function command(page: Tab, name: 'copy' | 'paste'): Promise<void> {
  const event = { type: 'rawKeyDown' as const, key: '', commands: [name] }
  return page.deliver('Input.dispatchKeyEvent', event)
}

async function take(page: Tab): Promise<void> {
  await page.evaluate(forgetTaken)
  await command(page, 'paste')
}
