/**
 * Screenshots of reports made from the demo's records, and of ones with little, much and odd data,
 * for people to look at: `node dist/test/screenshots/report.js FOLDER [NAME]`. Light, dark, a phone,
 * and paper.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { reportHtml } from '../../gateway/access/reports/page/page.tsx'
import { launchChromium } from '../helpers/browser/local-chromium.ts'
import { demoReports } from '../helpers/access/jobs/demo-reports.ts'
import { sampleLook, sampleReports } from '../helpers/access/jobs/sample-reports.ts'

const views = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1200, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1200, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 320, height: 720 } },
] as const

const [folder, only = ''] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder that the pictures go to')
mkdirSync(folder, { recursive: true })
const browser = await launchChromium()
try {
  const all = Object.entries({ ...demoReports(), ...sampleReports() })
  for (const [name, report] of all.filter(([one]) => one.includes(only))) {
    const html = reportHtml(
      report,
      sampleLook,
      `https://browsers.example/portal/reports/${report.id}`,
    )
    for (const { name: view, ...options } of views) {
      const page = await browser.newPage(options)
      await page.setContent(html)
      await page.screenshot({ path: join(folder, `${name}-${view}.png`), fullPage: true })
      if (view === 'light') {
        await onPaper(page, join(folder, `${name}.pdf`))
        await page.emulateMedia({ media: 'print' })
        await page.setViewportSize({ width: 680, height: 900 })
        await page.screenshot({ path: join(folder, `${name}-paper.png`), fullPage: true })
      }
      await page.close()
    }
  }
} finally {
  await browser.close()
}

/** Printed as the service does, apart from the footer. */
async function onPaper(page: Page, path: string): Promise<void> {
  const margin = { top: '0.6in', bottom: '0.8in', left: '0.6in', right: '0.6in' }
  writeFileSync(path, await page.pdf({ format: 'A4', printBackground: true, margin }))
}
