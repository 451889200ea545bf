/**
 * Goal: whatever a creation body may have, a browser starts with it, in both modes, and pages see it.
 * Method: bodies drawn from what the schema accepts; `SETUP_DRAWS` says how many for each mode, and a
 * failure prints its seed.
 */
import fc from 'fast-check'
import t from 'tap'
import { devices } from '../../../proto/session/setup/devices.ts'
import { permissionNames } from '../../../proto/session/setup/browser-setup.ts'
import { sessionLimits } from '../../../proto/session/limits.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'

const draws = Number(process.env['SETUP_DRAWS'] ?? 4)
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
const locales = [
  'de-AT',
  'en-GB',
  'es-MX',
  'fr',
  'ja-JP',
  'pt-BR',
  'zh-Hant-TW',
  'ar-EG',
  'is',
  'eo',
]
const size = (least: number, most: number) => fc.integer({ min: least, max: most })

const drawn = (active: boolean) => {
  const widthMin = active ? 200 : sessionLimits.desktopWidthMin
  const names = [...devices].filter(([, { width }]) => width >= widthMin).map(([name]) => name)
  const values = fc.record({
    width: size(widthMin, 1_600),
    height: size(200, 1_200),
    scale: maybe(fc.constantFrom(1, 1.25, 1.5, 2, 2.75, 5)),
    mobile: maybe(fc.boolean()),
    touch: maybe(fc.boolean()),
  })
  return fc.record({
    device: maybe(fc.oneof(fc.constantFrom(...names), values)),
    locale: maybe(fc.constantFrom(...locales)),
    timezone: maybe(fc.constantFrom(...Intl.supportedValuesOf('timeZone'))),
    color_scheme: maybe(fc.constantFrom('light', 'dark')),
    reduced_motion: maybe(fc.constantFrom('reduce', 'no-preference')),
    webgl: maybe(fc.boolean()),
    ignore_https_errors: maybe(fc.boolean()),
    downloads: maybe(fc.constantFrom('allow', 'deny')),
    permissions: maybe(fc.subarray([...permissionNames])),
    geolocation: maybe(fc.record({ latitude: size(-90, 90), longitude: size(-180, 180) })),
    extra_http_headers: maybe(fc.constant({ 'X-One': 'a', 'X-Two': 'b c' })),
  })
}

const look = `({
  width: document.documentElement.clientWidth,
  scale: devicePixelRatio,
  language: navigator.language,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
})`
interface Seen {
  readonly width: number
  readonly scale: number
  readonly language: string
  readonly zone: string
  readonly dark: boolean
}
const page = 'data:text/html,<meta name=viewport content="width=device-width"><p>Text'

// The same each time, unless many are drawn.
const chosen = process.env['SETUP_DRAWS'] === undefined ? 1 : Date.now()
const seed = Number(process.env['SETUP_SEED'] ?? chosen)
for (const active of [true, false]) {
  t.test(`${active ? 'headless' : 'headful'}, seed ${seed}`, async (t) => {
    for (const asked of fc.sample(drawn(active), { seed, numRuns: draws })) {
      const browser = JSON.parse(JSON.stringify(asked)) as typeof asked
      const body = { browser: { ...browser, headless: { active }, evaluate: { active: true } } }
      const session = await openPageSession(host, body).catch((cause: unknown) => {
        throw new Error(`it did not start with ${JSON.stringify(browser)}`, { cause })
      })
      await session.run('navigate', { url: page })
      const { value } = await session.run('evaluate', { expression: look })
      await session.end()
      const seen = value as Seen
      const text = JSON.stringify({ browser, seen })
      const { device } = browser
      const { width, scale = 1 } =
        typeof device === 'string' ? devices.get(device)! : (device ?? {})
      const tolerance = Number.isInteger(scale) ? 0 : 2
      if (width !== undefined) t.ok(Math.abs(seen.width - width) <= tolerance, `width: ${text}`)
      if (device !== undefined) t.equal(seen.scale, scale, `scale: ${text}`)
      if (browser.locale !== undefined) t.equal(seen.language, browser.locale, text)
      if (browser.timezone !== undefined) t.equal(seen.zone, browser.timezone, text)
      t.equal(seen.dark, browser.color_scheme === 'dark', `dark: ${text}`)
    }
  })
}
