/** Input through REST and X, beside starting xdotool for each action on the same display. */
import { setTimeout as wait } from 'node:timers/promises'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import { xProgram } from '../../helpers/browser/x-program.ts'
import { type Bench, type Figure, median, ms, percentile, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const clicks = 300
const pauseMs = 30
const title = 'bench of input'
const text = 'The quick brown fox jumps. '.repeat(40).slice(0, 1_000)

export const input: Bench = {
  name: 'input',
  on: 'headful',
  async run(world) {
    await world.calm()
    const { id, cdp_url } = await world.create()
    const client = await connectPlaywright(cdp_url)
    const page = client.contexts()[0]!.pages()[0]!
    await page.setContent(`<title>${title}</title>
      <textarea id=text style="width:800px;height:600px"></textarea>`)
    const path = `/v1/sessions/${id}`
    const post = async (verb: string, body: unknown) => {
      const { status } = await world.service.rest('POST', path + verb, body)
      if (status !== 200) throw new Error(`${verb} answered ${status}`)
    }
    const figures = [
      ...(await clicking(world, post)),
      ...(await typing(post, async () => (await page.inputValue('#text')).length)),
      await picture(() => world.service.rest('GET', `${path}/screenshot`), page),
    ]
    await client.close()
    await world.release(id)
    return figures
  },
}

type Post = (verb: string, body: unknown) => Promise<void>

async function clicking(world: World, post: Post): Promise<Figure[]> {
  const at = (run: number) => ({ x: 300 + (run % 50), y: 400 })
  // Waits as a person would: the page has handled one click before the next.
  const pause = () => wait(pauseMs)
  const ours: number[] = []
  const nothing: number[] = []
  // By turns, so that other load on the machine affects both.
  for (let run = 0; run < clicks; run++) {
    ours.push(...(await timings(1, () => post('/mouse/click', at(run)), pause)))
    nothing.push(...(await timings(1, () => world.service.rest('GET', '/health/live'), pause)))
  }
  const p50 = median(ours)
  const overNothing: Figure = {
    name: 'move + click through REST, p50, beside a request that does nothing',
    ours: ms(p50),
    baseline: `${ms(median(nothing))} (a request that does nothing)`,
    ratio: p50 / median(nothing),
    target: '≤ 2×',
    met: p50 / median(nothing) <= 2,
  }
  const p99: Figure = {
    name: 'move + click through REST, p99',
    ours: ms(percentile(ours, 99)),
    baseline: `${ms(percentile(nothing, 99))} (a request that does nothing)`,
    ratio: percentile(ours, 99) / percentile(nothing, 99),
    target: '–',
    met: true,
  }
  const shared = { name: 'move + click through REST, p50', ours: ms(p50) }
  if (spawnSync('xdotool', ['version']).error) {
    const baseline = 'none: xdotool is not installed'
    return [{ ...shared, baseline, target: '≤ 3 ms', met: p50 <= 3 }, overNothing, p99]
  }
  const display = displayOf(world, title)
  const theirs = await timings(
    50,
    async (run) => {
      const { x, y } = at(run)
      // xdotool's own click sleeps for 100 ms, which would make the comparison unfair.
      const args = ['mousemove', String(x), String(y), 'mousedown', '1', 'mouseup', '1']
      execFileSync('xdotool', args, { env: display })
    },
    pause,
  )
  const ratio = p50 / median(theirs)
  const baseline = `${ms(median(theirs))} (a process of xdotool, without REST)`
  const target = '≤ 3 ms, ≤ 0.2×'
  return [{ ...shared, baseline, ratio, target, met: p50 <= 3 && ratio <= 0.2 }, overNothing, p99]
}

async function typing(post: Post, typed: () => Promise<number>): Promise<Figure[]> {
  await post('/mouse/click', { x: 300, y: 400 })
  const took: number[] = []
  for (let run = 1; run <= 5; run++) {
    const before = await typed()
    const [ours] = await timings(1, async () => {
      await post('/keyboard/type', { text })
      await until('all of it is in the page', async () => (await typed()) === before + text.length)
    })
    took.push(ours!)
  }
  const name = 'typing 1,000 characters, until the page has them'
  return [{ name, ours: ms(median(took)), target: '–', met: true }]
}

async function picture(
  ours: () => Promise<unknown>,
  page: { screenshot(): Promise<unknown> },
): Promise<Figure> {
  const took = await timings(20, ours)
  const direct = await timings(20, () => page.screenshot())
  const ratio = median(took) / median(direct)
  return {
    name: 'screenshot of the page, p50',
    ours: ms(median(took)),
    baseline: `${ms(median(direct))} (Playwright's, through the gateway)`,
    ratio,
    target: '≤ 1×',
    met: ratio <= 1,
  }
}

/** The environment of the programs on the display that has a window with this title. */
function displayOf({ service }: World, title: string): NodeJS.ProcessEnv {
  const run = join(service.dataDir, 'run', 'test')
  const displays = readdirSync(run).map((name) => {
    const { xSocket } = JSON.parse(readFileSync(join(run, name, 'browser.json'), 'utf8'))
    return xProgram({ xSocket, authority: join(run, name, 'xauthority') }).env
  })
  return displays.find((env) => {
    return spawnSync('xdotool', ['search', '--name', title], { env }).status === 0
  })!
}
