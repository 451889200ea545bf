/**
 * Goal: the form of a new session makes what its fields say, shows the code for the same, and neither
 * shows a password. Method: a real gateway; the creation is seen by the played actor.
 */
import t from 'tap'
import { attachLines, creationLines } from '../../../../gateway/html/code/code-lines.ts'
import type { SessionOptions } from '../../../../proto/session/session.ts'
import { textOf, unescaped } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const acme = keyOf('acme')
const made: { id: string; tenant: string; options: SessionOptions }[] = []
const service = await playService({
  keys: [acme.record],
  env: { PUBLIC_URL: 'https://browsers.example', MAX_DURATION_MINUTES: '60' },
  create: async (input) => {
    const wanted = input as (typeof made)[number]
    made.push(wanted)
    const view = { ...playedView(input.id), ...wanted }
    service.views.set(view)
    return { view }
  },
})
t.teardown(() => service.close())
const one = await signedInPlainly(service.gateway.url, acme.text)

const action = '/console/sessions/new'
const usual = { kind: 'desktop', popup_blocker: 'yes', pdf_viewer: 'yes' }
const filled = {
  ...{ kind: 'headless', initial_url: 'https://example.com/a?b=c', tags: 'shop, "two"' },
  ...{ max_duration: '30', idle_timeout: '5', width: '1440', height: '800', pdf_viewer: 'yes' },
  ...{ proxy_server: 'http://proxy.example:3128', proxy_password: 'the password', evaluate: 'yes' },
  ...{ tracing: 'yes' },
  deny: '*.ads.example\nb.example',
}

t.test('a form sent as it is makes a session with all defaults, once', async (t) => {
  const page = await one.get(action)
  const done = await one.submit(page, action, usual)
  t.equal(done.path, `/console/sessions/${made[0]!.id}?told=session-created`)
  t.match(textOf(done), /The session is running/)
  const again = await one.submit(page, action, usual)
  t.equal(again.path, done.path)
  t.equal(made.length, 1, 'sent twice, it is made once')
  t.match(made[0]!, { tenant: 'acme', options: { headless: false, maxDurationMinutes: 20 } })
  t.notOk(made[0]!.options.network)
})

t.test('every field becomes an option', async (t) => {
  await one.submit(await one.get(action), action, filled)
  t.match(made.at(-1)!.options, {
    ...{ headless: true, initialUrl: 'https://example.com/a?b=c', tags: ['shop', '"two"'] },
    ...{ maxDurationMinutes: 30, idleTimeoutMinutes: 5, viewport: { width: 1440, height: 800 } },
    proxy: { server: 'http://proxy.example:3128', password: 'the password' },
    network: { deny: ['*.ads.example', 'b.example'] },
    ...{
      tracing: true,
      evaluate: true,
      popupBlocker: false,
      pdfViewer: true,
      disableWebSecurity: false,
    },
  })
})

t.test('how the browser is set up', async (t) => {
  await one.submit(await one.get(action), action, {
    ...{ kind: 'headless', device: 'Pixel 7', locale: 'de-AT', timezone: 'Europe/Vienna' },
    ...{ geolocation: '48.21, 16.37', permissions: 'geolocation, camera', dark: 'yes' },
    ...{ ignore_https_errors: 'yes', deny_downloads: 'yes', user_agent: 'Mine/1' },
    ...{ block_ads: 'yes', block_images: 'yes', mask: 'yes', hidden: '.name, .iban td' },
  })
  t.match(made.at(-1)!.options, {
    viewport: { width: 412, height: 839 },
    setup: {
      ...{ device: { name: 'Pixel 7', mobile: true }, locale: 'de-AT', timezone: 'Europe/Vienna' },
      geolocation: { latitude: 48.21, longitude: 16.37 },
      permissions: [{ name: 'geolocation' }, { name: 'camera', setting: 'granted' }],
      ...{ colorScheme: 'dark', userAgent: 'Mine/1' },
      ...{ ignoreHttpsErrors: true, deniesDownloads: true },
      block: { ads: true, trackers: true, images: true },
      mask: { selectors: ['.name, .iban td'] },
    },
  })
  const page = await one.get(`/console/sessions/${made.at(-1)!.id}`)
  t.match(textOf(page), 'Set up as Pixel 7; de-AT; Europe/Vienna; at 48.21, 16.37; dark colours')
  const wrong = { ...usual, device: 'Abacus', geolocation: 'here' }
  const refused = await one.submit(await one.get(action), action, wrong)
  t.match(textOf(refused), /must be a known device/)
  t.match(refused.html, /<details[^>]* open[^>]*>\s*<summary[^>]*>\s*Place and device/)
})

t.test('the code is that of the form, without its passwords', async (t) => {
  const page = await one.get(action)
  t.match(unescaped(page.html), 'curl -X POST https://browsers.example/v1/sessions')
  t.match(unescaped(page.html), 'service-api-key: $TROUPE_KEY')
  const shown = await one.submit(page, action, { ...filled, preview: 'yes' })
  t.match(
    unescaped(shown.html),
    '"deny": ["*.ads.example", "b.example"]'.replaceAll(': ', ':').replace(', ', ','),
  )
  t.match(unescaped(shown.html), 'PROXY_PASSWORD')
  t.notMatch(shown.html, 'the password')
  t.equal(made.length, 3, 'nothing was made')
})

t.test('what is wrong is told at its field, with what was typed', async (t) => {
  const page = await one.get(action)
  const wrong = await one.submit(page, action, {
    ...usual,
    initial_url: 'nonsense',
    max_duration: '90',
  })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong), /There is a problem/)
  t.match(wrong.html, /value="nonsense"/)
  const long = await one.submit(wrong, action, { ...usual, max_duration: '90' })
  t.match(textOf(long), /at most 60 minutes/)
})

t.test('lines of code quote what a form may contain', async (t) => {
  const body = { session: { tags: ["it's", '"quoted"'] }, browser: { evaluate: { active: true } } }
  const facts = { origin: 'http://h', body, usesDevKey: true }
  const [curl, playwright, , python] = creationLines(facts).map(({ text }) => text)
  t.match(
    curl,
    `'{"session":{"tags":["it'\\''s","\\"quoted\\""]},"browser":{"evaluate":{"active":true}}}'`,
  )
  t.match(playwright, "'service-api-key': 'dev-local-key'")
  t.match(python, '"active": True,')
  t.notMatch(python, 'import os')
  t.same(
    attachLines('ws://h/?apiKey=k').map(({ name }) => name),
    ['playwright', 'puppeteer', 'playwright-python'],
  )
})
