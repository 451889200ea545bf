/** Those who read pages for a model, ours and others: their text, and where they could click. */
import { connectPlaywright } from '../../../helpers/browser/browsers.ts'
import {
  startChromeDevtoolsMcp,
  startPlaywrightMcp,
  type McpPeer,
} from '../../../helpers/browser/mcp-peers.ts'
import { createSession, headless } from '../../../helpers/service/service.ts'
import type { World } from '../../lib/world.ts'

export type PagePoint = readonly [x: number, y: number]

export interface PageReader {
  readonly name: string
  open(url: string): Promise<void>
  /** What a model gets. */
  look(): Promise<string>
  /** The middles of all that the text has a ref for. */
  pointsIn(text: string): Promise<readonly PagePoint[]>
  /** The value of a function's text, in the page. */
  evaluate<T>(source: string): Promise<T>
  close(): Promise<void>
}

const viewport = { width: 1280, height: 720 }

export async function openOurReader(world: World): Promise<PageReader> {
  const body = { browser: { ...headless.browser, viewport } }
  const { id, cdp_url } = await createSession(world.service.rest, body)
  const client = await connectPlaywright(cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  const snapshot = async (query: string) => {
    const { status, body } = await world.service.rest('GET', `/v1/sessions/${id}/snapshot${query}`)
    if (status !== 200) throw new Error(`snapshot answered ${status}`)
    return (body as unknown as { data: { text: string } }).data.text
  }
  return {
    name: 'Troupe',
    open: async (url) => void (await page.goto(url)),
    look: () => snapshot(''),
    async pointsIn() {
      const text = await snapshot('?boxes=true')
      return [...text.matchAll(/(\d+)×(\d+) at (-?\d+),(-?\d+)/g)].map(([, ...all]) => {
        const [width, height, left, top] = all.map(Number)
        return [left! + width! / 2, top! + height! / 2]
      })
    },
    evaluate: (source) => page.evaluate(`(${source})()`),
    async close() {
      await client.close()
      await world.release(id)
    },
  }
}

const middle = `({ left, top, width, height }) => [left + width / 2, top + height / 2]`
const jsonIn = <T>(text: string): T =>
  JSON.parse(
    /### Result\n([^]*?)\n###|\`\`\`json\n([^]*?)\n\`\`\`/.exec(text)!.slice(1).find(Boolean)!,
  ) as T

export async function openPlaywrightReader(): Promise<PageReader> {
  const peer = await startPlaywrightMcp()
  return {
    ...readerOf('@playwright/mcp', peer, 'browser_evaluate', 'browser_snapshot'),
    open: async (url) => void (await peer.call('browser_navigate', { url })),
    async pointsIn(text) {
      const refs = [...text.matchAll(/\[ref=(\w+)\]/g)].map(([, ref]) => ref)
      const code = `async (page) => {
        const boxes = ${JSON.stringify(refs)}.map((ref) =>
          page.locator('aria-ref=' + ref).boundingBox({ timeout: 1000 }).catch(() => null))
        return (await Promise.all(boxes)).filter(Boolean)
          .map(({ x, y, width, height }) => [x + width / 2, y + height / 2])
      }`
      return jsonIn(await peer.call('browser_run_code_unsafe', { code }))
    },
  }
}

export async function openChromeDevtoolsReader(): Promise<PageReader> {
  const peer = await startChromeDevtoolsMcp()
  return {
    ...readerOf('chrome-devtools-mcp', peer, 'evaluate_script', 'take_snapshot'),
    open: async (url) => void (await peer.call('navigate_page', { type: 'url', url })),
    async pointsIn(text) {
      const args = [...text.matchAll(/uid=(\S+) (?!RootWebArea)/g)].map(([, uid]) => uid)
      if (args.length === 0) return []
      const each = `const { parentElement } = one
        return (${middle})((one instanceof Element ? one : parentElement).getBoundingClientRect())`
      const source = `(...all) => all.map((one) => { ${each} })`
      return jsonIn(await peer.call('evaluate_script', { function: source, args }))
    },
  }
}

const readerOf = (name: string, peer: McpPeer, evaluate: string, look: string) => ({
  name,
  look: () => peer.call(look, {}),
  evaluate: async <T>(source: string) => jsonIn<T>(await peer.call(evaluate, { function: source })),
  close: () => peer.close(),
})
