/**
 * Goal: what a session's set-up cannot be is refused with words that say what it can be, and what is
 * secret in it is stored sealed and shown to nobody. Method: the creation body and its options.
 */
import t from 'tap'
import {
  openOptions,
  sealOptions,
  withoutSecrets,
} from '../../../../actors/session/claiming/option-secrets.ts'
import { validateInput } from '../../../../gateway/routing/schemas/validate.ts'
import {
  permissionNames,
  setupConfiguration,
} from '../../../../proto/session/setup/browser-setup.ts'
import { devices } from '../../../../proto/session/setup/devices.ts'
import { sessionCreateBody, sessionOptions } from '../../../../proto/session/session.ts'
import type { SessionInput } from '../../../../proto/session/session-protocol.ts'
import { setupShapeOf } from '../../../../node-agent/browser/setup/setup-shape.ts'
import { plainShape, shapeKey, shapeOf } from '../../../../node-agent/browser/shape.ts'

const headless = { active: true }
const narrow = 'must be at least 500 on a desktop; set browser.headless.active for a narrower page.'
const zone = 'must be a time zone of the IANA database, such as Europe/Berlin.'
const optionsOf = (browser: object) => sessionOptions(sessionCreateBody.parse({ browser }))

const secret = 'browser.extra_http_headers'
const masks = 'browser.sensitive_data_mask.'
const refusedPatterns = [
  ['(', 'must be a regular expression'],
  ['\\p{L}\\-', 'must be a regular expression'],
  ['a*', 'cannot match the empty text'],
  ['\\p{L}*', 'cannot match the empty text'],
  ['(?<=a)b', 'cannot have lookarounds or backreferences, which take unbounded time'],
  ['(a)\\1', 'cannot have lookarounds or backreferences, which take unbounded time'],
] as const
const refused: readonly (readonly [browser: object, message: string])[] = [
  [
    { headless, device: 'Abacus' },
    'browser.device must be a known device: iPhone 15, Pixel 7, iPad Pro 11, Galaxy S24, Desktop ' +
      `Chrome or one of ${devices.size - 5} others.`,
  ],
  [{ headless, device: { width: 800 } }, 'browser.device.height is required.'],
  [{ headless, device: { width: 100, height: 800 } }, 'browser.device.width must be at least 200.'],
  [{ device: 'iPhone 15' }, `browser.viewport.width ${narrow}`],
  [{ viewport: { width: 400 } }, `browser.viewport.width ${narrow}`],
  [{ locale: 'de_DE' }, 'browser.locale must be a language tag such as de-DE.'],
  [{ locale: 'german' }, 'browser.locale must be a language tag such as de-DE.'],
  [{ timezone: 'Berlin' }, `browser.timezone ${zone}`],
  [{ timezone: '+02:00' }, `browser.timezone ${zone}`],
  [
    { geolocation: { latitude: 91, longitude: 0 } },
    'browser.geolocation.latitude must be at most 90.',
  ],
  [
    { permissions: ['telepathy'] },
    `browser.permissions.0 must be ${permissionNames.map((name) => `"${name}"`).join(' or ')}.`,
  ],
  [
    { permissions: [{ name: 'camera' }] },
    'browser.permissions.0.setting must be "granted" or "denied".',
  ],
  [{ user_agent: 'a\r\nX-Y: z' }, 'browser.user_agent must be printable ASCII.'],
  [
    { extra_http_headers: { Host: 'a.example' } },
    `${secret}.Host cannot be a header that the browser sets itself.`,
  ],
  [
    { extra_http_headers: { Cookie: 'a=1' } },
    `${secret}.Cookie cannot be a header that the browser sets itself.`,
  ],
  [{ extra_http_headers: { 'X-A': 'a\nb' } }, `${secret}.X-A must be printable ASCII.`],
  [{ extra_http_headers: { 'X A': 'b' } }, `${secret}.X A must be the name of a header.`],
  [
    { http_credentials: { origin: 'https://a.example/x', username: 'u', password: 'p' } },
    'browser.http_credentials.origin must be an origin, without a path.',
  ],
  [
    { http_credentials: { origin: 'https://a.example', username: 'u:v', password: 'p' } },
    'browser.http_credentials.username cannot contain a colon.',
  ],
  [{ color_scheme: 'sepia' }, 'browser.color_scheme must be "light" or "dark".'],
  [
    { block: { urls: ['||*.example'] } },
    'browser.block.urls.0 must be a pattern such as ||ads.example^ or */banner/*.',
  ],
  [{ block: { hosts: ['a b'] } }, 'browser.block.hosts.0 must be a host such as ads.example.'],
  [
    { sensitive_data_mask: { custom_selectors: ['p'] } },
    `${masks}active must be true for a mask, or false for none.`,
  ],
  [
    { sensitive_data_mask: { active: true, custom_selectors: ['p::before'] } },
    `${masks}custom_selectors.0 must select elements, whose ::before and ::after are hidden with them.`,
  ],
  [
    { sensitive_data_mask: { active: true, site_selectors: { 'a b': ['p'] } } },
    `${masks}site_selectors.a b must be a host such as bank.example.`,
  ],
  ...refusedPatterns.map(
    ([regex, why]) =>
      [
        { sensitive_data_mask: { active: true, custom_patterns: [{ regex }] } },
        `${masks}custom_patterns.0.regex ${why}.`,
      ] as const,
  ),
  [{ downloads: 'ask' }, 'browser.downloads must be "allow" or "deny".'],
]

t.test('what is refused, in the words of REST', async (t) => {
  for (const [browser, message] of refused) {
    t.throws(() => validateInput(sessionCreateBody, { browser }, 'body'), { message })
  }
})

t.test('an unknown device is answered with those that are alike', async (t) => {
  const body = { browser: { headless, device: 'iphone15' } }
  t.throws(() => validateInput(sessionCreateBody, body, 'body'), { message: /: iPhone 15, / })
})

t.test('a session that asks for nothing is as it was', async (t) => {
  const options = optionsOf({ headless })
  t.notOk('setup' in options)
  t.strictSame(shapeOf(options), plainShape)
  t.equal(shapeKey(shapeOf(options)), 'plain')
})

t.test('a device sets the size of the page, unless another is asked for', async (t) => {
  const device = 'iPad Pro 11'
  t.match(optionsOf({ device }), { viewport: { width: 834, height: 1194 } })
  const smaller = optionsOf({ device, viewport: { width: 700 } })
  t.match(smaller.viewport, { width: 700, height: 1194 })
  t.match(setupShapeOf(smaller)?.device, { width: 700, scale: 2, touch: true })
  t.match(shapeOf(smaller).desktop, { scale: 2 })
})

t.test('what can be set on a running browser is no reason for another one', async (t) => {
  const options = optionsOf({
    ...{ headless, permissions: ['geolocation'], geolocation: { latitude: 1, longitude: 2 } },
    ...{ downloads: 'deny', extra_http_headers: { 'X-A': 'b' }, color_scheme: 'light' },
    disable_dialogs: { active: true },
  })
  t.equal(shapeKey(shapeOf(options)), 'plain')
  t.match(options.setup, { geolocation: { accuracy: 0 }, headerNames: ['X-A'] })
})

t.test('adblock is the name of the contract for blocking ads', async (t) => {
  t.strictSame(optionsOf({ adblock: { active: true } }).setup, { block: { ads: true } })
  t.notOk(optionsOf({ adblock: { active: false }, block: { ads: false } }).setup)
})

t.test('what a session shows of it makes an equal session', async (t) => {
  const options = optionsOf({
    ...{ device: 'iPad Pro 11', locale: 'de-AT', timezone: 'Europe/Vienna', user_agent: 'A/1' },
    ...{ color_scheme: 'dark', reduced_motion: 'reduce', downloads: 'deny', webgl: false },
    disable_dialogs: { active: true },
    sensitive_data_mask: {
      active: true,
      custom_selectors: ['.name'],
      site_selectors: { 'bank.example': ['.iban', 'p'] },
      custom_patterns: [{ regex: 'a+', mask: 'b' }],
    },
    block: { ads: true, hosts: ['a.example'], urls: ['/b/'] },
    ...{ ignore_https_errors: true, geolocation: { latitude: 1, longitude: 2 } },
    permissions: ['camera', { name: 'midi', origin: 'https://a.example', setting: 'denied' }],
  })
  t.strictSame(optionsOf(setupConfiguration(options.setup!)), options)
  const values = optionsOf({ device: { width: 600, height: 800, scale: 2, mobile: true } })
  t.strictSame(optionsOf(setupConfiguration(values.setup!)), values)
})

t.test('what is secret is sealed where it is stored, and shown to nobody', async (t) => {
  const sealer = {
    seal: (text: string) => Buffer.from(text).toString('base64'),
    open: (text: string) => Buffer.from(text, 'base64').toString(),
  }
  const origin = 'https://intra.example'
  const options = optionsOf({
    extra_http_headers: { 'X-Token': 'hunter2' },
    http_credentials: { origin, username: 'clerk', password: 'swordfish' },
  })
  const input = { id: 'ses_1', options } as SessionInput
  const stored = sealOptions(sealer, input).options
  t.notMatch(JSON.stringify(stored), /hunter2|swordfish/)
  t.strictSame(openOptions(sealer, 'ses_1', stored), options)
  for (const each of [stored, options]) {
    const shown = withoutSecrets(each)
    t.notMatch(JSON.stringify(shown), /hunter2|swordfish|secret/i)
    t.strictSame(setupConfiguration(shown.setup!), {
      http_credentials: { origin, username: 'clerk' },
      extra_http_headers: { 'X-Token': null },
    })
  }
})
