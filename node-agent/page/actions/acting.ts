/**
 * Acts on the selected tab of one browser, one action at a time, and reports the resulting changes.
 * Looking for an element takes no turn; only the input does.
 */
import type { z } from 'zod'
import type { actionOutput } from '../../../proto/commands/output.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { pageFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { CdpEvent } from '../../cdp/protocol.ts'
import * as documentCode from '../../in-page/document-state.ts'
import type { PageControl } from '../page-control.ts'
import type { PageKeyboard } from '../input/page-keyboard.ts'
import type { PagePointer } from '../input/page-pointer.ts'
import type { PageExcerpt, PageMark, PageView } from '../snapshot/refs.ts'
import { TabView } from '../snapshot/tab-view.ts'
import type { Tab } from '../tabs/tab.ts'
import { isElementGone } from '../targeting/element.ts'
import { PageFrames } from '../tabs/frames.ts'
import { ActionEffects, type ExpectedEffect } from '../network/action-effects.ts'
import type { PagePlace } from '../targeting/targets.ts'
import { pageLimits } from '../limits.ts'

export type ActionResult = z.output<typeof actionOutput>
type Where = Pick<ActionResult, 'url' | 'title'>

const { titledLocation } = pageFunctions(documentCode)

/** Runs input exclusively: in a turn of its own, or within the turn of a batch. */
export type ExclusiveRunner = <T>(use: () => Promise<T>) => Promise<T>

/** The tools of an action. */
export interface ActionContext extends PagePlace {
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
}

/** What went otherwise than asked, if anything: where a press landed, what a field has now. */
export type ActionNote = string | undefined

/** An action whose target has been found, ready to be carried out. */
export interface PreparedAction {
  /** The number of elements that matched the target. */
  readonly matches?: number
  readonly effect?: ExpectedEffect
  run(): Promise<ActionNote>
}

export interface PageActionsParts {
  readonly pages: PageControl
  readonly cdp: CdpPipe
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
  /** Reports requests that the network policy has refused. */
  readonly network: { takeRefused(): readonly string[] }
}

export class PageActions {
  readonly #parts: PageActionsParts
  readonly #places = new WeakMap<Tab, PagePlace>()
  /**
   * The page before its last action; needed to report the changes of an action that a dialog
   * interrupts.
   */
  readonly #marks = new WeakMap<Tab, PageMark>()

  constructor(parts: PageActionsParts) {
    this.#parts = parts
  }

  async context(): Promise<ActionContext> {
    const tab = await this.#parts.pages.selected()
    const { pointer, keyboard } = this.#parts
    const place = this.#places.get(tab) ?? {
      tab,
      frames: new PageFrames(tab),
      view: new TabView(tab),
    }
    this.#places.set(tab, place)
    return { ...place, pointer, keyboard }
  }

  /** `plan` waits for what it needs; the returned move runs in a turn. */
  async act(
    turn: ExclusiveRunner,
    plan: (context: ActionContext) => Promise<PreparedAction>,
  ): Promise<ActionResult> {
    const context = await this.context()
    const { tab } = context
    const effects = ActionEffects.begin(tab)
    const opened = this.#openedBy(tab)
    // Drops refusals of earlier actions.
    this.#parts.network.takeRefused()
    try {
      // These run in parallel, because none changes the page.
      const marked = this.#mark(context)
      const [{ matches, effect = 'drawn', run }, settling] = await Promise.all([
        plan(context),
        effects,
        marked,
      ])
      const note = await turn(run).catch((error: unknown) => {
        // If the action already has an effect that makes the rest fail, the error is ignored.
        // A page that waits for the answer to its navigation answers nothing meanwhile.
        const left = settling.isBusy && (isElementGone(error) || isLate(error))
        const led = tab.ended || tab.dialog || left
        if (!led) throw error
        return undefined
      })
      const isLeaving = settling.isBusy
      await settling.over(effect)
      let answer = await this.#answer(context, matches).catch((error: unknown) => {
        if (!isLeaving || !isLate(error)) throw error
        return undefined
      })
      if (answer && settling.isBusy) {
        await settling.over('drawn')
        answer = await this.#answer(context, matches)
      }
      answer ??= {
        ...(await this.#asTarget(tab)),
        changes: notThereYet,
        ...(matches !== undefined && matches > 1 && { matches }),
      }
      return { ...answer, ...opened.tab(), ...(note !== undefined && { note }) }
    } finally {
      opened.stop()
      // If `begin` failed, there is nothing to stop, and the error has been thrown above.
      void effects.then((settling) => settling.stop()).catch(() => undefined)
    }
  }

  /** Changes are reported relative to what the caller has last seen of the page. */
  async #mark({ tab, view }: ActionContext): Promise<void> {
    this.#marks.set(tab, view.seen ?? (await view.mark()))
  }

  /** Reads text from the selected tab, with its URL and title. */
  async read(use: (context: ActionContext) => Promise<PageExcerpt>): Promise<PageExcerpt & Where> {
    const context = await this.context()
    const excerpt = await use(context)
    return { ...(await this.#where(context.tab)), ...excerpt }
  }

  /** For operations without input: navigating and waiting. */
  async watch(use: (context: ActionContext) => Promise<void>): Promise<ActionResult> {
    const context = await this.context()
    // A page with a dialog or a crashed one cannot be read, but may still be navigated away.
    await this.#mark(context).catch(() => this.#marks.delete(context.tab))
    await use(context)
    return this.#answer(context)
  }

  /** While a dialog is open the page cannot be read; the mark before the action is known. */
  async answerDialog(accept: boolean, text?: string): Promise<ActionResult> {
    const context = await this.context()
    const { tab } = context
    await tab.answer(accept, text)
    // The page may show its next dialog before it does anything else, or be closed by the answer.
    const settling = await ActionEffects.begin(tab).catch((error: unknown) => {
      if (tab.dialog || tab.ended || isLate(error)) return undefined
      throw error
    })
    try {
      await settling?.over('drawn')
      return await this.#answer(context)
    } finally {
      settling?.stop()
    }
  }

  async #answer({ tab, view }: ActionContext, matches = 1): Promise<ActionResult> {
    if (tab.ended)
      return { ...(await this.#where(await this.#parts.pages.selected())), changes: '' }
    const [where, changed] = await Promise.all([this.#where(tab), this.#changes(tab, view)])
    const { dialog } = tab
    const refused = this.#parts.network.takeRefused()
    const blockedNote =
      refused.length > 0 && `! blocked by the network policy: ${refused.join(', ')}`
    return {
      ...where,
      changes: [changed, blockedNote].filter(Boolean).join('\n'),
      ...(matches > 1 && { matches }),
      ...(dialog && { dialog: `${dialog.type}: ${dialog.message}` }),
    }
  }

  async #changes(tab: Tab, view: PageView): Promise<string> {
    const mark = this.#marks.get(tab)
    if (tab.dialog || mark === undefined) return ''
    return view.changesSince(mark, pageLimits.changesTokens).catch((error: unknown) => {
      if (isInterrupted(tab, error)) return ''
      throw error
    })
  }

  /** Falls back to the browser, because a page that shows a dialog or navigates cannot answer. */
  async #where(tab: Tab): Promise<Where> {
    return (await tab.evaluate(titledLocation).catch(() => undefined)) ?? this.#asTarget(tab)
  }

  async #asTarget(tab: Tab): Promise<Where> {
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

const notThereYet = 'The page that follows has not come yet; wait for it, or take a snapshot.'

/** A page that is busy with what follows has taken the answer all the same. */
const isLate = (error: unknown) => error instanceof ServiceError && error.type === 'timeout'

/** The page navigated or opened a dialog while its changes were read. */
const isInterrupted = (tab: Tab, error: unknown) =>
  Boolean(tab.dialog) || tab.ended || isElementGone(error)
