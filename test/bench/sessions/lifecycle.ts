/**
 * The whole life of a session with unmodified Playwright, beside the same steps on raw Chromium.
 */
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { atRest } from '../runtime/at-rest.ts'
import { startRawChromium } from '../lib/raw-chromium.ts'
import { type Bench, median, ms, percentile, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const runs = 25

export async function visit(cdpUrl: string, pageUrl: string): Promise<void> {
  const browser = await connectPlaywright(cdpUrl)
  await browser.contexts()[0]!.pages()[0]!.goto(pageUrl)
  await browser.close()
}

export const lifecycle: Bench = {
  name: 'lifecycle',
  on: 'headless',
  async run(world) {
    const ours = await timings(
      runs,
      () => liveOnce(world),
      () => world.calm(),
    )
    const spawned = await timings(5, async () => {
      const chromium = await startRawChromium()
      await visit(chromium.wsUrl, world.page.url)
      await chromium.close()
    })
    // A Chromium that has loaded pages before is quicker than a fresh one, so each run gets a fresh
    // one, as a session does.
    const floor: number[] = []
    for (let run = 0; run < 10; run++) {
      const chromium = await startRawChromium()
      await atRest(chromium.pid)
      floor.push(...(await timings(1, () => visit(chromium.wsUrl, world.page.url))))
      await chromium.close()
    }
    const p50 = median(ours)
    const ratio = p50 / median(floor)
    return [
      {
        name: 'lifecycle p50: create → connectOverCDP → goto → release',
        ours: ms(p50),
        baseline: `${ms(median(floor))} (Chromium already up)`,
        ratio,
        target: '≤ 80 ms, ≤ 1.6×',
        met: p50 <= 80 && ratio <= 1.6,
      },
      {
        name: 'lifecycle p95',
        ours: ms(percentile(ours, 95)),
        baseline: `${ms(median(spawned))} (spawned for it)`,
        ratio: percentile(ours, 95) / median(spawned),
        target: '–',
        met: true,
      },
    ]
  },
}

export async function liveOnce(world: World): Promise<void> {
  const { id, cdp_url } = await world.create()
  await visit(cdp_url, world.page.url)
  await world.release(id)
}
