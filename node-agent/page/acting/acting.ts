/**
 * Acting on the pages of one browser: one thing at a time is done to the selected tab, and what came
 * of it is answered. Looking for an element takes no turn of the hands, only what they do to it.
 */
import type { z } from 'zod'
import type { acted } from '../../../proto/commands/output.ts'
import { limits } from '../../../proto/limits.ts'
import type { CdpPipe } from '../../browser/cdp.ts'
import type { CdpEvent } from '../../browser/protocol.ts'
import type { PageControl } from '../page-control.ts'
import type { PageKeyboard } from '../page-keyboard.ts'
import type { PagePointer } from '../page-pointer.ts'
import type { Excerpt, Mark, PageView } from '../snapshot/refs.ts'
import { TabView } from '../snapshot/tab-view.ts'
import type { Tab } from '../tab.ts'
import { isGone } from './element.ts'
import { Frames } from './frames.ts'
import { Settling, type Effect } from './settling.ts'
import type { Place } from './targets.ts'

export type Acted = z.output<typeof acted>
type Where = Pick<Acted, 'url' | 'title'>

/** How hands are had: alone in a turn, or as part of a batch that has the turn. */
export type Turn = <T>(use: () => Promise<T>) => Promise<T>

/** What an action works with. */
export interface Stage extends Place {
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
}

/** An action that has found what it is aimed at, and only has to be done. */
export interface Move {
  /** How many elements there were to choose from. */
  readonly matches?: number
  readonly effect?: Effect
  run(): Promise<void>
}

export interface ActingParts {
  readonly pages: PageControl
  readonly cdp: CdpPipe
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
  /** What the browser was kept from. */
  readonly network: { takeRefused(): readonly string[] }
}

export class Acting {
  readonly #parts: ActingParts
  readonly #places = new WeakMap<Tab, Place>()
  /** As the page was before the last action: what a dialog interrupts is told once it is answered. */
  readonly #marks = new WeakMap<Tab, Mark>()

  constructor(parts: ActingParts) {
    this.#parts = parts
  }

  async stage(): Promise<Stage> {
    const tab = await this.#parts.pages.selected()
    const { pointer, keyboard } = this.#parts
    const place = this.#places.get(tab) ?? { tab, frames: new Frames(tab), view: new TabView(tab) }
    this.#places.set(tab, place)
    return { ...place, pointer, keyboard }
  }

  /** `plan` waits for what it needs; what it returns is done in a turn of the hands. */
  async act(turn: Turn, plan: (stage: Stage) => Promise<Move>): Promise<Acted> {
    const stage = await this.stage()
    const { tab } = stage
    const begun = Settling.begin(tab)
    const opened = this.#openedBy(tab)
    // What was refused before is not of this action.
    this.#parts.network.takeRefused()
    try {
      // Side by side: neither touches the page.
      const marked = this.#mark(stage)
      const [{ matches, effect = 'drawn', run }, settling] = await Promise.all([
        plan(stage),
        begun,
        marked,
      ])
      await turn(run).catch((error: unknown) => {
        // What it has led to already took no notice of the rest of it.
        const led = tab.ended || tab.dialog || (settling.isBusy && isGone(error))
        if (!led) throw error
      })
      await settling.over(effect)
      let answer = await this.#answer(stage, matches)
      if (settling.isBusy) {
        await settling.over('drawn')
        answer = await this.#answer(stage, matches)
      }
      return { ...answer, ...opened.tab() }
    } finally {
      opened.stop()
      // One that could not begin has nothing to stop, and its error has been thrown.
      void begun.then((settling) => settling.stop()).catch(() => undefined)
    }
  }

  /** What a caller was told last of the page is what its next answer's changes are told from. */
  async #mark({ tab, view }: Stage): Promise<void> {
    this.#marks.set(tab, view.seen ?? (await view.mark()))
  }

  /** Text about the selected tab, and where it is. */
  async read(use: (stage: Stage) => Promise<Excerpt>): Promise<Excerpt & Where> {
    const stage = await this.stage()
    const excerpt = await use(stage)
    return { ...(await this.#where(stage.tab)), ...excerpt }
  }

  /** What takes no hands: going somewhere, waiting. */
  async watch(use: (stage: Stage) => Promise<void>): Promise<Acted> {
    const stage = await this.stage()
    // A page that shows a dialog or has crashed cannot say how it is, and may be left all the same.
    await this.#mark(stage).catch(() => this.#marks.delete(stage.tab))
    await use(stage)
    return this.#answer(stage)
  }

  /** While a dialog is open the page cannot be asked how it is; how it was before is known. */
  async answerDialog(accept: boolean, text?: string): Promise<Acted> {
    const stage = await this.stage()
    const { tab } = stage
    await tab.answer(accept, text)
    const settling = await Settling.begin(tab)
    try {
      await settling.over('drawn')
      return await this.#answer(stage)
    } finally {
      settling.stop()
    }
  }

  async #answer({ tab, view }: Stage, matches = 1): Promise<Acted> {
    if (tab.ended)
      return { ...(await this.#where(await this.#parts.pages.selected())), changes: '' }
    const [where, changed] = await Promise.all([this.#where(tab), this.#changes(tab, view)])
    const { dialog } = tab
    const refused = this.#parts.network.takeRefused()
    const told = refused.length > 0 && `! blocked by the network policy: ${refused.join(', ')}`
    return {
      ...where,
      changes: [changed, told].filter(Boolean).join('\n'),
      ...(matches > 1 && { matches }),
      ...(dialog && { dialog: `${dialog.type}: ${dialog.message}` }),
    }
  }

  async #changes(tab: Tab, view: PageView): Promise<string> {
    const mark = this.#marks.get(tab)
    if (tab.dialog || mark === undefined) return ''
    return view.changesSince(mark, limits.changesTokens).catch((error: unknown) => {
      if (isInterrupted(tab, error)) return ''
      throw error
    })
  }

  /** Asked of the browser: a page that shows a dialog or is on its way could not say. */
  async #where(tab: Tab): Promise<Where> {
    const here = await tab.evaluate<Where>(whereabouts).catch(() => undefined)
    if (here) return here
    const { targetInfo } = await this.#parts.cdp.send('Target.getTargetInfo', {
      targetId: tab.id,
    })
    return { url: targetInfo.url, title: targetInfo.title }
  }

  #openedBy(opener: Tab) {
    let id: string | undefined
    const stop = this.#parts.cdp.onEvent(({ method, params }: CdpEvent) => {
      if (method !== 'Target.targetCreated') return
      const info = params.targetInfo
      if (info.type === 'page' && info.openerId === opener.id) id = info.targetId
    })
    return { stop, tab: () => (id === undefined ? {} : { opened: id }) }
  }
}

const whereabouts = '() => ({ url: location.href, title: document.title })'

/** The page went on, or stopped for a dialog, while it was asked what has changed. */
const isInterrupted = (tab: Tab, error: unknown) =>
  Boolean(tab.dialog) || tab.ended || isGone(error)
