/**
 * All pages of a browser, attached to from the first command on, and which of them is selected: the
 * one that a person would see. Chromium knows which page was shown last, whether a person, a page
 * or a client switched. The pages themselves cannot tell, because clients make theirs believe that
 * they are all visible.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { getUrl } from '../../../runtime/browser-host/channel/web-socket.ts'
import { settleWithin } from '../../../runtime/lib/clock.ts'
import { pollUntil } from '../../../runtime/lib/poll-until.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { CdpEvent } from '../../cdp/protocol.ts'
import type { DevtoolsEndpoint } from '../../browser/running.ts'
import { inPage } from './in-page.ts'
import { Tab } from './tab.ts'
import { pageLimits } from '../limits.ts'

const onlyPages = [{ type: 'page' }, { exclude: true }]
const { visibilityOf } = inPage

export interface TabInfo {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly selected: boolean
}

interface TabVisibility {
  readonly visible: boolean
  readonly focused: boolean
}

export class Tabs {
  readonly #cdp: CdpPipe
  readonly #devtools: DevtoolsEndpoint
  readonly #tabs = new Map<string, Promise<Tab | undefined>>()

  private constructor(cdp: CdpPipe, devtools: DevtoolsEndpoint) {
    this.#cdp = cdp
    this.#devtools = devtools
  }

  static async open(cdp: CdpPipe, devtools: DevtoolsEndpoint): Promise<Tabs> {
    const tabs = new Tabs(cdp, devtools)
    cdp.onEvent((event) => tabs.#onEvent(event))
    await cdp.send('Target.setDiscoverTargets', { discover: true, filter: onlyPages })
    // Not reported if they were discovered before.
    const { targetInfos } = await cdp.send('Target.getTargets', { filter: onlyPages })
    for (const { targetId } of targetInfos) void tabs.#attach(targetId)
    return tabs
  }

  /**
   * The only tab, as far as is known without asking the browser: events about others may be on
   * their way. Undefined if there are several.
   */
  async presumed(): Promise<Tab | undefined> {
    const tabs = await this.#living()
    return tabs.length === 1 ? tabs[0] : undefined
  }

  /** The visible tab of the window used last; opens one if there is none. */
  async selected(): Promise<Tab> {
    // Events arrive before this answer, so tabs that clients have just opened or closed are known.
    await this.#cdp.send('Browser.getVersion')
    const tabs = await this.#living()
    if (tabs.length === 0) return this.#openOne()
    if (tabs.length === 1) return tabs[0]!
    const [recent, looks] = await Promise.all([
      recentlyShown(this.#devtools),
      Promise.all(tabs.map((tab) => readVisibility(tab))),
    ])
    const rank = (tab: Tab) => {
      const { visible, focused } = looks[tabs.indexOf(tab)]!
      const at = recent.indexOf(tab.id)
      return (visible ? 0 : 2e6) + (focused ? 0 : 1e6) + (at === -1 ? 1e5 : at)
    }
    return [...tabs].sort((a, b) => rank(a) - rank(b))[0]!
  }

  /** In the order in which they were opened. */
  async list(): Promise<readonly TabInfo[]> {
    const selected = await this.selected()
    const { targetInfos } = await this.#cdp.send('Target.getTargets')
    const tabs = await this.#living()
    return tabs.flatMap(({ id }) => {
      const info = targetInfos.find(({ targetId }) => targetId === id)
      if (!info) return []
      return [{ id, url: info.url, title: info.title, selected: id === selected.id }]
    })
  }

  /** The new tab is in front. */
  async open(): Promise<Tab> {
    await this.selected()
    return this.#openOne()
  }

  /** Brings the tab to the front of its window, and the window to the front of the desktop. */
  async select(id: string): Promise<Tab> {
    const tab = await this.#known(id)
    await this.#cdp.send('Target.activateTarget', { targetId: id })
    await tab.call('Page.bringToFront')
    // Chromium answers before its list of shown pages has been updated.
    const times = { everyMs: pageLimits.selectorPollMs, withinMs: pageLimits.tabShownMs }
    await pollUntil(this.#cdp.clock, times, async () => (await this.selected()).id === id)
    return tab
  }

  /** A browser ends with its last tab, so a new one is opened first. */
  async close(id: string): Promise<void> {
    const tab = await this.#known(id)
    if ((await this.#living()).length === 1) await this.#openOne()
    const gone = new Promise<void>((resolve) => {
      const timer = this.#cdp.clock.timer(pageLimits.tabCloseMs, resolve)
      tab.onInterrupt(() => {
        if (!tab.ended) return
        timer.cancel()
        resolve()
      })
    })
    await this.#cdp.send('Target.closeTarget', { targetId: id })
    await gone
  }

  async #known(id: string): Promise<Tab> {
    await this.selected()
    const tab = (await this.#living()).find((one) => one.id === id)
    if (tab) return tab
    throw new ServiceError('not_found', `There is no tab ${id}; tab_list lists the open tabs.`)
  }

  async #living(): Promise<Tab[]> {
    const tabs = await Promise.all(this.#tabs.values())
    return tabs.filter((tab) => tab !== undefined && !tab.ended) as Tab[]
  }

  async #openOne(): Promise<Tab> {
    const { targetId } = await this.#cdp.send('Target.createTarget', {
      url: 'about:blank',
    })
    const tab = await this.#attach(targetId)
    if (tab) return tab
    throw new ServiceError('conflict', 'The new tab was closed immediately; try again.')
  }

  #onEvent({ method, params }: CdpEvent): void {
    if (method === 'Target.targetCreated') {
      const { targetId, type } = params['targetInfo'] as { targetId: string; type: string }
      if (type === 'page') void this.#attach(targetId)
    }
    if (method === 'Target.targetDestroyed') this.#tabs.delete(params['targetId'] as string)
  }

  #attach(id: string): Promise<Tab | undefined> {
    const known = this.#tabs.get(id)
    if (known) return known
    // The page was closed before it could be attached.
    const tab = Tab.attach(this.#cdp, id).catch(() => undefined)
    this.#tabs.set(id, tab)
    return tab
  }
}

/**
 * If a tab cannot answer, because it is busy or shows a dialog, the order in which tabs were shown
 * decides.
 */
async function readVisibility(tab: Tab): Promise<TabVisibility> {
  let seen: TabVisibility = { visible: true, focused: true }
  const looked = tab.evaluate(visibilityOf).then((is) => (seen = is))
  await settleWithin(tab.clock, pageLimits.tabLookMs, looked)
  return seen
}

/** The ids of the pages in the order of DevTools' list: the one shown last comes first. */
async function recentlyShown({ port, socket }: DevtoolsEndpoint): Promise<string[]> {
  try {
    const how = { unixSocket: socket, timeoutMs: pageLimits.pageCallMs }
    const text = await getUrl(`http://127.0.0.1:${port}/json/list`, how)
    const pages = JSON.parse(text) as { id: string }[]
    return pages.map(({ id }) => id)
  } catch (cause) {
    const message = 'The browser did not report which tab is shown; try again.'
    throw new ServiceError('unavailable', message, {}, cause)
  }
}
