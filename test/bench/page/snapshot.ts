/**
 * Snapshots of whole fixture pages through REST, beside the raw accessibility tree of the same tab
 * and Playwright's MCP server on the same page: time and tokens of each.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { serveFixturePages, type FixturePages } from '../../helpers/pages/fixture-pages.ts'
import { startPlaywrightMcp, type McpPeer } from '../../helpers/browser/mcp-peers.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

/** The largest page is last: refs are never reused, so those of later pages are longer. */
const names = [
  'form',
  'frames',
  'far-frames',
  'shadow',
  'spans',
  'tic-tac-toe',
  'inbox',
  'canvas',
  'virtual-list',
  'dialogs',
  'changing',
  'right-to-left',
  'shop',
  'article',
  'table',
]
const runs = 7

interface Cost {
  readonly tookMs: number
  readonly tokens: number
}

export const snapshot: Bench = {
  name: 'snapshot',
  on: 'headless',
  async run(world) {
    await world.calm()
    const pages = await serveFixturePages()
    const ours = await measureOurs(world, pages)
    const peer = await startPlaywrightMcp()
    try {
      const theirs = await measureTheirs(peer, pages)
      return [
        ...names.flatMap((name, i) =>
          figuresOf(name, ours.snapshots[i]!, theirs[i]!, ours.trees[i]!),
        ),
        ...summary(ours, theirs),
      ]
    } finally {
      await peer.close()
      await pages.close()
    }
  },
}

interface Ours {
  readonly snapshots: readonly Cost[]
  readonly trees: readonly Cost[]
}

async function measureOurs(world: World, pages: FixturePages): Promise<Ours> {
  const { id, cdp_url } = await world.create()
  const client = await connectPlaywright(cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  const raw = await page.context().newCDPSession(page)
  const path = `/v1/sessions/${id}/snapshot?max_tokens=${commandLimits.snapshotTokensMax}`
  const look = async () => {
    const { status, body } = await world.service.rest('GET', path)
    if (status !== 200) throw new Error(`snapshot answered ${status}`)
    return (body as unknown as { data: { text: string } }).data.text
  }
  const snapshots: Cost[] = []
  const trees: Cost[] = []
  for (const name of names) {
    await page.goto(pages.url(name))
    snapshots.push(await costOf(look))
    const tree = async () => JSON.stringify(await raw.send('Accessibility.getFullAXTree'))
    trees.push(await costOf(tree))
    await raw.send('Accessibility.disable')
  }
  await client.close()
  await world.release(id)
  return { snapshots, trees }
}

async function measureTheirs(peer: McpPeer, pages: FixturePages): Promise<Cost[]> {
  const costs: Cost[] = []
  for (const name of names) {
    await peer.call('browser_navigate', { url: pages.url(name) })
    costs.push(await costOf(() => peer.call('browser_snapshot', {})))
  }
  return costs
}

/** The first snapshot of a page, which has to learn the page, and those after it. */
async function costOf(look: () => Promise<string>): Promise<Cost> {
  const text = await look()
  return { tookMs: median(await timings(runs, look)), tokens: countTokens(text) }
}

function figuresOf(name: string, ours: Cost, theirs: Cost, tree: Cost): Figure[] {
  return [
    {
      name: `snapshot of ${name}`,
      ours: `${ours.tokens} tokens, ${ms(ours.tookMs)}`,
      baseline: `${theirs.tokens} tokens, ${ms(theirs.tookMs)} (@playwright/mcp); ${ms(tree.tookMs)} (tree)`,
      ratio: ours.tokens / theirs.tokens,
      target: '–',
      met: true,
    },
  ]
}

function summary({ snapshots, trees }: Ours, theirs: readonly Cost[]): Figure[] {
  const ratio = (of: keyof Cost, to: readonly Cost[]) =>
    median(snapshots.map((cost, i) => cost[of] / to[i]![of]))
  const compared = (name: string, value: number, beside: string, most = Infinity): Figure => ({
    name,
    ours: 'median of the pages',
    baseline: beside,
    ratio: value,
    target: most === Infinity ? '–' : `≤ ${most.toFixed(2)}×`,
    met: value <= most,
  })
  return [
    compared('tokens of a snapshot', ratio('tokens', theirs), '@playwright/mcp', 1 / 3),
    compared('time of a snapshot', ratio('tookMs', theirs), '@playwright/mcp', 1),
    compared('tokens of a snapshot', ratio('tokens', trees), 'raw getFullAXTree'),
    compared('time of a snapshot', ratio('tookMs', trees), 'raw getFullAXTree, without REST'),
  ]
}
