/**
 * What is done to the pages of one browser, each time to the tab a person would see. Nothing is
 * attached to before the first call.
 */
import type { CdpPipe } from '../browser/cdp.ts'
import type { Picture, Point } from '../hands.ts'
import { locate, setFiles, type Wanted } from './elements.ts'
import { goTo } from './navigation.ts'
import { originOf, type PageOrigin } from './page-origin.ts'
import { screenshotOf } from './screenshot.ts'
import type { Tab } from './tab.ts'
import { Tabs } from './tabs.ts'

/** The part of a browser that is needed here. */
export interface PagedBrowser {
  readonly cdp: CdpPipe
  readonly devtools: { readonly port: number }
  /** Headful browsers only. */
  readonly display?: object | undefined
}

export class PageControl {
  readonly #browser: PagedBrowser
  #tabs: Promise<Tabs> | undefined

  constructor(browser: PagedBrowser) {
    this.#browser = browser
  }

  async selected(): Promise<Tab> {
    const { cdp, devtools } = this.#browser
    this.#tabs ??= Tabs.open(cdp, devtools.port).catch((error: unknown) => {
      this.#tabs = undefined
      throw error
    })
    return (await this.#tabs).selected()
  }

  async goto(url: string): Promise<void> {
    await goTo(await this.selected(), url)
  }

  async screenshot(): Promise<Picture> {
    const tab = await this.selected()
    const png = await screenshotOf(tab)
    const { left, top } = await this.#originOf(tab)
    return { png, left, top }
  }

  /** Where the element's centre is, in pixels of the screen, of the page where there is none. */
  async locate(wanted: Wanted): Promise<Point> {
    const tab = await this.selected()
    const { x, y } = await locate(tab, wanted)
    const { left, top, scale } = await this.#originOf(tab)
    return { x: left + x * scale, y: top + y * scale }
  }

  async origin(): Promise<PageOrigin> {
    return this.#originOf(await this.selected())
  }

  async setFiles(wanted: Wanted, paths: readonly string[]): Promise<void> {
    await setFiles(await this.selected(), wanted, paths)
  }

  async #originOf(tab: Tab): Promise<PageOrigin> {
    if (!this.#browser.display) return { left: 0, top: 0, scale: 1 }
    return originOf(tab, this.#browser.cdp)
  }
}
