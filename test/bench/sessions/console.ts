/**
 * What an open console costs a client that has nothing to do with it: the CDP round trip of one
 * session while a Chromium on the same machine shows the list with pictures of all sessions, and
 * while it does not, alternating. The reader's Chromium is part of the cost; elsewhere it is not.
 */
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { type Bench, type Figure, median, ms, percentile, timings } from '../lib/report.ts'
import { small } from './cdp.ts'
import type { World } from '../lib/world.ts'

const rounds = 4
/** A little longer than the list takes to get a new picture of each session. */
const roundMs = 5_000
const pauseMs = 5
const sessionsShown = 4

export const consoleCost: Bench = {
  name: 'console',
  on: 'headless',
  async run(world) {
    await world.calm()
    const sessions = []
    for (let n = 0; n < sessionsShown; n++) sessions.push(await world.create())
    const browser = await launchChromium()
    try {
      const { service } = world
      const { page } = await openConsoleIn(browser, service.baseUrl, service.key)
      return await measure(world, page, sessions[0]!.cdp_url)
    } finally {
      await browser.close()
      for (const { id } of sessions) await world.release(id)
    }
  },
}

async function measure({ service }: World, page: Page, cdpUrl: string): Promise<Figure[]> {
  const bystander = await connectRaw(cdpUrl)
  const samples: { open: number[]; closed: number[] } = { open: [], closed: [] }
  const pause = () => setTimeout(pauseMs)
  const round = async () => {
    const times: number[] = []
    const endMs = performance.now() + roundMs
    while (performance.now() < endMs)
      times.push(...(await timings(1, () => small(bystander), pause)))
    return times
  }
  for (let n = 0; n < rounds; n++) {
    await page.goto('about:blank')
    samples.closed.push(...(await round()))
    await page.goto(`${service.baseUrl}/console`)
    await page.waitForSelector('.liveness.is-live')
    samples.open.push(...(await round()))
  }
  bystander.close()
  const figure = (name: string, of: (samples: readonly number[]) => number, most: number) => {
    const [open, closed] = [of(samples.open), of(samples.closed)]
    const ratio = open / closed
    return {
      ...{ name, ours: ms(open), baseline: `${ms(closed)} (closed)`, ratio },
      ...{ target: `≤ ${most}×`, met: ratio <= most },
    }
  }
  return [
    figure(
      `CDP round trip beside an open console with ${sessionsShown} sessions, p50`,
      median,
      1.1,
    ),
    figure('the same, p95', (times) => percentile(times, 95), 2),
  ]
}
