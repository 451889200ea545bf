/**
 * The preview of a session for lists: its pages and a small picture. A preview is cached for a
 * while and taken once at a time, however many people open lists.
 */
import type { NodeVerbs, PageInfo } from '../../proto/browser-host/node.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import { glanceAt } from '../page/pictures/glance.ts'
import { hostedSessionLimits } from './limits.ts'

type Glance = NodeVerbs['glance']['reply']

export interface GlancedBrowser {
  readonly cdp: CdpPipe
  pages(): Promise<readonly PageInfo[]>
}

interface HeldBrowsers {
  holdsBrowser(sessionId: string): boolean
  /** Throws if the session has no browser here. */
  heldBy(sessionId: string): GlancedBrowser
}

interface EndedSessions {
  /** Undefined if there is no picture of it. */
  of(sessionId: string): Promise<Glance | undefined>
}

interface Taken {
  readonly glance: Promise<Glance>
  /** Monotonic; undefined while it is being taken. */
  atMs: number | undefined
}

export class Glances {
  readonly #sessions: HeldBrowsers
  readonly #ended: EndedSessions
  readonly #clock: Clock
  readonly #taken = new WeakMap<GlancedBrowser, Taken>()

  constructor(sessions: HeldBrowsers, ended: EndedSessions, clock: Clock) {
    this.#sessions = sessions
    this.#ended = ended
    this.#clock = clock
  }

  /** After its end, its last picture. Throws for a session of which this host has nothing. */
  async of(sessionId: string): Promise<Glance> {
    if (!this.#sessions.holdsBrowser(sessionId)) {
      const last = await this.#ended.of(sessionId)
      if (last) return last
    }
    const browser = this.#sessions.heldBy(sessionId)
    const known = this.#taken.get(browser)
    if (known && this.#isFresh(known)) return known.glance
    const taken: Taken = { glance: take(browser), atMs: undefined }
    this.#taken.set(browser, taken)
    const done = () => void (taken.atMs = this.#clock.monotonic())
    void taken.glance.then(done, done)
    return taken.glance
  }

  #isFresh({ atMs }: Taken): boolean {
    return atMs === undefined || this.#clock.monotonic() - atMs < hostedSessionLimits.glanceKeptMs
  }
}

async function take(browser: GlancedBrowser): Promise<Glance> {
  const pages = await browser.pages()
  const [shown] = pages
  // The page may close meanwhile; its title and URL are still useful.
  const image = shown && (await glanceAt(browser.cdp, shown.id).catch(() => undefined))
  return { pages: pages.slice(0, hostedSessionLimits.glancePages), ...(image && { image }) }
}
