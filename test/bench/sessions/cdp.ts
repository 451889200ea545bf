/**
 * What the gateway adds to a CDP round trip: the same browser, asked through the gateway and
 * directly, alternating.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  browserProfile,
  connectRaw,
  devtoolsOf,
  type RawCdp,
} from '../../helpers/browser/browsers.ts'
import { filterCall } from '../../../runtime/browser-host/cdp-rules/client-calls.ts'
import { type Bench, byTurns, type Figure, ms } from '../lib/report.ts'

export type Exchange = (client: RawCdp) => Promise<unknown>

export const small: Exchange = (client) => client.send('Browser.getVersion')

const evaluate = (client: RawCdp, sessionId: string, expression: string) =>
  client.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId)

export const cdp: Bench = {
  name: 'cdp',
  on: 'headless',
  async run(world) {
    await world.calm()
    const { id, cdp_url } = await world.create()
    const through = await connectRaw(cdp_url)
    const url = (await devtoolsOf(await browserProfile(through)))!
    const direct = await connectRaw(url)
    // A browser with its own network has no port on the host to relay to.
    const relay = url.startsWith('ws://') ? await startRelay(new URL(url)) : undefined
    const relayed = relay && (await connectRaw(relay.url))
    const figures = [
      await compare('CDP round trip, small, p50', through, direct, 400, small, {
        target: '≤ +0.06 ms',
        met: (ours, floor) => ours - floor <= 0.06,
      }),
      ...(relayed ? [await bareRelay(relayed, direct)] : []),
      await megabyte(through, direct),
      await compare('CDP, 64 in flight, a batch', through, direct, 60, flight, {
        target: '–',
        met: () => true,
      }),
      ...Object.entries(clientMessages).map(([what, message]) => actsCost(what, message)),
    ]
    through.close()
    relayed?.close()
    direct.close()
    relay?.stop()
    await world.release(id)
    return figures
  },
}

const bareRelay = (relayed: RawCdp, direct: RawCdp) =>
  compare('the same through a bare TCP relay', relayed, direct, 400, small, {
    target: '–',
    met: () => true,
  })

const flight: Exchange = (client) => Promise.all(Array.from({ length: 64 }, () => small(client)))

async function megabyte(through: RawCdp, direct: RawCdp): Promise<Figure> {
  const pages = new Map([
    [through, await attachPage(through)],
    [direct, await attachPage(direct)],
  ])
  const exchange: Exchange = (client) => askMegabyte(client, pages.get(client)!)
  return compare('CDP round trip, 1 MiB, p50', through, direct, 120, exchange, {
    target: '≤ +3 %',
    met: (ours, floor) => ours / floor <= 1.03,
  })
}

export const askMegabyte = (client: RawCdp, sessionId: string) =>
  evaluate(client, sessionId, `'x'.repeat(${2 ** 20})`)

export async function attachPage(client: RawCdp): Promise<string> {
  type Targets = { targetInfos: { targetId: string; type: string }[] }
  const { targetInfos } = await client.send<Targets>('Target.getTargets')
  const { targetId } = targetInfos.find(({ type }) => type === 'page')!
  const attach = { targetId, flatten: true }
  return (await client.send<{ sessionId: string }>('Target.attachToTarget', attach)).sessionId
}

async function compare(
  name: string,
  through: RawCdp,
  direct: RawCdp,
  runs: number,
  exchange: Exchange,
  aim: { target: string; met: (ours: number, floor: number) => boolean },
): Promise<Figure> {
  const [ours, floor] = await byTurns(
    runs,
    () => exchange(through),
    () => exchange(direct),
  )
  return {
    name,
    ours: ms(ours),
    baseline: `${ms(floor)} (direct)`,
    ratio: ours / floor,
    target: aim.target,
    met: aim.met(ours, floor),
  }
}

const clientMessages = {
  'a click': { method: 'Input.dispatchMouseEvent', params: { type: 'mousePressed', x: 1, y: 2 } },
  'a script of 2 KiB': {
    method: 'Runtime.evaluate',
    params: { expression: 'x'.repeat(2_048) },
  },
}

/** What it costs that the session's log is told what clients do. */
function actsCost(what: string, message: object): Figure {
  const bytes = Buffer.from(JSON.stringify({ id: 1, ...message }))
  const rules = { downloadsDir: '/downloads' }
  const microseconds = (onAct?: () => void) => {
    const runs = 100_000
    const since = performance.now()
    for (let run = 0; run < runs; run++) filterCall(bytes, { ...rules, onAct })
    return (1_000 * (performance.now() - since)) / runs
  }
  microseconds(() => undefined)
  const [ours, floor] = [microseconds(() => undefined), microseconds()]
  return {
    name: `the log of what clients do, ${what}`,
    ours: `${ours.toFixed(2)} µs`,
    baseline: `${floor.toFixed(2)} µs (without)`,
    ratio: ours / floor,
    target: '≤ +10 µs',
    met: ours - floor <= 10,
  }
}

/** A relay in a process of its own, which only passes bytes on. */
async function startRelay({ port, pathname }: URL) {
  const child = fork(fileURLToPath(new URL('./relay.js', import.meta.url)), [port])
  const [relayPort] = (await once(child, 'message')) as [number]
  return { url: `ws://127.0.0.1:${relayPort}${pathname}`, stop: () => child.disconnect() }
}
