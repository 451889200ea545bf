/**
 * What pages pay for the wall: how long they load in an isolated browser and in a Chromium without any
 * service, by turns, on a quiet machine and on a busy one, alone and several at once.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import { atRest } from '../runtime/at-rest.ts'
import { attachPage } from './cdp.ts'
import { startRawChromium } from '../lib/raw-chromium.ts'
import { largeMiB, loadAgain, readLarge, resources, serveResources } from '../lib/resource-site.ts'
import { byTurns, ms, type Bench, type Figure } from '../lib/report.ts'
import { openWorld, type World } from '../lib/world.ts'

const walled = { ISOLATION: 'namespaces', NETWORK_ISOLATION: 'on', POOL_HEADLESS: '1' }
const atOnce = 8
const roundsTogether = 3
const loadMost = 1.15
const largeLeast = 0.8

export const wall: Bench = {
  name: 'wall',
  on: 'nothing',
  async run() {
    const world = await openWorld('headless', walled)
    const site = await serveResources()
    try {
      return [
        ...(await alone(world, site.url, 'quiet', 0)),
        ...(await alone(world, site.url, 'busy', 1)),
        ...(await alone(world, site.url, 'very busy', 2)),
        await together(world, site.url),
      ]
    } finally {
      await site.close()
      await world.close()
    }
  },
}

type Load = () => Promise<unknown>

interface Tab {
  readonly load: Load
  readonly loadLarge: Load
  close(): Promise<unknown>
}

/** `loops`: other work, for each processor. */
async function alone(world: World, url: string, state: string, loops: number): Promise<Figure[]> {
  const [ours, raw] = [await walledTab(world, url), await rawTab(url)]
  await atRest(world.service.pid)
  try {
    const [pages, large] = await whileBusy(loops, async () => [
      await byTurns(10, ours.load, raw.load),
      await byTurns(10, ours.loadLarge, raw.loadLarge),
    ])
    return [
      timeFigure(`wall: a page of ${resources} small resources, ${state}, p50`, pages),
      rateFigure(`wall: one answer of ${largeMiB} MiB, ${state}, p50`, large),
    ]
  } finally {
    await Promise.all([ours.close(), raw.close()])
  }
}

async function together(world: World, url: string): Promise<Figure> {
  const each = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: atOnce }, make))
  const ours = await each(() => walledTab(world, url))
  const raw = await each(() => rawTab(url))
  await atRest(world.service.pid)
  const all = (tabs: readonly Tab[]) => () => Promise.all(tabs.map(({ load }) => load()))
  try {
    const times = await byTurns(roundsTogether, all(ours), all(raw), roundsTogether)
    return timeFigure(`wall: the same page in ${atOnce} browsers at once, p50`, times)
  } finally {
    await Promise.all([...ours, ...raw].map(({ close }) => close()))
  }
}

async function walledTab(world: World, url: string): Promise<Tab> {
  const { id, cdp_url } = await world.create()
  return tabOf(cdp_url, url, () => world.release(id))
}

async function rawTab(url: string): Promise<Tab> {
  const chromium = await startRawChromium()
  return tabOf(chromium.wsUrl, url, () => chromium.close())
}

/** Without a client library, whose own work for each request would be counted. */
async function tabOf(wsUrl: string, url: string, end: Load): Promise<Tab> {
  const client = await connectRaw(wsUrl)
  const session = await attachPage(client)
  const run = (expression: string) =>
    client.send('Runtime.evaluate', { expression, awaitPromise: true }, session)
  await client.send('Page.navigate', { url }, session)
  await until('the page is there', async () => isLoaded(await run(isThere(url))))
  return {
    load: () => run(loadAgain),
    loadLarge: () => run(readLarge),
    async close() {
      client.close()
      await end()
    },
  }
}

const isThere = (url: string) => `location.href === '${url}' && document.readyState === 'complete'`

const isLoaded = (answer: unknown): boolean =>
  (answer as { readonly result: { readonly value: unknown } }).result.value === true

async function whileBusy<T>(perProcessor: number, work: () => Promise<T>): Promise<T> {
  const count = perProcessor * availableParallelism()
  const loops: readonly ChildProcess[] = Array.from({ length: count }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  )
  try {
    return await work()
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
}

const timeFigure = (name: string, [ours, raw]: readonly [number, number]): Figure => ({
  ...{ name, ours: ms(ours), baseline: `${ms(raw)} (raw Chromium)`, ratio: ours / raw },
  ...{ target: `≤ ${loadMost}×`, met: ours / raw <= loadMost },
})

function rateFigure(name: string, [ours, raw]: readonly [number, number]): Figure {
  const rate = (timeMs: number) => `${((1000 * largeMiB) / timeMs).toFixed(0)} MiB/s`
  const ratio = raw / ours
  return {
    ...{ name, ours: rate(ours), baseline: `${rate(raw)} (raw Chromium)`, ratio },
    ...{ target: `≥ ${largeLeast}×`, met: ratio >= largeLeast },
  }
}
