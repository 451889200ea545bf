/**
 * What a model gets of pages, beside @playwright/mcp and chrome-devtools-mcp in the same run: tokens,
 * the time of the first and of the second look, and the share of what can be clicked that has a ref.
 * `BENCH_PAGES=FOLDER[:SUBFOLDER]` reads the pages of a folder besides those of the tests.
 */
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { median, ms, percentile, type Bench, type Figure } from '../../lib/report.ts'
import {
  openChromeDevtoolsReader,
  openOurReader,
  openPlaywrightReader,
  type PageReader,
} from './page-readers.ts'
import { servePagesIn } from './served-pages.ts'

export const coverage: Bench = {
  name: 'coverage',
  on: 'headless',
  async run(world) {
    await world.calm()
    const readers = [
      await openOurReader(world),
      await openPlaywrightReader(),
      await openChromeDevtoolsReader(),
    ]
    try {
      const own = await figuresOf(
        'pages of the tests',
        join(packageRoot, 'test/fixtures'),
        'pages',
        readers,
      )
      const given = process.env['BENCH_PAGES']
      if (given === undefined) return own
      const [root = '', folder = ''] = given.split(':')
      return [...own, ...(await figuresOf('pages of others', root, folder, readers))]
    } finally {
      await Promise.all(readers.map((reader) => reader.close()))
    }
  },
}

interface PageCost {
  readonly tokens: number
  readonly firstMs: number
  readonly secondMs: number
  readonly clickable: number
  readonly missed: readonly string[]
}

async function figuresOf(
  what: string,
  root: string,
  folder: string,
  readers: readonly PageReader[],
) {
  const pages = await servePagesIn(root, folder)
  const costs: PageCost[][] = readers.map(() => [])
  try {
    for (const url of pages.urls) {
      const all: PageCost[] = []
      for (const reader of readers) {
        const cost = await costOf(reader, url).catch((error: unknown) => {
          process.stderr.write(`${url}, ${reader.name}: ${String(error)}\n`)
        })
        if (cost) all.push(cost)
      }
      // A page that one of them cannot read is compared for none.
      if (all.length === readers.length) all.forEach((cost, i) => costs[i]!.push(cost))
    }
  } finally {
    await pages.close()
  }
  const [ours, ...others] = readers.map(({ name }, i) => ({ name, costs: costs[i]! }))
  const count = `${ours!.costs.length} ${what}`
  return [
    ...others.flatMap((peer) => comparedWith(peer, ours!, count)),
    shareFigure(ours!, others, count),
  ]
}

async function costOf(reader: PageReader, url: string): Promise<PageCost> {
  await reader.open(url)
  // Pages of MiniWoB++ wait for somebody to press START.
  await reader.evaluate('() => window.core?.startEpisodeReal?.() ?? null')
  const start = performance.now()
  const text = await reader.look()
  const between = performance.now()
  // Refs may be good for the latest look alone.
  const latest = await reader.look()
  const end = performance.now()
  const points = JSON.stringify(await reader.pointsIn(latest))
  const seen = await reader.evaluate<Pick<PageCost, 'clickable' | 'missed'>>(
    `() => window.__reached(${points})`,
  )
  for (const one of seen.missed) {
    if (process.env['BENCH_MISSED'] === reader.name) process.stderr.write(`${url}: ${one}\n`)
  }
  const [firstMs, secondMs] = [between - start, end - between]
  return { tokens: countTokens(text), firstMs, secondMs, ...seen }
}

interface Read {
  readonly name: string
  readonly costs: readonly PageCost[]
}

function comparedWith(peer: Read, ours: Read, count: string): Figure[] {
  const ratios = (of: 'tokens' | 'firstMs' | 'secondMs') =>
    ours.costs.map((cost, i) => cost[of] / peer.costs[i]![of])
  const middle = (of: 'tokens' | 'firstMs' | 'secondMs', { costs }: Read) =>
    median(costs.map((cost) => cost[of]))
  const tokens = (name: string, ratio: number, most: number): Figure => ({
    name: `tokens of a page, ${name}: ${count}`,
    ours: `median ${middle('tokens', ours)}`,
    baseline: `median ${middle('tokens', peer)} (${peer.name})`,
    ...{ ratio, target: `≤ ${most.toFixed(2)}×`, met: ratio <= most },
  })
  const time = (name: string, of: 'firstMs' | 'secondMs'): Figure => ({
    name: `${name} at a page, p50: ${count}`,
    ours: ms(middle(of, ours)),
    baseline: `${ms(middle(of, peer))} (${peer.name})`,
    ratio: median(ratios(of)),
    target: '–',
    met: true,
  })
  return [
    tokens('median of ratios', median(ratios('tokens')), 0.25),
    tokens('p90 of ratios', percentile(ratios('tokens'), 90), 0.4),
    time('first look', 'firstMs'),
    time('second look', 'secondMs'),
  ]
}

function shareFigure(ours: Read, others: readonly Read[], count: string): Figure {
  const shareOf = ({ costs }: Read) => {
    const all = costs.reduce((sum, { clickable }) => sum + clickable, 0)
    return 1 - costs.reduce((sum, { missed }) => sum + missed.length, 0) / all
  }
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`
  const share = shareOf(ours)
  const best = Math.max(...others.map(shareOf))
  return {
    name: `share of what can be clicked that has a ref: ${count}`,
    ours: percent(share),
    baseline: others.map((peer) => `${percent(shareOf(peer))} (${peer.name})`).join(', '),
    target: '≥ 99.5 %, and the best',
    met: share >= 0.995 && share >= best,
  }
}
