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
import { setupConfiguration } from '../../../../proto/session/browser-setup.ts'
import { sessionCreateBody, sessionOptions } from '../../../../proto/session/session.ts'
import type { SessionInput } from '../../../../proto/session/session-protocol.ts'
import { setupShapeOf } from '../../../../node-agent/browser/setup/setup-shape.ts'
import { plainShape, shapeKey, shapeOf } from '../../../../node-agent/browser/shape.ts'

const headless = { active: true }
const optionsOf = (browser: object) => sessionOptions(sessionCreateBody.parse({ browser }))

const refused: readonly (readonly [browser: object, message: RegExp])[] = [
  [{ headless, device: 'iPhone 999' }, /must be a known device: .*iPhone \d+.* others/],
  [{ headless, device: 'Abacus' }, /must be a known device: iPhone 15, Pixel 7/],
  [{ headless, device: { width: 100, height: 800 } }, />=200/],
  [{ device: 'iPhone 15' }, /must be at least 500 on a desktop; set browser\.headless/],
  [{ viewport: { width: 400 } }, /at least 500 on/],
  [{ locale: 'de_DE' }, /language tag such as de-DE/],
  [{ locale: 'german' }, /language tag/],
  [{ timezone: 'Berlin' }, /such as Europe\/Berlin/],
  [{ timezone: '+02:00' }, /such as Europe\/Berlin/],
  [{ geolocation: { latitude: 91, longitude: 0 } }, /<=90/],
  [{ permissions: ['telepathy'] }, /Invalid/],
  [{ user_agent: 'a\r\nX-Y: z' }, /printable ASCII/],
  [{ extra_http_headers: { Host: 'other.example' } }, /cannot be a header that/],
  [{ extra_http_headers: { Cookie: 'a=1' } }, /a header that the browser sets itself/],
  [{ extra_http_headers: { 'X-A': 'a\nb' } }, /printable ASCII/],
  [{ extra_http_headers: { 'X A': 'b' } }, /name of a header/],
  [{ http_credentials: { origin: 'https://a.example/x', username: 'u', password: 'p' } }, /path/],
  [{ http_credentials: { origin: 'https://a.example', username: 'u:v', password: 'p' } }, /./],
  [{ color_scheme: 'sepia' }, /light.*dark/],
  [{ downloads: 'ask' }, /allow.*deny/],
]

t.test('what is refused', async (t) => {
  for (const [browser, message] of refused) {
    const { error } = sessionCreateBody.safeParse({ browser })
    t.match(JSON.stringify(error?.issues), message, JSON.stringify(browser))
  }
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
  })
  t.equal(shapeKey(shapeOf(options)), 'plain')
  t.match(options.setup, { geolocation: { accuracy: 0 }, headerNames: ['X-A'] })
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
