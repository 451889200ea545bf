/**
 * Goal: no spelling of a call that Chromium understands passes unseen, and ordinary messages pass
 * unchanged. Method: the filter alone, message by message. The attack tests show what Chromium
 * makes of the spellings.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { filterCall } from '../../../../runtime/browser-host/cdp-rules/client-calls.ts'
import { guardedDomains } from '../../../../runtime/browser-host/cdp-rules/guarded-domains.ts'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { cdpRuleLimits } from '../../../../runtime/browser-host/cdp-rules/limits.ts'

const dir = '/downloads/of/this/session'

/** Where a message goes, and its text then. */
function fate(message: string | Buffer) {
  const filtered = filterCall(Buffer.from(message), { downloadsDir: dir })
  if (!filtered) return { to: 'untouched' }
  return { to: filtered.to, call: JSON.parse(filtered.message.toString()) }
}

const refused = (code: number) => ({ to: 'client', call: { error: { code } } })
const text = (method: string, params: object = {}) => JSON.stringify({ id: 1, method, params })
const nest = (message: string) => text('Target.sendMessageToTarget', { message, sessionId: 'T' })
const nested = (message: string, levels: number): string =>
  levels === 0 ? message : nest(nested(message, levels - 1))

t.test('calls that reach beyond the session are refused', async (t) => {
  for (const method of [
    'Extensions.loadUnpacked',
    'Tethering.bind',
    'Cast.enable',
    'Target.exposeDevToolsProtocol',
    'Target.setRemoteLocations',
    'PWA.launchFilesInApp',
    'SystemInfo.getInfo',
    'Browser.ofTomorrow',
    'Target.constructor',
  ]) {
    t.match(fate(text(method)), refused(-32601), method)
    t.match(fate(nest(text(method))), refused(-32601), `${method}, nested`)
  }
  const message = /'Tethering.bind' is not for clients of a session: it listens on a port/
  t.match(fate(text('Tethering.bind')).call, { id: 1, error: { message } })
})

t.test("Chromium's own pages are refused before Chromium refuses them", async (t) => {
  const { URLBlocklist: closed, URLAllowlist: open } = JSON.parse(
    readFileSync(join(packageRoot, 'runtime/browser-host/isolation/policy.json'), 'utf8'),
  ) as Record<'URLBlocklist' | 'URLAllowlist', string[]>
  const own = closed.filter((url) => !url.includes('file')).map((url) => url.replace('*', 'x'))
  t.same(own, ['chrome://x', 'devtools://x'])
  for (const method of ['Page.navigate', 'Target.createTarget']) {
    for (const url of [...own, ' Chrome://Settings/ ', 'chr\tome://gpu', 'about:version']) {
      t.match(fate(text(method, { url })), refused(-32000), `${method} ${url}`)
    }
    for (const url of [...open, 'about:blank', 'about:blank#a', 'https://a/chrome://x', 'x', 1]) {
      t.same(fate(text(method, { url })).call, JSON.parse(text(method, { url })), String(url))
    }
  }
  const message = /ERR_BLOCKED_BY_ADMINISTRATOR: Chromium's own pages are closed/
  t.match(fate(nest(text('Page.navigate', { url: own[0] }))).call, { error: { message } })
})

t.test('messages of all kinds of clients pass unchanged', async (t) => {
  for (const message of [
    text('Runtime.evaluate', { expression: '"Extensions.loadUnpacked setDownloadBehavior"' }),
    text('Runtime.evaluate', { expression: String.raw`/[\u0041-\u005a]/.test('"method"')` }),
    text('Fetch.continueRequest', { method: 'POST', url: 'http://a/?method="x"' }),
    text('Runtime.callFunctionOn', { arguments: [{ value: 'method' }, 'method'] }),
    // Go and Java write these characters as escapes, Python everything beyond ASCII.
    '{"id":1,"method":"Runtime.evaluate","params":{"expression":"a \\u003c b \\u0026 \\u00e9"}}',
    '{ "id": 1,\n "method" : "Page.enable" }',
    text('Target.attachToBrowserTarget'),
    text('Browser.getVersion'),
    'no JSON at all',
    '',
  ]) {
    t.match(fate(message), { to: 'untouched' }, message)
  }
})

/** They are parsed, and have tests of their own. */
const parsed = new Set(['createTarget', 'setDownloadBehavior', 'sendMessageToTarget'])

t.test('calls that clients need in the guarded domains pass unchanged', async (t) => {
  for (const [domain, { allowed }] of Object.entries(guardedDomains)) {
    for (const name of allowed) {
      if (parsed.has(name)) continue
      t.match(fate(text(`${domain}.${name}`)), { to: 'untouched' }, `${domain}.${name}`)
    }
  }
})

t.test('a name is recognized however it is written', async (t) => {
  const plain = text('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/etc' })
  const redirected = { to: 'browser', call: { params: { downloadPath: dir } } }
  const spelt = [
    plain,
    plain.replace('set', '\\u0073et'),
    plain.replace('Download', '\\u0044ownload').replace('B', '\\u0042'),
    plain.replace('.set', '\\u002Eset'),
    plain.replace('vior', 'vi\\u006Fr'),
    plain.replace('"method"', '"\\u006dethod"'),
    plain.replace('downloadPath', 'download\\u0050ath'),
    plain.replace('"method":', '"method" \t\r\n: \n'),
    plain.replace('"method":', `"method":${' '.repeat(200)}`),
    plain.replace('{', '{"method":"Page.enable",'),
    plain.replace('"params"', '"params":{"method":"a"},"params"'),
    `{${'"method":"a",'.repeat(cdpRuleLimits.cdpScannedPlacesMax)}${plain.slice(1)}`,
    `{"x":"${'\\\\u0041'.repeat(cdpRuleLimits.cdpScannedEscapesMax)}",${plain.slice(1)}`,
    plain.replace('Browser', 'Page'),
  ]
  for (const message of spelt) t.match(fate(message), redirected, message.slice(0, 200))
})

t.test(
  'a message that two parsers may read differently is not passed on as it was received',
  async (t) => {
    const call = text('Extensions.getExtensions')
    for (const message of [
      call.replace('"method":', '"method":\v'),
      call.replace('"method"', '"method"\f'),
      call.replace('"method":', '"method":/* */'),
      call.replace('"id"', '"a\nb":1,"id"'),
      call.replace('"id"', '"\\v":1,"id"'),
      `\uFEFF${call}`,
      `${call} x`,
      `${call.slice(0, -1)},}`,
      nest(call.replace('"method":', '"method":\v')),
      `{"a":${'['.repeat(cdpRuleLimits.cdpJsonDepth)}${']'.repeat(cdpRuleLimits.cdpJsonDepth)},${call.slice(1)}`,
    ]) {
      t.match(fate(message), refused(-32700), message.slice(0, 100))
    }
    // Sent as it was understood: with one of each key.
    const twice = text('Page.setDownloadBehavior').replace('"id"', '"method":"Extensions.x","id"')
    const sent = filterCall(Buffer.from(twice), { downloadsDir: dir })!.message.toString()
    t.equal(sent.match(/"method"/g)?.length, 1)
  },
)

t.test('a message that would take long to parse is refused', async (t) => {
  const pad = 'x'.repeat(cdpRuleLimits.cdpParsedBytes)
  t.match(fate(text('Runtime.evaluate', { expression: pad })), { to: 'untouched' })
  const escaped = text('Runtime.evaluate', { expression: pad }).replace(
    'evaluate',
    'ev\\u0061luate',
  )
  t.match(fate(escaped), { call: { error: { code: -32600, message: /32 MiB/ } } })
  const backslashes = text('Page.enable').replace('{', `{"a":"${'\\\\'.repeat(2 ** 25)}u0041",`)
  t.match(fate(backslashes), { to: 'untouched' })
})

t.test('a call nested in other calls is recognized, at any depth', async (t) => {
  const hidden = text('Extensions.getExtensions').replace('E', '\\u0045')
  for (let levels = 1; levels <= cdpRuleLimits.cdpNestedLevels; levels++) {
    t.match(fate(nested(hidden, levels)), refused(-32601), `${levels}`)
  }
  const tooDeep = nested(text('Page.enable'), cdpRuleLimits.cdpNestedLevels + 1)
  t.match(fate(tooDeep), refused(-32600))
  t.match(fate(nest(text('Page.enable'))), {
    to: 'browser',
    call: JSON.parse(nest(text('Page.enable'))),
  })
  const inner = text('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/etc' })
  const outer = nested(inner, 2).replace('Target', '\\u0054arget')
  const { message } = JSON.parse(fate(outer).call.params.message).params
  t.match(JSON.parse(message), { params: { behavior: 'allowAndName', downloadPath: dir } })
})

t.test('a call is recognized whichever letters are escaped, at whichever level', async () => {
  const escapeSome = (word: string, mask: number, upper: boolean) =>
    [...word]
      .map((letter, i) => {
        const hex = letter.charCodeAt(0).toString(16).padStart(4, '0')
        return (mask >> (i % 30)) & 1 ? `\\u${upper ? hex.toUpperCase() : hex}` : letter
      })
      .join('')
  const method = fc.constantFrom('Extensions.getExtensions', 'Target.exposeDevToolsProtocol')
  const arbitrary = [method, fc.nat(), fc.nat(), fc.boolean(), fc.nat(3)] as const
  fc.assert(
    fc.property(...arbitrary, (name, inKey, inName, upper, levels) => {
      const key = escapeSome('method', inKey, upper)
      const call = `{"id":1,"${key}":"${escapeSome(name, inName, upper)}"}`
      return fate(nested(call, levels)).to === 'client'
    }),
  )
})

t.test('extensions are those of the session, and their folders are not told', async (t) => {
  const extensions = [{ chromiumId: 'abcd', name: 'Marker', version: '1.2' }]
  const ask = (rules: object, more: object = {}) =>
    filterCall(
      Buffer.from(JSON.stringify({ id: 7, method: 'Extensions.getExtensions', ...more })),
      { downloadsDir: dir, ...rules },
    )!
  const answer = ask({ extensions }, { sessionId: 'S' })
  t.match(answer, { to: 'client', refused: undefined })
  const info = { id: 'abcd', name: 'Marker', version: '1.2', path: '', enabled: true }
  t.same(JSON.parse(answer.message.toString()), {
    ...{ id: 7, result: { extensions: [info] }, sessionId: 'S' },
  })
  t.match(JSON.parse(ask({}).message.toString()), { result: { extensions: [] } })
  t.match(fate(nest(text('Extensions.getExtensions'))), refused(-32601), 'nested: refused')
})
