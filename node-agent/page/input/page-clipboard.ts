/**
 * The clipboard of a browser without a display, which only that browser uses. It is accessed by
 * copying and pasting in a hidden page of our own. That page is not listed as a tab, needs no
 * permission and takes no focus. Its handlers set and read the text unchanged, and keep the
 * previous content while another text is lent.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import { Tab } from '../tabs/tab.ts'

/**
 * Runs in our isolated world; `given` will be copied, `taken` was pasted, `kept` is the previous
 * content.
 */
const listen = `() => {
  const formats = ['text/plain', 'text/html']
  const none = { 'text/plain': '' }
  Object.assign(globalThis, { given: none, taken: none, kept: none })
  addEventListener('copy', (event) => {
    for (const [type, text] of Object.entries(given)) event.clipboardData.setData(type, text)
    event.preventDefault()
  })
  addEventListener('paste', (event) => {
    for (const type of formats) {
      if (event.clipboardData.types.includes(type)) taken[type] = event.clipboardData.getData(type)
    }
    event.preventDefault()
  })
}`

export class PageClipboard {
  readonly #cdp: CdpPipe
  #hidden: Promise<Tab> | undefined

  constructor(cdp: CdpPipe) {
    this.#cdp = cdp
  }

  async read(): Promise<string> {
    const page = await this.#page()
    await take(page)
    const bytes = await page.evaluate<number>('() => new Blob([taken["text/plain"]]).size')
    if (bytes <= limits.clipboardBytes) {
      return page.evaluate<string>('() => taken["text/plain"]')
    }
    const limit = limits.clipboardBytes
    const message = `The clipboard holds ${bytes} bytes of text; ${limit} can be read.`
    throw new ServiceError('too_large', message, { limit })
  }

  async write(text: string): Promise<void> {
    await give(await this.#page(), '(text) => { given = { "text/plain": text } }', text)
  }

  /**
   * Puts a text on the clipboard during an action; then restores the previous content unless told
   * to keep it.
   */
  async lend(text: string, action: () => Promise<'keep' | 'restore'>): Promise<void> {
    const page = await this.#page()
    await take(page)
    await page.evaluate('() => { kept = taken }')
    await this.write(text)
    let after: 'keep' | 'restore' = 'restore'
    try {
      after = await action()
    } finally {
      if (after === 'restore') await give(page, '() => { given = kept }')
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
    })
    const page = await Tab.attach(this.#cdp, targetId)
    await page.evaluate(listen)
    return page
  }
}

/** A key event without a key but with an editing command, as menus send it. */
function command(page: Tab, name: 'copy' | 'paste'): Promise<void> {
  const event = { type: 'rawKeyDown' as const, key: '', commands: [name] }
  return page.deliver('Input.dispatchKeyEvent', event)
}

async function give(page: Tab, prepare: string, text?: string): Promise<void> {
  await page.evaluate(prepare, text)
  await command(page, 'copy')
}

async function take(page: Tab): Promise<void> {
  await page.evaluate('() => { taken = { "text/plain": "" } }')
  await command(page, 'paste')
}
