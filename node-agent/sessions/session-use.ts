/**
 * What the browsers of sessions use: bytes of their connections, and the domains of their pages. Told
 * to their sessions from time to time, if there is anything new, and at their end.
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { defined } from '../../proto/defined.ts'
import { isGone } from '../../proto/errors.ts'
import type { BrowserId } from '../../proto/ids.ts'
import {
  noTraffic,
  trafficSum,
  type BrowserUse,
  type Traffic,
} from '../../proto/session/browser-reports.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import { isSessionPage, type PageTarget } from '../cdp/session-page.ts'
import { hostedSessionLimits } from './limits.ts'
import { isUnknownReport, type SessionReports } from './session-reports.ts'

export interface UsingBrowser {
  readonly id: BrowserId
  readonly cdp: Pick<CdpPipe, 'onEvent'>
  /** Of pages of the service, which do not count. */
  readonly ownContextId: string
  /** `traffic`: undefined if nothing counts it. */
  readonly network: { traffic(): Promise<Traffic | undefined> }
}

export interface SessionUseOptions {
  readonly reports: SessionReports
  readonly clock: Clock
  readonly log: Logger
}

/** Tells how many requests have been blocked since the last call, now or later. Never rejects. */
type TakeBlocked = (tell: (count: number) => void) => Promise<void>

interface BeginOfUse {
  /** Absent if it blocks nothing. */
  readonly takeBlocked?: TakeBlocked | undefined
  /** What it had used when an earlier agent had it. */
  readonly before?: BrowserUse | undefined
}

interface Counted {
  /** Of earlier agents. */
  readonly before: Traffic | undefined
  readonly domains: LRUCache<string, true>
  /** What its rules have blocked, also with earlier agents; undefined if it has none. */
  readonly blocked: { count: number; readonly take: TakeBlocked } | undefined
  /** What the session was told last. */
  told: string
}

export class SessionUse {
  readonly #options: SessionUseOptions
  readonly #counted = new WeakMap<UsingBrowser, Counted>()

  constructor(options: SessionUseOptions) {
    this.#options = options
  }

  /** From now on its pages count, and what its rules block. */
  begin(browser: UsingBrowser, { takeBlocked: take, before }: BeginOfUse = {}): void {
    const domains = new LRUCache<string, true>({ max: sessionLimits.domainsShown })
    for (const domain of before?.domains ?? []) domains.set(domain, true)
    const count = before?.blockedRequests ?? 0
    const blocked = take && { count, take }
    const told = JSON.stringify(before ?? { domains: [], ...(blocked && { blockedRequests: 0 }) })
    this.#counted.set(browser, { before: before?.traffic, domains, blocked, told })
    browser.cdp.onEvent(({ method, params }: CdpEvent) => {
      if (method !== 'Target.targetCreated' && method !== 'Target.targetInfoChanged') return
      const page: PageTarget = params.targetInfo
      const domain = isSessionPage(page, browser.ownContextId) && domainOf(page.url)
      if (domain) domains.set(domain, true)
    })
  }

  /** All of it since the beginning of the session, also after the browser's end. */
  async of(browser: UsingBrowser): Promise<BrowserUse> {
    const counted = this.#counted.get(browser)
    const { before, blocked } = counted ?? {}
    const [traffic] = await Promise.all([
      browser.network.traffic(),
      blocked?.take((count) => (blocked.count += count)),
    ])
    return {
      ...defined({ traffic: traffic && before ? trafficSum(traffic, before) : traffic }),
      domains: [...(counted?.domains.keys() ?? [])].toReversed(),
      ...defined({ blockedRequests: blocked?.count }),
    }
  }

  /** Tells the session what is new. Never rejects: what was not heard is told the next time. */
  async tell(sessionId: string, browser: UsingBrowser): Promise<void> {
    const { log } = this.#options
    const counted = this.#counted.get(browser)
    if (!counted) return
    try {
      const use = await this.of(browser)
      const text = JSON.stringify(use)
      if (text === counted.told || nothing.has(text)) return
      await this.#send(sessionId, browser, use)
      counted.told = text
    } catch (error) {
      if (isGone(error) || isUnknownReport(error)) return
      log.warn({ session: sessionId, err: error }, 'what a session has used was not heard')
    }
  }

  async #send(sessionId: string, { id: browserId }: UsingBrowser, use: BrowserUse): Promise<void> {
    const tell = (told: BrowserUse) =>
      this.#options.reports.send(sessionId, { type: 'browser.used', browserId, use: told })
    const { blockedRequests, ...rest } = use
    try {
      await tell(use)
    } catch (error) {
      // An actor host of a version that does not know the number.
      if (blockedRequests === undefined || !isUnknownReport(error)) throw error
      await tell(rest)
    }
  }

  /** Tells each of these from time to time. */
  tellRegularly(
    held: () => readonly { readonly sessionId: string; readonly browser: UsingBrowser }[],
  ): { stop(): void } {
    const { clock } = this.#options
    const arm = (): Timer =>
      clock.timer(hostedSessionLimits.useReportMs, () => {
        for (const { sessionId, browser } of held()) void this.tell(sessionId, browser)
        timer = arm()
      })
    let timer = arm()
    return { stop: () => timer.cancel() }
  }
}

/** Of a browser that nobody has used, whose session need not be told. */
const nothing: ReadonlySet<string> = new Set(
  [{}, { blockedRequests: 0 }].map((blocked) =>
    JSON.stringify({ traffic: noTraffic, domains: [], ...blocked }),
  ),
)

/** Undefined for pages that come from no host. */
function domainOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname } = new URL(url)
  return /^https?:$/.test(protocol) ? hostname.slice(0, sessionLimits.domainChars) : undefined
}
