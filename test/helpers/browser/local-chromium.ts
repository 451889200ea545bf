/** This machine's Chromium, as a reader uses it; not one of the pool. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { loadConfig } from '../../../runtime/config/config.ts'

/**
 * In place of Playwright's own list, of which the rest matters to other browsers and versions. Two
 * hidden pages for the address bar's pop-ups would be two processes in each context, and a spare
 * renderer would be thrown away and replaced at each navigation in another context.
 */
const featuresOff = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'PreconnectToSearch'],
  'SpareRendererForSitePerProcess',
  ...['DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable'],
  ...['MediaRouter', 'OptimizationHints', 'PaintHolding', 'NetworkTimeServiceQuerying'],
]

export function launchChromium(): Promise<Browser> {
  const program = loadConfig().CHROMIUM_BIN
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, program))
  const path = [program, ...places].find((one) => one.includes('/') && existsSync(one))
  if (path === undefined) throw new Error(`there is no ${program}: set CHROMIUM_BIN`)
  return chromium.launch({
    executablePath: path,
    // Without it a process of its own would draw in software, at a tenth more of processor time.
    args: ['--disable-gpu', `--disable-features=${featuresOff.join(',')}`],
  })
}
