/**
 * What pages have asked a person for and were refused: Chromium has no event for that, and a script that
 * listened in the page could be noticed by it. But Chromium counts such requests, for its own statistics,
 * and tells how often each was made since it was asked last; what the answer was, the page's own origin
 * tells. A count names no page, so what one tab has asked for is told of the selected one.
 */
import type { PermissionName } from '../../proto/session/setup/browser-setup.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import { pageLimits } from './limits.ts'
import { inPage } from './tabs/in-page.ts'
import type { Tab } from './tabs/tab.ts'

const { permissionStates } = inPage

/** Values of `blink::PermissionType`. Requests of these are counted at once. */
const requestTypes: Readonly<Record<number, PermissionName>> = {
  1: 'midi-sysex',
  3: 'notifications',
  4: 'geolocation',
  18: 'idle-detection',
  29: 'window-management',
}

/**
 * Values of `blink::mojom::WebFeature`, for what is refused before it becomes a request. Each document
 * counts once, within a second.
 */
const usedFeatures: Readonly<Record<number, PermissionName>> = {
  1918: 'microphone',
  1920: 'camera',
  2369: 'clipboard-read',
  2371: 'clipboard-read',
  4211: 'local-fonts',
}

export class RefusedPermissions {
  readonly #cdp: Pick<CdpPipe, 'send' | 'clock'>
  /** By tab, what its document was refused. */
  readonly #refused = new WeakMap<Tab, Set<PermissionName>>()
  /** Asked for; whether it was refused is not known yet. */
  readonly #asked = new Set<PermissionName>()
  #featuresAtMs = -Infinity

  constructor(cdp: Pick<CdpPipe, 'send' | 'clock'>) {
    this.#cdp = cdp
  }

  /** What was refused since this was called last, as a line; undefined if nothing was. */
  async news(tab: Tab): Promise<string | undefined> {
    return lineOf(await this.#learn(tab))
  }

  /** The same of all that the document has been refused, and has not been granted since. */
  async all(tab: Tab): Promise<string | undefined> {
    await this.#learn(tab)
    return lineOf((await deniedOf(tab, this.#refusedOn(tab))) ?? [])
  }

  async #learn(tab: Tab): Promise<readonly PermissionName[]> {
    const known = this.#refusedOn(tab)
    await this.#count()
    const denied = await deniedOf(tab, this.#asked)
    if (denied === undefined) return []
    this.#asked.clear()
    const news = denied.filter((name) => !known.has(name))
    for (const name of news) known.add(name)
    return news
  }

  async #count(): Promise<void> {
    const nowMs = this.#cdp.clock.monotonic()
    const isDue = nowMs - this.#featuresAtMs >= pageLimits.usedFeaturesEveryMs
    if (isDue) this.#featuresAtMs = nowMs
    const counted = await Promise.all([
      this.#countedIn('Permissions.Request.', requestTypes),
      isDue ? this.#countedIn('Blink.UseCounter.Features', usedFeatures) : [],
    ])
    for (const name of counted.flat()) this.#asked.add(name)
  }

  async #countedIn(
    query: string,
    names: Readonly<Record<number, PermissionName>>,
  ): Promise<readonly PermissionName[]> {
    const { histograms } = await this.#cdp.send('Browser.getHistograms', { query, delta: true })
    return histograms.flatMap(({ buckets }) =>
      buckets.flatMap(({ low, count }) => (count > 0 ? (names[low] ?? []) : [])),
    )
  }

  #refusedOn(tab: Tab): Set<PermissionName> {
    const known = this.#refused.get(tab)
    if (known) return known
    const names = new Set<PermissionName>()
    this.#refused.set(tab, names)
    tab.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) names.clear()
    })
    return names
  }
}

const lineOf = (names: readonly PermissionName[]): string | undefined =>
  names.length === 0
    ? undefined
    : `! the page asked for ${names.join(', ')}, which the session does not grant`

/** Undefined if the page does not answer. */
async function deniedOf(
  tab: Tab,
  asked: ReadonlySet<PermissionName>,
): Promise<readonly PermissionName[] | undefined> {
  if (asked.size === 0) return []
  const names = [...asked]
  try {
    const states = await tab.evaluate(permissionStates, names)
    return names.filter((_, at) => states[at] === 'denied')
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return undefined
  }
}
