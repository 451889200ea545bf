/**
 * The cost of isolating a browser: two services in one run, one whose browsers have namespaces and
 * a network of their own, one whose browsers have none.
 */
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { descendantsOf } from '../../helpers/lib/processes.ts'
import { createSession, headless } from '../../helpers/service/service.ts'
import { askMegabyte, attachPage, small } from './cdp.ts'
import { type Bench, byTurns, type Figure, median, MiB, ms, timings } from '../lib/report.ts'
import { resources, serveResources } from '../lib/resource-site.ts'
import { openWorld, type World } from '../lib/world.ts'

const walled = { ISOLATION: 'namespaces', NETWORK_ISOLATION: 'on' }
const open = { ISOLATION: 'none', NETWORK_ISOLATION: 'off' }
const none = 'without walls'

type Worlds = readonly [ours: World, other: World]

export const isolation: Bench = {
  name: 'isolation',
  on: 'nothing',
  async run() {
    const worlds: Worlds = [await openWorld('headless', walled), await openWorld('headless', open)]
    const site = await serveResources()
    try {
      return [
        await compare('walls: create, warm, p50', worlds, (world) => creation(world, headless, 20)),
        await compare('walls: create, not warm, p50', worlds, (world) => creation(world, cold, 6)),
        ...(await throughClients(worlds, site.url)),
        await memory(worlds),
      ]
    } finally {
      await site.close()
      await Promise.all(worlds.map((world) => world.close()))
    }
  },
}

/** A viewport that no pool keeps warm. */
const cold = { browser: { ...headless.browser, pdf_viewer: { active: false } } }

async function creation(world: World, body: object, runs: number): Promise<number> {
  const ids: string[] = []
  const samples = await timings(
    runs,
    async () => void ids.push((await createSession(world.service.rest, body)).id),
    async () => {
      await Promise.all(ids.splice(0).map((id) => world.release(id)))
      await world.calm()
    },
  )
  await Promise.all(ids.map((id) => world.release(id)))
  return median(samples)
}

async function compare(
  name: string,
  [ours, other]: Worlds,
  measure: (world: World) => Promise<number>,
): Promise<Figure> {
  return figure(name, await measure(ours), await measure(other))
}

const figure = (name: string, ours: number, other: number): Figure => ({
  ...{ name, ours: ms(ours), baseline: `${ms(other)} (${none})`, ratio: ours / other },
  ...{ target: '–', met: true },
})

async function throughClients(worlds: Worlds, url: string): Promise<Figure[]> {
  const clients = await Promise.all(worlds.map((world) => clientOf(world, url)))
  const [ours, other] = clients as [Client, Client]
  const figures: Figure[] = []
  for (const [name, runs, act] of [
    ['walls: CDP round trip, small, p50', 400, 'small'],
    ['walls: CDP round trip, 1 MiB, p50', 60, 'megabyte'],
    [`walls: a page of ${resources} small resources, p50`, 20, 'load'],
  ] as const) {
    figures.push(figure(name, ...(await byTurns(runs, ours[act], other[act]))))
  }
  await Promise.all(clients.map(({ close }) => close()))
  return figures
}

type Client = Awaited<ReturnType<typeof clientOf>>

async function clientOf(world: World, url: string) {
  const { id, cdp_url } = await world.create()
  const raw = await connectRaw(cdp_url)
  const target = await attachPage(raw)
  const browser = await connectPlaywright(cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  return {
    small: () => small(raw),
    megabyte: () => askMegabyte(raw, target),
    load: () => page.goto(url),
    async close() {
      raw.close()
      await browser.close()
      await world.release(id)
    },
  }
}

/** The memory of one warm browser, including the processes that start it and connect it. */
async function memory(worlds: Worlds): Promise<Figure> {
  await Promise.all(worlds.map((world) => world.calm()))
  const [ours, other] = worlds.map(({ service, pool }) => {
    const all = descendantsOf(service.pidOf('node-agent'))
    return all.reduce((sum, { pssBytes }) => sum + pssBytes, 0) / pool
  }) as [number, number]
  const name = 'walls: memory of one warm browser (PSS, with all that is beside it)'
  const shown = { ours: MiB(ours), baseline: `${MiB(other)} (${none})` }
  return { name, ...shown, ratio: ours / other, target: '–', met: true }
}
