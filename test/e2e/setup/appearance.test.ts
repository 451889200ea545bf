/**
 * Goal: what a session was set up with is what a page, a pop-up, a frame of another site and workers
 * of every kind see, from their first script on, and what servers are sent; whoever drives it.
 * Method: real browsers, with a display and without, and a site that reports what it sees.
 */
import t, { type Test } from 'tap'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { drivers } from '../../helpers/setup/drivers.ts'
import { openMirrorSite, type Appearance, type Place } from '../../helpers/setup/mirror-site.ts'

const site = await openMirrorSite()
t.teardown(() => site.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

/** What every place has to see; functions look at what only pages have. */
interface Case {
  readonly browser: object
  readonly everywhere: Partial<Appearance>
  readonly inPages?: Partial<Appearance>
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>
  /** Playwright sets a colour scheme and motion of its own. */
  readonly isOverruledByPlaywright?: true
}

const appleAgent = /iPad; CPU OS .* Mobile\/15E148 Safari/

const cases: Readonly<Record<string, Case>> = {
  'language and time zone': {
    browser: { locale: 'de-AT', timezone: 'Pacific/Auckland' },
    everywhere: { language: 'de-AT,de', locale: 'de', number: '1.234,5', zone: 'Pacific/Auckland' },
    headers: { 'accept-language': 'de-AT,de;q=0.9' },
  },
  'a language of a region': {
    browser: { locale: 'es-MX' },
    everywhere: { language: 'es-MX,es', locale: 'es-419', number: '1,234.5' },
  },
  'colours, motion and graphics': {
    browser: { color_scheme: 'dark', reduced_motion: 'reduce', webgl: false },
    everywhere: {},
    inPages: { dark: true, reduced: true, webgl: false },
    isOverruledByPlaywright: true,
  },
  'a user agent of Chrome on Windows': {
    browser: {
      user_agent:
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ' +
        'Chrome/133.0.0.0 Safari/537.36',
    },
    everywhere: {
      brands: ['Not:A-Brand 8', 'Chromium 133', 'Google Chrome 133'],
      system: 'Windows',
      mobile: false,
    },
    headers: {
      'user-agent': /Windows NT 10\.0.*Chrome\/133/,
      'sec-ch-ua': /"Google Chrome";v="133"/,
      'sec-ch-ua-platform': '"Windows"',
    },
  },
  'a tablet that has no client hints': {
    browser: { device: 'iPad Pro 11' },
    everywhere: { brands: [], system: '' },
    inPages: { coarse: true, touch: true, scale: 2 },
    headers: { 'user-agent': appleAgent, 'sec-ch-ua': undefined },
  },
}

for (const active of [true, false]) {
  t.test(active ? 'headless' : 'headful', async (t) => {
    for (const [name, one] of Object.entries(cases)) {
      await t.test(name, (t) => holds(t, one, active))
    }
  })
}

t.test('a phone is as wide as it is, whatever a page asks for', async (t) => {
  const browser = { headless: { active: true }, device: 'Pixel 7', evaluate: { active: true } }
  const session = await openPageSession(host, { browser })
  t.teardown(session.end)
  const driver = await drivers['Puppeteer']!(session)
  t.teardown(() => driver.close())
  await driver.open(site.url)
  const width = await driver.see<number>('innerWidth')
  t.ok(Math.abs(width - 412) <= 2, `${width} px`)
  t.match(
    await driver.see('navigator.userAgent'),
    /Android 13; Pixel 7\).* Chrome\/1\d\d\.0\.0\.0 Mobile/,
  )
  t.equal(await driver.see('navigator.userAgentData.mobile'), true)
  t.match(site.headers('/page'), { 'sec-ch-ua-mobile': '?1', 'sec-ch-ua-platform': '"Android"' })
  t.match(await driver.see('screen.orientation.type'), /^portrait/)
  await driver.open('data:text/html,<p>Without a viewport of its own')
  t.equal(await driver.see('document.documentElement.clientWidth'), 980)
})

async function holds(t: Test, one: Case, active: boolean) {
  const { browser, everywhere, inPages = {}, headers = {} } = one
  const body = { browser: { ...browser, headless: { active }, evaluate: { active: true } } }
  const session = await openPageSession(host, body)
  t.teardown(session.end)
  for (const [name, drive] of Object.entries(drivers)) {
    if (one.isOverruledByPlaywright && name === 'Playwright') continue
    const driver = await drive(session)
    await driver.open(site.url)
    await driver.click('button')
    const seen = await driver.see<Readonly<Record<Place, Appearance>>>('all')
    await driver.see('popped.close()')
    await driver.close()
    for (const [place, appearance] of Object.entries(seen)) {
      const isPage = appearance.width !== undefined
      // A client that attaches to workers may let them go on before the agent has reached them.
      const isEarly = name !== 'commands' && ['shared', 'service'].includes(place)
      const { brands: _, system: __, mobile: ___, ...without } = everywhere
      const wanted = isEarly ? without : { ...everywhere, ...(isPage && inPages) }
      t.match(appearance, wanted, `${name}: ${place}`)
    }
    t.equal(Object.keys(seen).length, 6)
  }
  const sent = site.headers('/page')
  for (const [header, value] of Object.entries(headers))
    t.match(sent[header] ?? '', value ?? /^$/, header)
}
