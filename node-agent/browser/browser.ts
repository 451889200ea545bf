/**
 * One Chromium of the pool: launched in advance, adapted to the session that claims it, and ended
 * with all its processes and files.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { BrowserId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import type { PageInfo } from '../../proto/browser-host/node.ts'
import type { DisplayAddress } from '../../proto/session/browser-claim.ts'
import type { ExtensionSource } from '../../proto/session/extension.ts'
import type { SessionProfile } from '../../proto/session/profile.ts'
import { sessionDefaults, type SessionOptions } from '../../proto/session/session.ts'
import { killGroup, type ProcessGroup } from '../../runtime/process/guard.ts'
import { addCookies, readCookies } from '../profiles/cookies.ts'
import { keptNotesOf } from '../profiles/profile-archive.ts'
import { assertReadable } from '../profiles/chromium-version.ts'
import { ProfileKeeper } from '../profiles/profile-keeper.ts'
import type { BrowserCgroup } from '../bounds/browser-group.ts'
import { watchDownloads, type SessionDownloads } from '../files/downloads.ts'
import type { BrowserRecord, RecordedNetwork, ScratchRecord } from '../files/browser-record.ts'
import { SessionFiles } from '../files/session-files.ts'
import { policyOf } from '../egress/policy.ts'
import { Network, policiesOf } from '../network/network.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import {
  fillScreen,
  firstPage,
  fitWindow,
  listPages,
  navigatePage,
  pageWithKeyboard,
} from './page.ts'
import { popupsAsTabs } from './popups.ts'
import { loadExtensions } from './extensions/load-extensions.ts'
import { applySetup, reapplySetup } from './setup/apply-setup.ts'
import { LivePermissions } from './setup/live-permissions.ts'
import { Routes } from './routes/routes.ts'
import { prepareTargets } from './setup/prepare-targets.ts'
import type { ScratchDirs } from '../files/scratch.ts'
import { adoptBrowser } from './adopt.ts'
import { repeatBrokenLoads } from './broken-loads.ts'
import { exitCause } from './exit-cause.ts'
import { FilledValues } from '../logins/filled-values.ts'
import type { BrowserExit, DevtoolsEndpoint, LaunchOptions, RunningBrowser } from './running.ts'
import type { BrowserShape } from './shape.ts'
import { devtoolsOf, startBrowser } from './start.ts'
import { VisitedOrigins } from './visited-origins.ts'
import { chromiumLimits } from './limits.ts'

export class Browser {
  readonly id: BrowserId
  readonly shape: BrowserShape
  /** How many agents had it before. */
  readonly turn: number
  readonly scratch: ScratchDirs
  readonly devtools: DevtoolsEndpoint
  /** The process groups of the browser and of its display. */
  readonly groups: readonly ProcessGroup[]
  readonly cgroup: BrowserCgroup | undefined
  readonly exited: Promise<BrowserExit>
  /** Only for headful browsers. */
  readonly display: DisplayAddress | undefined
  /** The agent's own connection, used by everything that operates on the browser's pages. */
  readonly cdp: CdpPipe
  /** The browser context of the agent's own pages, which are hidden from clients. */
  readonly ownContextId: string
  readonly files: SessionFiles
  readonly origins: VisitedOrigins
  readonly network: Network
  readonly permissions: LivePermissions
  readonly routes: Routes
  /**
   * Ends the browser because it exceeded a limit; the argument is a sentence for the session's
   * owner.
   */
  readonly overrun: RunningBrowser['overrun']
  readonly fail: RunningBrowser['fail']
  /** Whether the session may run scripts (`evaluate`). */
  mayEvaluate = false
  /** Whether the commands of the session are recorded. */
  isTraced = false
  /** Set if its profile is saved at its end. */
  profile: ProfileKeeper | undefined
  /** What answers must not show: logins that were filled in, and what the session's mask hides. */
  readonly filled = new FilledValues()
  readonly #pageId: string
  readonly #release: () => Promise<void>
  readonly #keepFiles: RunningBrowser['keepFiles']
  readonly #options: LaunchOptions
  readonly #record: BrowserRecord

  private constructor(
    options: LaunchOptions,
    parts: RunningBrowser & Ready & { devtools: DevtoolsEndpoint },
  ) {
    this.id = options.id
    this.shape = options.shape
    this.turn = parts.record.content.turn ?? 0
    this.scratch = parts.scratch
    this.devtools = parts.devtools
    this.groups = [parts.group, ...(parts.display?.cleanupRecord().display ?? [])]
    this.cgroup = parts.cgroup
    this.exited = parts.exited
    this.display = parts.display?.address
    this.cdp = parts.cdp
    const { ports, egress, guard, log } = options
    const { cdp, egressFilter, record } = parts
    // The next agent would know too little, for instance because the disk is full.
    record.onFailure = (error) => {
      log.warn({ browser: options.id, err: error }, 'this browser will not outlive its agent')
      guard.bequeath(options.id, undefined)
    }
    this.files = new SessionFiles(parts.scratch, parts.downloads, { ...options, record })
    this.origins = parts.origins
    const onChange = (network: RecordedNetwork) => record.update({ network })
    const upstream = options.shape.proxy
    this.network = new Network({ cdp, upstream, ports, egress, egressFilter, onChange })
    this.permissions = new LivePermissions(cdp, record)
    this.routes = new Routes(cdp)
    cdp.onDialogs = (dialogs) => void record.update({ dialogs })
    this.#options = options
    this.#record = record
    this.ownContextId = parts.ownContextId
    this.#pageId = parts.pageId
    this.#release = parts.release
    this.#keepFiles = parts.keepFiles
    this.overrun = parts.overrun
    this.fail = parts.fail
  }

  /**
   * Resolves when the browser is ready to be handed out: it answers, its page has the default size,
   * and downloads are watched.
   */
  static async launch(options: LaunchOptions): Promise<Browser> {
    const started = await startBrowser(options).catch((cause: unknown) => {
      throw startFailedError(options, cause)
    })
    try {
      const [devtools, ready] = await Promise.all([
        devtoolsOf(started),
        makeReady(started, options),
      ])
      await started.record.update({
        ready: {
          agentSession: started.cdp.agentSession!,
          ...{ pageId: ready.pageId, ownContextId: ready.ownContextId, devtools },
          loginPort: started.loginPort,
        },
      })
      return new Browser(options, { ...started, ...ready, devtools })
    } catch (cause) {
      await started.release()
      const { stderr } = await started.exited
      throw startFailedError(options, cause, stderr)
    }
  }

  /**
   * Takes over a browser that an earlier agent has started for a session with these options. Throws
   * if that fails; then nothing of it is left.
   */
  static async adopt(
    options: LaunchOptions,
    record: ScratchRecord,
    session: SessionOptions,
  ): Promise<Browser> {
    const hasOwnNetwork = record.ready?.devtools.socket !== undefined
    const policies = policiesOf(record.network, policyOf(session.network ?? {}, hasOwnNetwork))
    const running = await adoptBrowser(options, { record, policies })
    try {
      const { ready } = running.record.content
      const { pageId, ownContextId, devtools } = ready!
      const [downloads, origins] = await regain(running, options, ownContextId)
      const browser = new Browser(options, {
        ...running,
        pageId,
        ownContextId,
        downloads,
        origins,
        devtools,
      })
      browser.mayEvaluate = session.evaluate ?? false
      browser.isTraced = session.tracing ?? false
      await browser.network.resume(session.network, record.network)
      if (session.profile?.persist) await browser.keepProfile()
      if (session.setup) await reapplySetup(session.setup, browser.#setupMeans)
      await browser.permissions.regain()
      await repeatBrokenLoads(browser.cdp)
      return browser
    } catch (error) {
      await running.release()
      throw error
    }
  }

  /**
   * From now on it waits for the next agent if this one dies, and that agent knows its session. The
   * browser of an agent that ends in order ends with it.
   */
  keepFor(sessionId: string, secret: string): void {
    const { id, guard, graceSeconds } = this.#options
    if (graceSeconds === 0) return
    const { filled, routes } = this.#record.content
    const update = this.#record.update.bind(this.#record)
    this.filled.keepIn({ secret, sealed: filled, write: (filled) => update({ filled }) })
    void this.routes.keepIn({ secret, sealed: routes, write: (routes) => update({ routes }) })
    guard.bequeath(id, this.#record.legacy(graceSeconds))
    void this.#record.update({ session: { id: sessionId } })
  }

  /** Pixels of its screen in a CSS pixel. */
  get deviceScale(): number {
    return this.shape.setup?.device?.scale ?? 1
  }

  /** Throws if the browser does not answer in time. */
  async check(timeoutMs: number = chromiumLimits.browserAnswerMs): Promise<void> {
    await this.cdp.send('Browser.getVersion', {}, { timeoutMs })
  }

  /**
   * Applies the session's options. Returns undefined if there is nothing to do, as for most
   * sessions.
   */
  applyOptions(
    options: SessionOptions,
    extensions: readonly ExtensionSource[] = [],
  ): Promise<void> | undefined {
    this.mayEvaluate = options.evaluate ?? false
    this.isTraced = options.tracing ?? false
    const { network, profile, setup } = options
    const isPlain = !network && !profile && !setup && extensions.length === 0
    if (isPlain) return this.#applyPageOptions(options)
    return (async () => {
      if (setup) await applySetup(setup, this.#setupMeans)
      if (network) await this.network.applySessionPolicy(network)
      if (profile) await this.#applyProfile(profile)
      if (extensions.length > 0) await this.#load(extensions)
      await this.#applyPageOptions(options)
    })()
  }

  get #setupMeans() {
    return { cdp: this.cdp, filled: this.filled, onError: goneOf(this.#options) }
  }

  #load(extensions: readonly ExtensionSource[]): Promise<void> {
    const { isolation, bus, dataDir } = this.#options
    const { incoming, extensions: folder } = this.scratch
    const places = { cdp: this.cdp, isolation, bus, dataDir, incoming, folder }
    return loadExtensions(extensions, places)
  }

  async #applyProfile({ persist }: SessionProfile): Promise<void> {
    const { source } = this.shape.profile ?? {}
    if (source) {
      assertReadable(source.chromium, await this.#version())
      const { cookies = [] } = await keptNotesOf(this.scratch.profile)
      await addCookies(this.cdp, cookies)
    }
    if (persist) await this.keepProfile()
  }

  /** From now on its files stay after its end, until the keeper is done with them. */
  async keepProfile(): Promise<ProfileKeeper> {
    const { bus, clock } = this.#options
    const [group] = this.groups
    const kept = {
      scratch: this.scratch,
      ended: this.exited.then((exit) => exitCause(exit) === 'closed'),
      chromium: await this.#version(),
      origins: () => this.origins.known(),
      cookies: () => readCookies(this.cdp),
      close: () => void this.cdp.send('Browser.close').catch(() => undefined),
      kill: () => killGroup(group!),
    }
    this.profile = new ProfileKeeper(kept, bus, clock)
    this.#keepFiles(this.profile.done)
    return this.profile
  }

  /** `150.0.7871.181` */
  async #version(): Promise<string> {
    const { product } = await this.cdp.send('Browser.getVersion')
    return product.slice(product.indexOf('/') + 1)
  }

  #applyPageOptions(options: SessionOptions): Promise<void> | undefined {
    const { viewport, fullscreen, storageState } = options
    // A storage state has to be there before.
    const initialUrl = storageState ? undefined : options.initialUrl
    // The shape of a headful browser includes viewport and full screen, so the browser has them already.
    if (this.display) return initialUrl === undefined ? undefined : this.#open(initialUrl)
    const booted = bootedSize(this.shape)
    const asBooted = viewport.width === booted.width && viewport.height === booted.height
    if (asBooted && !fullscreen && initialUrl === undefined) return undefined
    return this.#preparePage({ ...options, initialUrl }, asBooted)
  }

  async pages(): Promise<readonly PageInfo[]> {
    return this.filled.hide(await listPages(this.cdp))
  }

  /** Kills all its processes and removes its folders. May be called twice. */
  async end(): Promise<void> {
    await this.#release()
    await this.network.close()
  }

  async #preparePage(
    { viewport, fullscreen, initialUrl }: FirstPage,
    asBooted: boolean,
  ): Promise<void> {
    if (!asBooted || fullscreen) await fitWindow(this.cdp, this.#pageId, viewport, fullscreen)
    if (initialUrl !== undefined) await this.#open(initialUrl)
  }

  async #open(initialUrl: string): Promise<void> {
    // An initial URL that is slow or unreachable is no reason to refuse the session.
    await navigatePage(this.cdp, this.#pageId, initialUrl).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'CdpError')) throw error
    })
  }
}

interface FirstPage extends Pick<SessionOptions, 'viewport' | 'fullscreen'> {
  readonly initialUrl: string | undefined
}

function startFailedError(
  { id, log }: LaunchOptions,
  cause: unknown,
  stderr?: string,
): ServiceError {
  // Its profile could not be read, which is not the browser's fault.
  if (cause instanceof ServiceError) return cause
  log.warn({ browser: id, err: cause, stderr }, 'browser did not start')
  const message = 'The browser did not start; `npm run troupe -- doctor` on that host says why.'
  return new ServiceError('browser_start_failed', message, {}, cause)
}

interface Ready {
  readonly pageId: string
  readonly ownContextId: string
  readonly downloads: SessionDownloads
  readonly origins: VisitedOrigins
}

async function makeReady(running: RunningBrowser, options: LaunchOptions): Promise<Ready> {
  const { cdp, scratch, display } = running
  await cdp.open(limits.browserBootMs)
  const pageId = await (options.shape.desktop ? pageWithKeyboard(cdp) : firstPage(cdp))
  const [downloads, origins, { browserContextId }] = await Promise.all([
    watchDownloads(cdp, scratch.downloads),
    watchOrigins(running),
    cdp.send('Target.createBrowserContext'),
    options.shape.desktop
      ? fillScreen(cdp, pageId, options.shape.desktop)
      : fitWindow(cdp, pageId, bootedSize(options.shape), false),
    display?.ready(),
  ])
  await leadPopups(cdp, options)
  return { pageId, downloads, origins, ownContextId: browserContextId }
}

function watchOrigins({ cdp, record }: RunningBrowser): Promise<VisitedOrigins> {
  const onChange = (origins: readonly string[]) => void record.update({ origins })
  return VisitedOrigins.watch(cdp, onChange, record.content.origins)
}

/** The page of a headless browser before it is claimed. */
const bootedSize = ({ setup }: BrowserShape) => setup?.device ?? sessionDefaults.viewport

async function leadPopups(cdp: CdpPipe, options: LaunchOptions): Promise<void> {
  if (options.shape.popupsAsTabs) await prepareTargets(cdp, popupsAsTabs, goneOf(options))
}

const goneOf =
  ({ id, log }: LaunchOptions) =>
  (error: unknown) =>
    log.debug({ browser: id, err: error }, 'a page went before it was reached')

/** What the session of the agent before had set up, and what it has left open. */
async function regain(
  running: RunningBrowser,
  options: LaunchOptions,
  ownContextId: string,
): Promise<[SessionDownloads, VisitedOrigins]> {
  const { cdp, scratch, record } = running
  const known = record.content.files?.downloads
  const downloads = await watchDownloads(cdp, scratch.downloads, known)
  const { targetInfos } = await cdp.send('Target.getTargets')
  const left = targetInfos.filter(({ browserContextId }) => browserContextId === ownContextId)
  // Some may close by themselves meanwhile.
  await Promise.allSettled(left.map(({ targetId }) => cdp.send('Target.closeTarget', { targetId })))
  await leadPopups(cdp, options)
  return [downloads, await watchOrigins(running)]
}
