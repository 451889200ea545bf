/** Ways to drive the page of a session: the libraries that users have, and our own commands. */
import puppeteer from 'puppeteer-core'
import { connectPlaywright, openPort } from '../browser/browsers.ts'
import { devtoolsUrl } from '../browser/browser-host.ts'
import type { openPageSession } from '../browser/page-session.ts'

type PageSession = Awaited<ReturnType<typeof openPageSession>>

export interface Driver {
  open(url: string): Promise<unknown>
  click(selector: string): Promise<unknown>
  /** Promises are waited for. */
  see<T>(expression: string): Promise<T>
  close(): Promise<void>
}

export const drivers: Readonly<Record<string, (session: PageSession) => Promise<Driver>>> = {
  Playwright: async ({ claim }) => {
    const client = await connectPlaywright(devtoolsUrl(claim))
    const page = client.contexts()[0]!.pages()[0]!
    return {
      open: (url) => page.goto(url),
      click: (selector) => page.click(selector),
      see: (expression) => page.evaluate(expression),
      close: () => client.close(),
    }
  },
  Puppeteer: async ({ claim }) => {
    const port = await openPort(devtoolsUrl(claim))
    const how = { browserWSEndpoint: port.url, defaultViewport: null }
    const client = await puppeteer.connect(how)
    const [page] = await client.pages()
    return {
      open: (address) => page!.goto(address),
      click: (selector) => page!.click(selector),
      see: <T>(expression: string) => page!.evaluate(expression) as Promise<T>,
      async close() {
        await client.disconnect()
        port.close()
      },
    }
  },
  commands: ({ run }) =>
    Promise.resolve({
      open: (url: string) => run('navigate', { url }),
      click: (target: string) => run('click', { target }),
      see: async <T>(expression: string) => {
        // A pop-up is selected when it opens.
        const { tabs } = await run('tab_list')
        await run('tab_select', { tab: tabs[0]!.id })
        return (await run('evaluate', { expression })).value as T
      },
      close: () => Promise.resolve(),
    }),
}
