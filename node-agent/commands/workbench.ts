/**
 * What commands of one session work with. Its parts are opened when first wanted and end with the
 * browser they belong to, so there is nothing to close.
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

/** What is done to the tab that a person would see. */
export interface PageTools {
  goto(url: string): Promise<void>
  screenshot(shot?: Shot): Promise<Shown>
  listTabs(): Promise<readonly TabInfo[]>
  openTab(url: string | undefined): Promise<TabInfo>
  selectTab(id: string): Promise<TabInfo>
  closeTab(id: string): Promise<void>
  /** Where an element's centre is for the hands, once it is there and in view. */
  locate(wanted: Wanted): Promise<Point>
  setFiles(wanted: Wanted, paths: readonly string[]): Promise<void>
  /** Where the page begins on the screen, and how many pixels of it one of the page's takes. */
  origin(): Promise<{ readonly left: number; readonly top: number; readonly scale: number }>
}

export interface WorkbenchParts {
  readonly page: PageTools
  readonly uploads: UploadTools
  readonly acting: ActingTools
  readonly recorder: Pick<Recorder, 'console' | 'network'>
  readonly network: NetworkTools
  /** Whether the session was created with leave to run scripts. */
  readonly mayEvaluate: boolean
  /** By CDP: reaches the page alone. Coordinates are the page's. */
  readonly pageHands: () => Promise<Hands>
  /** Of a session with a display. */
  readonly desktop?: DesktopTools | undefined
}

export type NetworkTools = Reach & Pick<Network, 'restrict' | 'liftWhenPagesAreGone'>

export interface UploadTools {
  /** Where it lies. Throws for an unknown id. */
  pathOf(id: string): string
  /** Keeps a file, and says where. */
  readonly store: Store
}

export type ActingTools = Pick<Acting, 'stage' | 'read' | 'act' | 'watch' | 'answerDialog'>

export interface DesktopTools {
  /** Through X: reaches every window. Coordinates are the screen's. */
  hands(): Promise<Hands>
  /** The whole screen. */
  screenshot(): Promise<Picture>
  /** Those that pages have opened. */
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

  /** The selected tab with what looks at it and finds things on it. */
  stage(): Promise<Stage> {
    return this.#parts.acting.stage()
  }

  /** Text about the selected tab. */
  read(use: (stage: Stage) => Promise<Excerpt>): ReturnType<Acting['read']> {
    return this.#parts.acting.read(use)
  }

  /** By CDP, also with a display. `plan` waits for what it needs; what it returns takes a turn. */
  act(plan: (stage: Stage) => Promise<Move>): Promise<Acted> {
    return this.#parts.acting.act(this.#turn, plan)
  }

  /** The same without hands. */
  watch(use: (stage: Stage) => Promise<void>): Promise<Acted> {
    return this.#parts.acting.watch(use)
  }

  /** Takes no turn: whoever has it may be waiting for the answer. */
  answerDialog(accept: boolean, text?: string): Promise<Acted> {
    return this.#parts.acting.answerDialog(accept, text)
  }

  get desktop(): Omit<DesktopTools, 'hands'> | undefined {
    return this.#parts.desktop
  }

  /** Mouse, keyboard and clipboard as a person has them, in turn. */
  hands<T>(use: (hands: Hands) => Promise<T>): Promise<T> {
    const { desktop, pageHands } = this.#parts
    return this.#turn(async () => use(await (desktop ? desktop.hands() : pageHands())))
  }

  /** The same by CDP, whether there is a display or not. */
  pageHands<T>(use: (hands: Hands) => Promise<T>): Promise<T> {
    return this.#turn(async () => use(await this.#parts.pageHands()))
  }

  /** The same bench, asking again whether it may when it has waited for its turn. */
  guarded(check: () => void): Workbench {
    const turn: Turn = (use) =>
      this.#turn(async () => {
        check()
        return use()
      })
    return new Workbench(this.#parts, turn)
  }

  /** Everything `use` does with the bench it is given happens in one turn. */
  inOneTurn<T>(use: (bench: Workbench) => Promise<T>): Promise<T> {
    return this.#turn(() => use(new Workbench(this.#parts, (now) => now())))
  }
}
