/**
 * Operations on the pages of one browser, on the tab that a person would see. Attaches to pages at
 * the first call.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { DevtoolsEndpoint } from '../browser/running.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { NavigationRules } from '../network/network.ts'
import type { LoadWait } from '../../proto/commands/page/loading.ts'
import type { Point } from '../input/input-device.ts'
import { toNavigationUrl } from '../../runtime/browser-host/navigation-url.ts'
import { setFiles } from './file-inputs.ts'
import { locateElement, type ElementQuery } from './targeting/selected.ts'
import { PageFrames } from './tabs/frames.ts'
import { navigateTo } from './tabs/navigation.ts'
import { pageOriginOf, type PageOrigin } from './page-origin.ts'
import {
  defaultScreenshot,
  screenshotOf,
  type ScreenshotOptions,
  type ScreenshotResult,
} from './pictures/screenshot.ts'
import type { Tab } from './tabs/tab.ts'
import { Tabs, type TabInfo } from './tabs/tabs.ts'

/** The part of a browser that is used here. */
export interface PagedBrowser {
  readonly cdp: CdpPipe
  readonly devtools: DevtoolsEndpoint
  readonly network: NavigationRules
  /** Only for headful browsers. */
  readonly display?: object | undefined
  /** Pixels of its screen, and of pictures, in a CSS pixel. */
  readonly deviceScale: number
}

export class PageControl {
  readonly #browser: PagedBrowser
  #tabs: Promise<Tabs> | undefined

  constructor(browser: PagedBrowser) {
    this.#browser = browser
  }

  async selected(): Promise<Tab> {
    return (await this.#opened()).selected()
  }

  /** The tab that `selected` will probably return, for work that may be done in vain. */
  async presumed(): Promise<Tab | undefined> {
    return (await this.#opened()).presumed()
  }

  async listTabs(): Promise<readonly TabInfo[]> {
    return (await this.#opened()).list()
  }

  /** If the navigation fails, the tab stays open, as it does for a person. */
  async openTab(url: string | undefined, wait?: LoadWait): Promise<TabInfo> {
    if (url !== undefined) toNavigationUrl(url)
    const tab = await (await this.#opened()).open()
    if (url !== undefined) await navigateTo(tab, url, this.#browser.network, wait)
    return this.#infoOf(tab.id)
  }

  async selectTab(id: string): Promise<TabInfo> {
    await (await this.#opened()).select(id)
    return this.#infoOf(id)
  }

  async closeTab(id: string): Promise<void> {
    await (await this.#opened()).close(id)
  }

  async goto(url: string, wait?: LoadWait): Promise<void> {
    await navigateTo(await this.selected(), url, this.#browser.network, wait)
  }

  async screenshot(shot: ScreenshotOptions = defaultScreenshot): Promise<ScreenshotResult> {
    const tab = await this.selected()
    const { display, deviceScale } = this.#browser
    const { image, at, scale, cutFrom } = await screenshotOf(tab, shot, deviceScale)
    const origin = await this.#originOf(tab)
    const left = origin.left + at.x * origin.scale
    const top = origin.top + at.y * origin.scale
    // Without a screen, input has the CSS pixels of the page.
    const perInput = display ? scale : scale * deviceScale
    return { image, type: `image/${shot.format}`, left, top, scale: perInput, cutFrom }
  }

  /** The element's centre, in pixels of the screen or, without a screen, of the page. */
  async locate(wanted: ElementQuery): Promise<Point> {
    const tab = await this.selected()
    const { x, y } = await locateElement({ tab, frames: new PageFrames(tab) }, wanted)
    const { left, top, scale } = await this.#originOf(tab)
    return { x: left + x * scale, y: top + y * scale }
  }

  async origin(): Promise<PageOrigin> {
    return this.#originOf(await this.selected())
  }

  /**
   * Waits until the selected page answers, by when it has handled earlier input; false if it does not
   * within a time. A page that shows a dialog has handled it.
   */
  async handles(withinMs: number): Promise<boolean> {
    const tab = await this.selected()
    const answered = tab.send('Runtime.evaluate', { expression: '0' }, withinMs)
    return answered.then(
      () => true,
      (error: unknown) => !(error instanceof ServiceError && error.type === 'timeout'),
    )
  }

  async setFiles(wanted: ElementQuery, paths: readonly string[]): Promise<void> {
    const tab = await this.selected()
    await setFiles({ tab, frames: new PageFrames(tab) }, wanted, paths)
  }

  #opened(): Promise<Tabs> {
    const { cdp, devtools } = this.#browser
    return (this.#tabs ??= Tabs.open(cdp, devtools).catch((error: unknown) => {
      this.#tabs = undefined
      throw error
    }))
  }

  async #infoOf(id: string): Promise<TabInfo> {
    const info = (await this.listTabs()).find((tab) => tab.id === id)
    if (info) return info
    throw new ServiceError('conflict', 'The tab was closed in the meantime; try again.')
  }

  async #originOf(tab: Tab): Promise<PageOrigin> {
    if (!this.#browser.display) return { left: 0, top: 0, scale: 1 }
    return pageOriginOf(tab, this.#browser.cdp, this.#browser.deviceScale)
  }
}
