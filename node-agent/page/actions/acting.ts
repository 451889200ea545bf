/**
 * Acts on the selected tab of one browser, one action at a time, and reports the resulting changes.
 * Looking for an element takes no turn; only the input does.
 */
import type { z } from 'zod'
import type { actionOutput } from '../../../proto/commands/output.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { inPage } from '../tabs/in-page.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { CdpEvent } from '../../cdp/protocol.ts'
import type { PageControl } from '../page-control.ts'
import type { PageKeyboard } from '../input/page-keyboard.ts'
import type { PagePointer } from '../input/page-pointer.ts'
import type {
  PageChanges,
  PageExcerpt,
  PageMark,
  PageView,
  PageWhere as Where,
} from '../snapshot/refs.ts'
import { TabView } from '../snapshot/tab-view.ts'
import type { Tab } from '../tabs/tab.ts'
import { isElementGone } from '../targeting/element.ts'
import { PageFrames } from '../tabs/frames.ts'
import { RefusedPermissions } from '../refused-permissions.ts'
import { ActionEffects, type ExpectedEffect } from '../network/action-effects.ts'
import { BegunDownloads, type DownloadEvents } from '../network/begun-downloads.ts'
import type { PagePlace } from '../targeting/targets.ts'
import { pageLimits } from '../limits.ts'

export type ActionResult = z.output<typeof actionOutput>

const { titledLocation } = inPage

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
  run(settling: Settling): Promise<ActionNote>
}

/** Waits for what an action needs, such as its element. */
export type ActionPlan = (context: ActionContext) => Promise<PreparedAction>

/** `stayed`: a navigation has left the page as it is, as for a download. */
export type WatchedUse = (context: ActionContext) => Promise<'stayed' | void>

type PageReading = (context: ActionContext) => Promise<PageExcerpt>

interface Preparation {
  readonly context: ActionContext
  readonly ready: Promise<readonly [PreparedAction, ActionEffects, void]>
  readonly opened: { tab(): { readonly opened?: string }; stop(): void }
  readonly downloads: BegunDownloads
  stop(): void
}

/** For an action that looks at the page after its input: both take the same frames. */
export type Settling = Pick<ActionEffects, 'draw'>

export interface PageActionsParts {
  readonly pages: PageControl
  readonly cdp: CdpPipe
  readonly pointer: PagePointer
  readonly keyboard: PageKeyboard
  /** {@link RefTable} */
  readonly refsBefore?: number
  /** Reports requests that the network policy has refused. */
  readonly network: { takeRefused(): Promise<readonly string[]> }
  readonly downloads: DownloadEvents
}

export class PageActions {
  readonly #parts: PageActionsParts
  readonly #places = new WeakMap<Tab, PagePlace>()
  /**
   * The page before its last action; needed to report the changes of an action that a dialog
   * interrupts.
   */
  readonly #marks = new WeakMap<Tab, PageMark>()

  readonly #permissions: RefusedPermissions

  constructor(parts: PageActionsParts) {
    this.#parts = parts
    this.#permissions = new RefusedPermissions(parts.cdp)
  }

  async context(): Promise<ActionContext> {
    return this.#contextOf(await this.#parts.pages.selected())
  }

  #contextOf(tab: Tab): ActionContext {
    const { pointer, keyboard } = this.#parts
    const place = this.#places.get(tab) ?? {
      tab,
      frames: new PageFrames(tab),
      view: new TabView(tab, this.#parts.refsBefore),
    }
    this.#places.set(tab, place)
    return { ...place, pointer, keyboard }
  }

  /** `plan` waits for what it needs; the returned move runs in a turn. */
  async act(turn: ExclusiveRunner, plan: ActionPlan): Promise<ActionResult> {
    const { context, ready, opened, downloads, stop } = await this.#prepareSelected(plan)
    const { tab } = context
    try {
      const [{ matches, effect = 'drawn', run }, settling] = await ready
      const note = await turn(() => run(settling)).catch((error: unknown) => {
        // If the action already has an effect that makes the rest fail, the error is ignored.
        // A page that waits for the answer to its navigation answers nothing meanwhile.
        const left = settling.isBusy && (isElementGone(error) || isLate(error))
        const led = tab.ended || tab.dialog || left
        if (!led) throw error
        return undefined
      })
      const isLeaving = settling.isBusy
      await settling.over(effect)
      let answer = await this.#answerUnlessGone(context, isLeaving, matches)
      if (answer && settling.isBusy) {
        await settling.over('drawn')
        answer = await this.#answer(context, matches)
      }
      answer ??= {
        ...(await this.#asTarget(tab)),
        changes: notThereYet(tab.departure?.host),
        ...(matches !== undefined && matches > 1 && { matches }),
      }
      return { ...answer, ...opened.tab(), ...downloads.noteBeside(note) }
    } finally {
      stop()
    }
  }

  /** Undefined if the page of before is on its way out, and the next one is not there. */
  async #answerUnlessGone(
    context: ActionContext,
    isLeaving: boolean,
    matches: number | undefined,
  ): Promise<ActionResult | undefined> {
    if (context.tab.departure && !context.tab.dialog) return undefined
    return this.#answer(context, matches).catch((error: unknown) => {
      if (!isLeaving || !isLate(error)) throw error
      return undefined
    })
  }

  /** Begins with the tab that is probably selected, while the browser is asked which one it is. */
  async #prepareSelected(plan: ActionPlan): Promise<Preparation> {
    const { pages } = this.#parts
    const presumed = await pages.presumed()
    const early = presumed && this.#prepare(presumed, plan)
    const tab = await pages.selected().catch((error: unknown) => {
      early?.stop()
      throw error
    })
    if (early && tab === presumed) return early
    early?.stop()
    return this.#prepare(tab, plan)
  }

  /** What runs here runs in parallel, because none of it changes the page. */
  #prepare(tab: Tab, plan: ActionPlan): Preparation {
    const context = this.#contextOf(tab)
    const effects = ActionEffects.begin(tab)
    const opened = this.#openedBy(tab)
    const downloads = new BegunDownloads(this.#parts.downloads, tab.clock)
    // Drops refusals of earlier actions.
    void this.#parts.network.takeRefused()
    const ready = Promise.all([plan(context), effects, this.#mark(context)])
    // Thrown where it is awaited; a preparation in vain may fail.
    ready.catch(() => undefined)
    const stop = () => {
      opened.stop()
      downloads.stop()
      // If `begin` failed, there is nothing to stop, and `ready` has failed as well.
      void effects.then((settling) => settling.stop()).catch(() => undefined)
    }
    return { context, ready, opened, downloads, stop }
  }

  /** Changes are reported relative to what the caller has last seen of the page. */
  async #mark({ tab, view }: ActionContext): Promise<void> {
    this.#marks.set(tab, view.seen ?? (await view.mark()))
  }

  /** Reads text from the selected tab, with its URL and title. */
  async read(use: PageReading): Promise<PageExcerpt & Where> {
    return this.#readIn(await this.context(), use)
  }

  /** The same, with a line about what the page was refused. */
  async look(use: PageReading): Promise<PageExcerpt & Where> {
    const context = await this.context()
    const [seen, refused] = await Promise.all([
      this.#readIn(context, use),
      this.#permissions.all(context.tab),
    ])
    return refused === undefined ? seen : { ...seen, text: `${refused}\n${seen.text}` }
  }

  async #readIn(context: ActionContext, use: PageReading): Promise<PageExcerpt & Where> {
    const { where, ...excerpt } = await use(context)
    return { ...(where ?? (await this.#where(context.tab))), ...excerpt }
  }

  /** For operations without input: navigating and waiting. */
  async watch(use: WatchedUse): Promise<ActionResult> {
    const context = await this.context()
    // A page with a dialog or a crashed one cannot be read, but may still be navigated away.
    if (context.tab.departure) this.#marks.delete(context.tab)
    else await this.#mark(context).catch(() => this.#marks.delete(context.tab))
    const downloads = new BegunDownloads(this.#parts.downloads, context.tab.clock)
    try {
      const led = await use(context)
      if (led === 'stayed') await downloads.first(pageLimits.downloadBeginMs)
      return { ...(await this.#answer(context)), ...downloads.noteBeside(undefined) }
    } finally {
      downloads.stop()
    }
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
    const [changed, notGranted] = await Promise.all([
      this.#changes(tab, view),
      this.#permissions.news(tab),
    ])
    const where = changed?.where ?? (await this.#where(tab))
    const { dialog } = tab
    const refused = await this.#parts.network.takeRefused()
    const blockedNote =
      refused.length > 0 && `! blocked by the network policy: ${refused.join(', ')}`
    return {
      ...where,
      changes: [changed?.text, blockedNote, notGranted].filter(Boolean).join('\n'),
      ...(matches > 1 && { matches }),
      ...(dialog && { dialog: `${dialog.type}: ${dialog.message}` }),
    }
  }

  /** Undefined if the page cannot be read, or was not before. */
  async #changes(tab: Tab, view: PageView): Promise<PageChanges | undefined> {
    const mark = this.#marks.get(tab)
    if (tab.dialog || mark === undefined) return undefined
    return view.changesSince(mark, pageLimits.changesTokens).catch((error: unknown) => {
      if (isInterrupted(tab, error)) return undefined
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

const notThereYet = (host: string | undefined) =>
  host === undefined
    ? 'The next page has not loaded yet; wait for it, or take a snapshot.'
    : `${host} has not answered yet: wait for it (wait_for), or stay: navigate {"go": "stop"}.`

/** A page that is busy with what follows has taken the answer all the same. */
const isLate = (error: unknown) => error instanceof ServiceError && error.type === 'timeout'

/** The page navigated or opened a dialog while its changes were read. */
const isInterrupted = (tab: Tab, error: unknown) =>
  Boolean(tab.dialog) || tab.ended || isElementGone(error)
