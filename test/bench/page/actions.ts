/**
 * Page actions through REST, beside Playwright's MCP server on the same page. One call each time,
 * which ends when the page has taken the action and the answer says what changed.
 */
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { startPlaywrightMcp, type PlaywrightMcp } from '../../helpers/browser/playwright-mcp.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const runs = 40
const theirRuns = 12

interface Case {
  readonly name: string
  readonly ours: (run: number) => readonly [command: string, input: object]
  readonly theirs: (run: number) => readonly [tool: string, input: Record<string, unknown>]
}

const selectors = {
  button: '[data-act=advanced]',
  field: '[data-act=name]',
  list: '[data-act=country]',
}
const text = (run: number) => `Ada Lovelace ${run}`
const country = (run: number) => ['Finland', 'Ghana', 'Peru'][run % 3]!

const cases: readonly Case[] = [
  {
    name: 'click a button',
    ours: () => ['click', { target: selectors.button }],
    theirs: () => ['browser_click', { target: selectors.button, element: 'button' }],
  },
  {
    name: 'fill a field',
    ours: (run) => ['type', { target: selectors.field, text: text(run) }],
    theirs: (run) => [
      'browser_type',
      { target: selectors.field, element: 'field', text: text(run) },
    ],
  },
  {
    name: 'choose in a select',
    ours: (run) => ['select_option', { target: selectors.list, value: country(run) }],
    theirs: (run) => [
      'browser_select_option',
      { target: selectors.list, element: 'list', values: [country(run)] },
    ],
  },
]

export const actions: Bench = {
  name: 'actions',
  on: 'headless',
  async run(world) {
    await world.calm()
    const pages = await serveFixturePages()
    const url = pages.url('form')
    const ours = await measureOurs(world, url)
    const peer = await startPlaywrightMcp()
    try {
      const theirs = await measureTheirs(peer, url)
      return cases.map(({ name }, i) => figure(name, ours[i]!, theirs[i]!))
    } finally {
      await peer.close()
      await pages.close()
    }
  },
}

async function measureOurs(world: World, url: string): Promise<number[]> {
  const { id } = await world.create()
  const run = async ([command, input]: readonly [string, object]) => {
    const path = `/v1/sessions/${id}/commands/${command}`
    const { status } = await world.service.rest('POST', path, input)
    if (status !== 200) throw new Error(`${command} answered ${status}`)
  }
  await run(['navigate', { url }])
  const medians: number[] = []
  for (const { ours } of cases) {
    await run(ours(1))
    medians.push(median(await timings(runs, (n) => run(ours(n)))))
  }
  await world.release(id)
  return medians
}

async function measureTheirs(peer: PlaywrightMcp, url: string): Promise<number[]> {
  await peer.call('browser_navigate', { url })
  const medians: number[] = []
  for (const { theirs } of cases) {
    await peer.call(...theirs(1))
    medians.push(median(await timings(theirRuns, (n) => peer.call(...theirs(n)))))
  }
  return medians
}

function figure(name: string, ours: number, theirs: number): Figure {
  const ratio = ours / theirs
  return {
    name: `${name}, p50`,
    ours: ms(ours),
    baseline: `${ms(theirs)} (@playwright/mcp, stdio)`,
    ratio,
    target: '≤ 0.5×',
    met: ratio <= 0.5,
  }
}
