/**
 * Acts on the selected tab of one browser, one action at a time, and reports the resulting changes.
 * Looking for an element takes no turn; only the input does.
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

/** Runs input exclusively: in a turn of its own, or within the turn of a batch. */
export type Turn = <T>(use: () => Promise<T>) => Promise<T>

/** The tools of an action. */
export interface Stage extends Place {
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
}

/** An action whose target has been found, ready to be carried out. */
export interface Move {
  /** The number of elements that matched the target. */
  readonly matches?: number
  readonly effect?: Effect
  run(): Promise<void>
}

export interface ActingParts {
  readonly pages: PageControl
  readonly cdp: CdpPipe
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
  /** Reports requests that the network policy has refused. */
  readonly network: { takeRefused(): readonly string[] }
}

export class Acting {
  readonly #parts: ActingParts
  readonly #places = new WeakMap<Tab, Place>()
  /**
   * The page before its last action; needed to report the changes of an action that a dialog
   * interrupts.
   */
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

  /** `plan` waits for what it needs; the returned move runs in a turn. */
  async act(turn: Turn, plan: (stage: Stage) => Promise<Move>): Promise<Acted> {
    const stage = await this.stage()
    const { tab } = stage
    const begun = Settling.begin(tab)
    const opened = this.#openedBy(tab)
    // Drops refusals of earlier actions.
    this.#parts.network.takeRefused()
    try {
      // These run in parallel, because none changes the page.
      const marked = this.#mark(stage)
      const [{ matches, effect = 'drawn', run }, settling] = await Promise.all([
        plan(stage),
        begun,
        marked,
      ])
      await turn(run).catch((error: unknown) => {
        // If the action already has an effect that makes the rest fail, the error is ignored.
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
      // If `begin` failed, there is nothing to stop, and the error has been thrown above.
      void begun.then((settling) => settling.stop()).catch(() => undefined)
    }
  }

  /** Changes are reported relative to what the caller has last seen of the page. */
  async #mark({ tab, view }: Stage): Promise<void> {
    this.#marks.set(tab, view.seen ?? (await view.mark()))
  }

  /** Reads text from the selected tab, with its URL and title. */
  async read(use: (stage: Stage) => Promise<Excerpt>): Promise<Excerpt & Where> {
    const stage = await this.stage()
    const excerpt = await use(stage)
    return { ...(await this.#where(stage.tab)), ...excerpt }
  }

  /** For operations without input: navigating and waiting. */
  async watch(use: (stage: Stage) => Promise<void>): Promise<Acted> {
    const stage = await this.stage()
    // A page with a dialog or a crashed one cannot be read, but may still be navigated away.
    await this.#mark(stage).catch(() => this.#marks.delete(stage.tab))
    await use(stage)
    return this.#answer(stage)
  }

  /** While a dialog is open the page cannot be read; the mark before the action is known. */
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

  /** Falls back to the browser, because a page that shows a dialog or navigates cannot answer. */
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

/** The page navigated or opened a dialog while its changes were read. */
const isInterrupted = (tab: Tab, error: unknown) =>
  Boolean(tab.dialog) || tab.ended || isGone(error)
