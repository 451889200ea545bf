/**
 * The clipboard of a browser without a display, which is that browser's alone. It is reached as
 * pages reach it, by the copy and paste of a page: a hidden one of ours, which no client counts
 * among the tabs, needs no permission and takes no focus. Its handlers give and take the text as it
 * is, and hold what was there while another text is lent.
 */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { CdpPipe } from '../browser/cdp.ts'
import { Tab } from './tab.ts'

/** Listens in a world of its own; `given` is copied, `taken` was pasted, `kept` was there before. */
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

  /** Puts a text there for the time of an action; what was there comes back unless told otherwise. */
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

/** No key at all, with an editing command: what a menu would send. */
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
