/**
 * What a recording costs, and how good it is: processor time of a page that scrolls and of one that
 * is still, size, pictures a second and how close to their times; a bystander beside four of them.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { barsIn, barsPage } from '../../helpers/files/video.ts'
import { until } from '../../helpers/lib/until.ts'
import { createSession, headless, type Service } from '../../helpers/service/service.ts'
import { median, ms, percentile, timings, type Bench, type Figure } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const measuredMs = 30_000
const roundTrips = 400
const recorded = { ...headless, session: { recording: { active: true } } }

const lines = Array.from({ length: 400 }, (_, n) => `<p>Line ${n} of a long page</p>`).join('')
const scrolling = `<body style="font: 20px serif">${lines}<script>
  let at = 0
  setInterval(() => scrollTo(0, (at += 8) % 8000), 33)
</script>`
const still = '<body><input autofocus value="A caret blinks here">'

export const recording: Bench = {
  name: 'recording',
  on: 'headless',
  async run(world) {
    await world.calm()
    return [
      ...(await costs(world, 'scrolls', scrolling, '–')),
      ...(await costs(world, 'is still, with a caret', still, '≤ 1 % more')),
      ...(await pictures(world)),
      await bystander(world),
    ]
  },
}

interface Opened {
  readonly id: string
  readonly page: Page
  close(): Promise<void>
}

async function open({ service }: World, body: object, html: string): Promise<Opened> {
  const { id, cdp_url } = await createSession(service.rest, body)
  const client = await connectPlaywright(cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  await page.setContent(html)
  return {
    ...{ id, page },
    async close() {
      await client.close()
      await service.rest('DELETE', `/v1/sessions/${id}`)
    },
  }
}

async function costs(world: World, what: string, html: string, target: string): Promise<Figure[]> {
  const percent = async (body: object) => {
    const session = await open(world, body, html)
    await wait(2_000)
    const before = busyMs()
    await wait(measuredMs)
    const used = ((busyMs() - before) / measuredMs) * 100
    await session.close()
    return { id: session.id, used }
  }
  const plain = await percent(headless)
  const { id, used } = await percent(recorded)
  const video = await videoOf(world.service, id)
  await world.calm()
  const mib = video.byteLength / 2 ** 20 / ((measuredMs + 2_000) / 60_000)
  return [
    {
      name: `recording of a page that ${what}, of a core`,
      ours: `${used.toFixed(1)} % (${mib.toFixed(1)} MiB a minute)`,
      baseline: `${plain.used.toFixed(1)} % (not recorded)`,
      ratio: used / plain.used,
      target,
      met: target === '–' || used - plain.used <= 1,
    },
  ]
}

async function pictures(world: World): Promise<Figure[]> {
  const sinceMs = Date.now()
  const session = await open(world, recorded, barsPage(sinceMs))
  await wait(measuredMs)
  await session.close()
  const video = await videoOf(world.service, session.id)
  const startMs = await startOf(world.service, session.id)
  const shown = barsIn(video).flatMap(({ ms: atMs, shownMs }) =>
    shownMs === undefined ? [] : [{ shownMs, lateMs: startMs + atMs - (sinceMs + shownMs) }],
  )
  const distinct = new Set(shown.map((one) => one.shownMs))
  const first = shown.filter(({ shownMs }, n) => shownMs !== shown[n - 1]?.shownMs)
  const perSecond = distinct.size / (measuredMs / 1_000)
  const late = first.map(({ lateMs }) => Math.abs(lateMs))
  await world.calm()
  return [
    {
      name: 'recording: different pictures a second, of 20',
      ours: perSecond.toFixed(1),
      target: '≥ 8',
      met: perSecond >= 8,
    },
    {
      name: 'recording: distance of a picture from its time, p50 and p99',
      ours: `${ms(median(late))}, ${ms(percentile(late, 99))}`,
      target: '≤ 150 ms',
      met: percentile(late, 99) <= 150,
    },
  ]
}

/** Round trips of a session in which nothing else happens, beside four that scroll. */
async function bystander(world: World): Promise<Figure> {
  const beside = async (body: object) => {
    const others = await Promise.all([0, 1, 2, 3].map(() => open(world, body, scrolling)))
    const session = await open(world, headless, still)
    await wait(2_000)
    const samples = await timings(roundTrips, () => session.page.evaluate('1'))
    for (const one of [session, ...others]) await one.close()
    return median(samples)
  }
  const plain = await beside(headless)
  const ours = await beside(recorded)
  return {
    name: 'CDP round trip beside four recordings of pages that scroll, p50',
    ours: ms(ours),
    baseline: `${ms(plain)} (not recorded)`,
    ratio: ours / plain,
    target: '≤ 1.2×',
    met: ours / plain <= 1.2,
  }
}

async function videoOf({ baseUrl, key }: Service, id: string): Promise<Buffer> {
  const file = `${baseUrl}/v1/sessions/${id}/recordings/primary/fetch`
  return until('the video is made', async () => {
    const answer = await fetch(file, { headers: { authorization: `Bearer ${key}` } })
    return answer.ok && Buffer.from(await answer.arrayBuffer())
  })
}

async function startOf({ rest }: Service, id: string): Promise<number> {
  const { body } = await rest<{
    data: { readonly items: readonly [{ readonly spans: readonly [{ readonly at: string }] }] }
  }>('GET', `/v1/sessions/${id}/recordings`)
  return Date.parse(body.data.items[0].spans[0].at)
}

/** Processor time that the whole machine has used, in ms: encoders come and go. */
function busyMs(): number {
  const [, user, nice, system] = readFileSync('/proc/stat', 'utf8').split(/\s+/).map(Number)
  return (user! + nice! + system!) * msPerTick
}

const msPerTick = 10
