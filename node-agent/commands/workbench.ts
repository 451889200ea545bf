/**
 * The tools for the commands of one session. Its parts are opened at first use and end with their
 * browser, so nothing has to be closed.
 */
import type { Hands, Picture, Point } from '../hands.ts'
import type { Network, Reach } from '../network/network.ts'
import type { Acted, Acting, Move, Stage, Turn } from '../page/acting/acting.ts'
import type { Recorder } from '../page/acting/recording.ts'
import type { Store } from '../page/acting/uploading.ts'
import type { Shot, Shown } from '../page/screenshot.ts'
import type { Excerpt } from '../page/snapshot/refs.ts'
import type { TabInfo } from '../page/tabs.ts'
import { InOrder } from './in-order.ts'

interface Wanted {
  readonly selector: string
  readonly index: number
  readonly timeoutMs: number
}

/** Operations on the tab that a person would see, and on tabs. */
export interface PageTools {
  goto(url: string): Promise<void>
  screenshot(shot?: Shot): Promise<Shown>
  listTabs(): Promise<readonly TabInfo[]>
  openTab(url: string | undefined): Promise<TabInfo>
  selectTab(id: string): Promise<TabInfo>
  closeTab(id: string): Promise<void>
  /** The centre of an element in the coordinates of `hands`, once it exists and is in view. */
  locate(wanted: Wanted): Promise<Point>
  setFiles(wanted: Wanted, paths: readonly string[]): Promise<void>
  /** The page's position on the screen, and the number of screen pixels per page pixel. */
  origin(): Promise<{ readonly left: number; readonly top: number; readonly scale: number }>
}

export interface WorkbenchParts {
  readonly page: PageTools
  readonly uploads: UploadTools
  readonly acting: ActingTools
  readonly recorder: Pick<Recorder, 'console' | 'network'>
  readonly network: NetworkTools
  /** Whether the session was created with permission to run scripts. */
  readonly mayEvaluate: boolean
  /** Input through CDP, which reaches the page only; in page coordinates. */
  readonly pageHands: () => Promise<Hands>
  /** Absent for a session without a display. */
  readonly desktop?: DesktopTools | undefined
}

export type NetworkTools = Reach & Pick<Network, 'restrict' | 'liftWhenPagesAreGone'>

export interface UploadTools {
  /** The path of an upload. Throws for an unknown id. */
  pathOf(id: string): string
  /** Stores a file and returns its path. */
  readonly store: Store
}

export type ActingTools = Pick<Acting, 'stage' | 'read' | 'act' | 'watch' | 'answerDialog'>

export interface DesktopTools {
  /** Input through X, which reaches every window; in screen coordinates. */
  hands(): Promise<Hands>
  /** A picture of the whole screen. */
  screenshot(): Promise<Picture>
  /** Closes the file choosers that pages have opened. */
  closeFileChoosers(): Promise<void>
}

export class Workbench {
  readonly #parts: WorkbenchParts
  readonly #turn: Turn

  private constructor(parts: WorkbenchParts, turn: Turn) {
    this.#parts = parts
    this.#turn = turn
  }

  static of(parts: WorkbenchParts): Workbench {
    const order = new InOrder()
    return new Workbench(parts, (use) => order.run(use))
  }

  get page(): PageTools {
    return this.#parts.page
  }

  get uploads(): UploadTools {
    return this.#parts.uploads
  }

  get recorder(): WorkbenchParts['recorder'] {
    return this.#parts.recorder
  }

  get network(): NetworkTools {
    return this.#parts.network
  }

  get mayEvaluate(): boolean {
    return this.#parts.mayEvaluate
  }

  /** The selected tab with the tools to inspect it and find elements in it. */
  stage(): Promise<Stage> {
    return this.#parts.acting.stage()
  }

  /** Reads text from the selected tab. */
  read(use: (stage: Stage) => Promise<Excerpt>): ReturnType<Acting['read']> {
    return this.#parts.acting.read(use)
  }

  /**
   * Acts through CDP, even if there is a display. `plan` runs outside the turn and waits for what
   * it needs; the returned move runs in a turn.
   */
  act(plan: (stage: Stage) => Promise<Move>): Promise<Acted> {
    return this.#parts.acting.act(this.#turn, plan)
  }

  /** Like `act`, for what needs no input. */
  watch(use: (stage: Stage) => Promise<void>): Promise<Acted> {
    return this.#parts.acting.watch(use)
  }

  /** Runs outside the turns, because the current turn may be waiting for the dialog. */
  answerDialog(accept: boolean, text?: string): Promise<Acted> {
    return this.#parts.acting.answerDialog(accept, text)
  }

  get desktop(): Omit<DesktopTools, 'hands'> | undefined {
    return this.#parts.desktop
  }

  /** Runs in a turn, with the display's input or, without a display, the page's. */
  hands<T>(use: (hands: Hands) => Promise<T>): Promise<T> {
    const { desktop, pageHands } = this.#parts
    return this.#turn(async () => use(await (desktop ? desktop.hands() : pageHands())))
  }

  /** Like `hands`, but always through CDP. */
  pageHands<T>(use: (hands: Hands) => Promise<T>): Promise<T> {
    return this.#turn(async () => use(await this.#parts.pageHands()))
  }

  /** The same workbench, with a check at the start of each turn. */
  guarded(check: () => void): Workbench {
    const turn: Turn = (use) =>
      this.#turn(async () => {
        check()
        return use()
      })
    return new Workbench(this.#parts, turn)
  }

  /** Runs `use` in one turn; the workbench that it gets does not take further turns. */
  inOneTurn<T>(use: (bench: Workbench) => Promise<T>): Promise<T> {
    return this.#turn(() => use(new Workbench(this.#parts, (now) => now())))
  }
}
