/**
 * The tools for the commands of one session. Its parts are opened at first use and end with their
 * browser, so nothing has to be closed.
 */
import type { NodeVerbs } from '../../proto/browser-host/node.ts'
import type { LoadWait } from '../../proto/commands/page/loading.ts'
import type { InputDevice, PositionedImage, Point } from '../input/input-device.ts'
import type { Network, NavigationRules } from '../network/network.ts'
import type {
  ActionResult,
  WatchedUse,
  PageActions,
  PreparedAction,
  ActionContext,
  ExclusiveRunner,
} from '../page/actions/acting.ts'
import type { PageRecorder } from '../page/network/recording.ts'
import type { SaveFile } from '../page/actions/uploading.ts'
import type { ScreenshotOptions, ScreenshotResult } from '../page/pictures/screenshot.ts'
import type { PageExcerpt } from '../page/snapshot/refs.ts'
import type { TabInfo } from '../page/tabs/tabs.ts'
import type { ScriptOrder, ScriptResult } from '../scripts/session-scripts.ts'
import type { FilledValues } from '../logins/filled-values.ts'
import type { AskLoginValues } from '../logins/login-values.ts'
import type { LivePermissions } from '../browser/setup/live-permissions.ts'
import type { Routes } from '../browser/routes/routes.ts'
import type { SessionStorage } from '../storage/session-storage.ts'
import { activeTracer } from '../../runtime/tracing/tracer.ts'
import { SerialRunner } from './serial-runner.ts'

type LoginTickets = NonNullable<NodeVerbs['run']['request']['loginTickets']>

interface ElementSelector {
  readonly selector: string
  readonly index: number
  readonly timeoutMs: number
}

/** Operations on the tab that a person would see, and on tabs. */
export interface PageTools {
  goto(url: string, wait?: LoadWait): Promise<void>
  screenshot(shot?: ScreenshotOptions): Promise<ScreenshotResult>
  listTabs(): Promise<readonly TabInfo[]>
  openTab(url: string | undefined, wait?: LoadWait): Promise<TabInfo>
  selectTab(id: string): Promise<TabInfo>
  closeTab(id: string): Promise<void>
  /**
   * The centre of the element in the coordinates of `inputDevice`, once it exists and is in view.
   */
  locate(wanted: ElementSelector): Promise<Point>
  setFiles(wanted: ElementSelector, paths: readonly string[]): Promise<void>
  /** The page's position on the screen, and the number of screen pixels per page pixel. */
  origin(): Promise<{ readonly left: number; readonly top: number; readonly scale: number }>
}

export interface CommandContextParts {
  readonly page: PageTools
  readonly uploads: UploadTools
  readonly actions: PageActionTools
  readonly recorder: Pick<PageRecorder, 'console' | 'network' | 'body' | 'since'>
  readonly network: NetworkTools
  readonly scripts: ScriptTools
  readonly storage: StorageTools
  readonly logins: LoginTools
  readonly permissions: PermissionTools
  readonly routes: RouteTools
  /** Whether the session was created with permission to run scripts. */
  readonly mayEvaluate: boolean
  /** Whether the session was created with a trace of its commands. */
  readonly isTraced: boolean
  /** Input through CDP, which reaches the page only; in page coordinates. */
  readonly pageInput: () => Promise<InputDevice>
  /** Absent for a session without a display. */
  readonly desktop?: DesktopTools | undefined
}

export interface LoginTools {
  readonly ask: AskLoginValues
  /** What answers must not show. */
  readonly filled: FilledValues
}

export type PermissionTools = Pick<LivePermissions, 'set'>

export type RouteTools = Pick<Routes, 'add' | 'remove' | 'list'>

export type StorageTools = Pick<SessionStorage, 'read' | 'replace'>

export interface ScriptTools {
  run(order: ScriptOrder): Promise<ScriptResult>
}

export type NetworkTools = NavigationRules & Pick<Network, 'restrict' | 'liftWhenPagesAreGone'>

export interface UploadTools {
  /** The path of an upload. Throws for an unknown id. */
  pathOf(id: string): string
  /** Stores a file and returns its path. */
  readonly store: SaveFile
}

export type PageActionTools = Pick<
  PageActions,
  'context' | 'read' | 'look' | 'act' | 'watch' | 'answerDialog'
>

export interface DesktopTools {
  /** Input through X, which reaches every window; in screen coordinates. */
  inputDevice(): Promise<InputDevice>
  /** A picture of the whole screen. */
  screenshot(): Promise<PositionedImage>
  /** Closes the file choosers that pages have opened. */
  closeFileChoosers(): Promise<void>
}

export class CommandContext {
  readonly #parts: CommandContextParts
  readonly #turn: ExclusiveRunner
  /** {@link NodeVerbs.run}; those of the request that this context is for. */
  readonly #loginTickets: LoginTickets

  private constructor(
    parts: CommandContextParts,
    turn: ExclusiveRunner,
    loginTickets: LoginTickets = {},
  ) {
    this.#parts = parts
    this.#turn = turn
    this.#loginTickets = loginTickets
  }

  static of(parts: CommandContextParts): CommandContext {
    const order = new SerialRunner()
    return new CommandContext(parts, (use) => order.run(use))
  }

  get page(): PageTools {
    return this.#parts.page
  }

  get uploads(): UploadTools {
    return this.#parts.uploads
  }

  get recorder(): CommandContextParts['recorder'] {
    return this.#parts.recorder
  }

  get network(): NetworkTools {
    return this.#parts.network
  }

  get storage(): StorageTools {
    return this.#parts.storage
  }

  get permissions(): PermissionTools {
    return this.#parts.permissions
  }

  get routes(): RouteTools {
    return this.#parts.routes
  }

  get logins(): LoginTools {
    return this.#parts.logins
  }

  /** Undefined if the request has none for it. */
  loginTicket(login: string | undefined): string | undefined {
    return this.#loginTickets[login ?? '']
  }

  get mayEvaluate(): boolean {
    return this.#parts.mayEvaluate
  }

  get isTraced(): boolean {
    return this.#parts.isTraced
  }

  /** The selected tab with the tools to inspect it and find elements in it. */
  actionContext(): Promise<ActionContext> {
    return this.#parts.actions.context()
  }

  /** Reads text from the selected tab. */
  read(
    use: (actionContext: ActionContext) => Promise<PageExcerpt>,
  ): ReturnType<PageActions['read']> {
    return this.#parts.actions.read(use)
  }

  /** Reads the state of the selected tab, with what its page was refused. */
  look(
    use: (actionContext: ActionContext) => Promise<PageExcerpt>,
  ): ReturnType<PageActions['look']> {
    return this.#parts.actions.look(use)
  }

  /**
   * Acts through CDP, even if there is a display. `plan` runs outside the turn and waits for its
   * conditions; the action that it returns runs in a turn.
   */
  act(plan: (actionContext: ActionContext) => Promise<PreparedAction>): Promise<ActionResult> {
    return this.#parts.actions.act(this.#turn, plan)
  }

  /** Like `act`, for actions that need no input. */
  watch(use: WatchedUse): Promise<ActionResult> {
    return this.#parts.actions.watch(use)
  }

  /** Runs outside the turns, because the current turn may be waiting for the dialog. */
  answerDialog(accept: boolean, text?: string): Promise<ActionResult> {
    return this.#parts.actions.answerDialog(accept, text)
  }

  /** Takes a turn only to start, so a long script does not keep others from acting. */
  async runScript(order: ScriptOrder): Promise<ScriptResult> {
    await this.#turn(async () => undefined)
    return this.#parts.scripts.run(order)
  }

  get desktop(): Omit<DesktopTools, 'inputDevice'> | undefined {
    return this.#parts.desktop
  }

  /** Runs in a turn, with the display's input or, without a display, the page's. */
  withInputDevice<T>(use: (device: InputDevice) => Promise<T>): Promise<T> {
    const { desktop, pageInput } = this.#parts
    return desktop
      ? this.#withInput('input by X', () => desktop.inputDevice(), use)
      : this.#withInput('input by CDP', pageInput, use)
  }

  /** Like `withInputDevice`, but always through CDP. */
  withPageInput<T>(use: (device: InputDevice) => Promise<T>): Promise<T> {
    return this.#withInput('input by CDP', this.#parts.pageInput, use)
  }

  #withInput<T>(
    name: string,
    open: () => Promise<InputDevice>,
    use: (device: InputDevice) => Promise<T>,
  ): Promise<T> {
    const tracer = activeTracer()
    const act = async () => use(await open())
    return this.#turn(tracer ? () => tracer.run(name, { kind: 'internal' }, act) : act)
  }

  /** The same context, with a check at the start of each turn. */
  guarded(check: () => void): CommandContext {
    const turn: ExclusiveRunner = (use) =>
      this.#turn(async () => {
        check()
        return use()
      })
    return new CommandContext(this.#parts, turn, this.#loginTickets)
  }

  /** The same context for a request with these tickets. */
  withLoginTickets(tickets: LoginTickets): CommandContext {
    return new CommandContext(this.#parts, this.#turn, tickets)
  }

  /** Runs `use` in one turn; the context that it gets does not take further turns. */
  inOneTurn<T>(use: (context: CommandContext) => Promise<T>): Promise<T> {
    return this.#turn(() =>
      use(new CommandContext(this.#parts, (now) => now(), this.#loginTickets)),
    )
  }
}
