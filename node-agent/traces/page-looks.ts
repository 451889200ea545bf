/** Captures the selected tab of a session after each command, for its trace. */
import type { TraceCommand } from '../../proto/browser-host/trace.ts'
import type { CommandContext } from '../commands/command-context.ts'
import type { RecordedCounts } from '../page/network/recording.ts'
import type { PageMark } from '../page/snapshot/refs.ts'
import type { Tab } from '../page/tabs/tab.ts'
import { failureText } from '../../runtime/lib/text/failure-text.ts'
import { truncateText } from '../../runtime/lib/text/clean.ts'
import { traceLimits } from './limits.ts'

export type PageLook = Pick<
  TraceCommand,
  'url' | 'title' | 'changes' | 'picture' | 'console' | 'requests' | 'note'
>

const picture = {
  fullPage: false,
  scrollThrough: false,
  format: 'jpeg',
  quality: traceLimits.pictureQuality,
  maxWidth: traceLimits.pictureWidthPx,
} as const

export class PageLooks {
  readonly #context: CommandContext
  readonly #read = new WeakMap<Tab, RecordedCounts>()
  #mark: PageMark | undefined

  constructor(context: CommandContext) {
    this.#context = context
  }

  /**
   * Records the state before the first command; later ones start from the state after the previous
   * one.
   */
  async begin(): Promise<void> {
    if (this.#mark) return
    // If the page cannot be read now, comparison starts with the next command, whose entry says
    // why.
    await this.#compare().catch(() => undefined)
    await this.#written().catch(() => undefined)
  }

  /** Never throws: parts that cannot be captured are left out, with the reason in `note`. */
  async look(): Promise<PageLook> {
    const parts: readonly (() => Promise<PageLook>)[] = [
      () => this.#compare(),
      () => this.#written(),
      () => this.#picture(),
    ]
    const looks = await Promise.allSettled(parts.map((part) => part()))
    const reasons = looks.flatMap((one) =>
      one.status === 'rejected' ? [failureText(one.reason)] : [],
    )
    const seen = looks.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const note = [...new Set(reasons)].join(' ')
    return Object.assign({}, ...seen, note === '' ? {} : { note }) as PageLook
  }

  async #compare(): Promise<PageLook> {
    let changes = ''
    const { url, title } = await this.#context.read(async ({ view }) => {
      const compared = await view.compareWith(this.#mark, traceLimits.changesTokens)
      this.#mark = compared.mark
      changes = compared.changes
      return { text: '', more: 0 }
    })
    return { url, title, ...(changes && { changes }) }
  }

  async #written(): Promise<PageLook> {
    const { tab } = await this.#context.actionContext()
    const read = this.#read.get(tab) ?? { lines: 0, requests: 0 }
    const { counts, console, requests } = await this.#context.recorder.since(tab, read)
    this.#read.set(tab, counts)
    return {
      ...(console.length > 0 && {
        console: console.map((line) => ({ ...line, text: cut(line.text) })),
      }),
      ...(requests.length > 0 && {
        requests: requests.map((one) => ({ ...one, url: cut(one.url) })),
      }),
    }
  }

  async #picture(): Promise<PageLook> {
    const { image } = await this.#context.page.screenshot(picture)
    return { picture: Buffer.from(image).toString('base64') }
  }
}

const cut = (text: string) => truncateText(text, traceLimits.textChars)
