/** The gateway's two server engines, each with its own service, alternating. */
import { chooseEngine, engineNames } from '../../../gateway/server/engine.ts'
import { connectRaw, type RawCdp } from '../../helpers/browser/browsers.ts'
import { askMegabyte, attachPage, type Exchange, small } from './cdp.ts'
import { type Bench, byTurns, type Figure, median, ms, timings } from '../lib/report.ts'
import { openWorld, type World } from '../lib/world.ts'

const creations = 20

interface Side {
  readonly world: World
  readonly client: RawCdp
  readonly page: string
}

export const engines: Bench = {
  name: 'engines',
  on: 'nothing',
  async run() {
    if (chooseEngine('auto') === 'node') {
      process.stderr.write('  no native uWebSockets.js here to compare with\n')
      return []
    }
    const node = await openSide('node')
    const uws = await openSide('uws')
    try {
      return await compare(node, uws)
    } finally {
      for (const { client, world } of [node, uws]) {
        client.close()
        await world.close()
      }
    }
  },
}

async function openSide(engine: keyof typeof engineNames): Promise<Side> {
  const world = await openWorld('headless', { SERVER_ENGINE: engine })
  await world.calm()
  const { cdp_url } = await world.create()
  const client = await connectRaw(cdp_url)
  return { world, client, page: await attachPage(client) }
}

async function compare(node: Side, uws: Side): Promise<Figure[]> {
  const exchange = (name: string, runs: number, ask: (side: Side) => Promise<unknown>) =>
    byTurns(
      runs,
      () => ask(node),
      () => ask(uws),
    ).then((medians) => figure(name, medians))
  const flight: Exchange = (client) => Promise.all(Array.from({ length: 64 }, () => small(client)))
  return [
    await exchange('a request that does nothing', 1_000, alive),
    await exchange('CDP round trip, small', 1_000, ({ client }) => small(client)),
    await exchange('CDP, 64 in flight, a batch', 100, ({ client }) => flight(client)),
    await exchange('CDP round trip, 1 MiB', 120, ({ client, page }) => askMegabyte(client, page)),
    figure('create, warm', await creation(node.world, uws.world)),
  ]
}

const alive = ({ world }: Side) => world.service.rest('GET', '/health/live')

/** Ends the sessions used over CDP first: the pool is full only when none is claimed. */
async function creation(node: World, uws: World): Promise<readonly [number, number]> {
  const samples = new Map<World, number[]>([
    [node, []],
    [uws, []],
  ])
  for (let run = 0; run < creations; run++) {
    for (const [world, took] of samples) {
      await endAll(world)
      await world.calm()
      took.push(...(await timings(1, () => world.create())))
    }
  }
  return [median(samples.get(node)!), median(samples.get(uws)!)]
}

const endAll = (world: World) => world.service.rest('DELETE', '/v1/sessions/all')

function figure(what: string, [ours, other]: readonly [number, number]): Figure {
  return {
    name: `${engineNames.node}: ${what}, p50`,
    ours: ms(ours),
    baseline: `${ms(other)} (${engineNames.uws})`,
    ratio: ours / other,
    target: '–',
    met: true,
  }
}
