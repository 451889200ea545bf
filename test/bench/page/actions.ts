/**
 * Page actions through REST, beside Playwright's MCP server on the same page. One call each time,
 * which ends when the page has taken the action and the answer says what changed.
 */
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { startPlaywrightMcp, type McpPeer } from '../../helpers/browser/mcp-peers.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const runs = 40
const theirRuns = 12

type Call = readonly [tool: string, input: Record<string, unknown>]

interface Case {
  readonly name: string
  readonly page: 'form' | 'drag'
  readonly ours: (run: number, ref: string) => readonly [command: string, input: object]
  readonly theirs: (run: number, ref: string) => Call
  /** Where a snapshot has the ref of the target, for a case that uses it. */
  readonly refIn?: { readonly ours: RegExp; readonly theirs: RegExp }
  /** A target in itself, instead of a part of their time. */
  readonly mostMs?: number
}

/** The page of the cases; drags have one of their own. */
const selectors = {
  button: '[data-act=advanced]',
  field: '[data-act=name]',
  list: '[data-act=country]',
  card: '[data-act=card]',
  pile: '[data-act=pile]',
}
const text = (run: number) => `Ada Lovelace ${run}`
const country = (run: number) => ['Finland', 'Ghana', 'Peru'][run % 3]!

const cases: readonly Case[] = [
  {
    name: 'click a button',
    page: 'form',
    ours: () => ['click', { target: selectors.button }],
    theirs: () => ['browser_click', { target: selectors.button, element: 'button' }],
  },
  {
    name: 'fill a field',
    page: 'form',
    ours: (run) => ['type', { target: selectors.field, text: text(run) }],
    theirs: (run) => [
      'browser_type',
      { target: selectors.field, element: 'field', text: text(run) },
    ],
  },
  {
    name: 'fill a field by its ref',
    page: 'form',
    ours: (run, ref) => ['type', { target: ref, text: text(run) }],
    theirs: (run, ref) => ['browser_type', { target: ref, element: 'field', text: text(run) }],
    refIn: { ours: /(e\d+) textbox "Full name/, theirs: /textbox "Full name.*\[ref=(\w+)\]/ },
  },
  {
    name: 'choose in a select',
    page: 'form',
    ours: (run) => ['select_option', { target: selectors.list, value: country(run) }],
    theirs: (run) => [
      'browser_select_option',
      { target: selectors.list, element: 'list', values: [country(run)] },
    ],
  },
  {
    name: 'drag an element onto another',
    page: 'drag',
    ours: () => ['drag', { from: selectors.card, to: selectors.pile }],
    theirs: () => [
      'browser_drag',
      {
        ...{ startTarget: selectors.card, startElement: 'card' },
        ...{ endTarget: selectors.pile, endElement: 'pile' },
      },
    ],
    mostMs: 400,
  },
]

export const actions: Bench = {
  name: 'actions',
  on: 'headless',
  async run(world) {
    await world.calm()
    const pages = await serveFixturePages()
    const ours = await measureOurs(world, pages.url)
    const peer = await startPlaywrightMcp()
    try {
      const theirs = await measureTheirs(peer, pages.url)
      return cases.map((one, i) => figure(one, ours[i]!, theirs[i]!))
    } finally {
      await peer.close()
      await pages.close()
    }
  },
}

interface CommandAnswer {
  readonly data: { readonly text?: string }
}

function refOf(place: RegExp, snapshot: string): string {
  const ref = place.exec(snapshot)?.[1]
  if (ref === undefined) throw new Error(`nothing matches ${place} in ${snapshot}`)
  return ref
}

type UrlOf = (page: string) => string

async function measureOurs(world: World, urlOf: UrlOf): Promise<number[]> {
  const { id } = await world.create()
  const run = async ([command, input]: readonly [string, object]) => {
    const path = `/v1/sessions/${id}/commands/${command}`
    const { status, body } = await world.service.rest<CommandAnswer>('POST', path, input)
    if (status !== 200) throw new Error(`${command} answered ${status}`)
    return body.data.text ?? ''
  }
  const medians: number[] = []
  for (const { ours, page, refIn } of cases) {
    await run(['navigate', { url: urlOf(page) }])
    const ref = refIn ? refOf(refIn.ours, await run(['snapshot', {}])) : ''
    await run(ours(1, ref))
    medians.push(median(await timings(runs, (n) => run(ours(n, ref)))))
  }
  await world.release(id)
  return medians
}

async function measureTheirs(peer: McpPeer, urlOf: UrlOf): Promise<number[]> {
  const medians: number[] = []
  for (const { theirs, page, refIn } of cases) {
    await peer.call('browser_navigate', { url: urlOf(page) })
    const ref = refIn ? refOf(refIn.theirs, await peer.call('browser_snapshot', {})) : ''
    await peer.call(...theirs(1, ref))
    medians.push(median(await timings(theirRuns, (n) => peer.call(...theirs(n, ref)))))
  }
  return medians
}

function figure({ name, mostMs }: Case, ours: number, theirs: number): Figure {
  const ratio = ours / theirs
  return {
    name: `${name}, p50`,
    ours: ms(ours),
    baseline: `${ms(theirs)} (@playwright/mcp, stdio)`,
    ratio,
    target: mostMs === undefined ? '≤ 0.5×' : `≤ ${mostMs} ms`,
    met: mostMs === undefined ? ratio <= 0.5 : ours <= mostMs,
  }
}
