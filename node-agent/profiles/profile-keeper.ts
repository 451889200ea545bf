/**
 * The files of a browser whose profile is saved at its end. They stay when the browser has closed in
 * order, at the request of its session or of a client, until the session is released. A browser that
 * crashed leaves nothing to save: what it had not written yet is missing, and a login that is half
 * there is worse than the one of before.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { SavedProfile } from '../../proto/browser-host/node.ts'
import type { StoredCookie } from '../../proto/session/storage-state.ts'
import type { SealedBlob } from '../../proto/session/blob.ts'
import { writeBlob } from '../../runtime/blobs/blob-client.ts'
import { withDeadline, type Clock, type Timer } from '../../runtime/lib/clock.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import { packProfile } from './profile-archive.ts'
import { profileFileLimits } from './limits.ts'

export interface KeptBrowser {
  readonly scratch: { readonly profile: string }
  /** Resolves when it has ended: whether in order. */
  readonly ended: Promise<boolean>
  /** `150.0.7871.181` */
  readonly chromium: string
  /** The origins that its pages have had. */
  readonly origins: () => readonly string[]
  /** Reads them from the browser while it runs. */
  cookies(): Promise<readonly StoredCookie[]>
  /** Asks it to close in order. */
  close(): void
  /** Kills what is left of its processes. */
  kill(): void
}

export class ProfileKeeper {
  /** Resolves when its files are needed no more. */
  readonly done: Promise<void>
  readonly #browser: KeptBrowser
  readonly #bus: Pick<Bus, 'request'>
  readonly #clock: Clock
  #isSaving = false
  #cookies: readonly StoredCookie[] | undefined
  #isDone = false
  #timer: Timer | undefined
  #finish!: () => void

  constructor(browser: KeptBrowser, bus: Pick<Bus, 'request'>, clock: Clock) {
    this.#browser = browser
    this.#bus = bus
    this.#clock = clock
    this.done = new Promise((resolve) => (this.#finish = resolve))
    void browser.ended.then((isInOrder) => {
      if (!isInOrder) return this.giveUp()
      this.#timer = clock.timer(profileFileLimits.closedKeptMs, () => this.giveUp())
    })
  }

  /** Whether it was closed for its session, which knows of its end then. */
  get isSaving(): boolean {
    return this.#isSaving
  }

  /** May be repeated, with other blobs. Throws why it is not saved. */
  async save(blob: SealedBlob, bytesMax: number): Promise<SavedProfile> {
    this.#isSaving = true
    const { scratch, chromium, origins, kill } = this.#browser
    await this.#closed()
    // What is left of its processes could exchange files while they are read.
    kill()
    const content = { folder: scratch.profile, origins: origins(), cookies: this.#cookies }
    const bytes = await writeBlob(this.#bus, blob, packProfile(content, blob.key, bytesMax))
    // Its files may have gone meanwhile.
    if (!this.#isDone) return { bytes, chromium }
    throw new ServiceError('not_found', 'The session was released before its profile was saved.')
  }

  /** It will not be saved, or is. */
  giveUp(): void {
    this.#timer?.cancel()
    this.#isDone = true
    this.#finish()
  }

  async #closed(): Promise<void> {
    const { ended, cookies, close } = this.#browser
    // It fails if the browser has closed already.
    this.#cookies ??= await cookies().catch(() => undefined)
    close()
    const { browserCloseMs } = profileFileLimits
    const late = () => new ServiceError('timeout', 'The browser did not close in time.')
    if (await withDeadline(this.#clock, browserCloseMs, ended, late)) return
    throw new ServiceError('browser_start_failed', 'The browser crashed while it was closing.')
  }
}
