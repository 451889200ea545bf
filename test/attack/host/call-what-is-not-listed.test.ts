/**
 * An attacker with a session looks for a call of CDP that nobody thought of. Method: one service,
 * the protocol that its Chromium itself tells, and every call of the guarded domains in it.
 */
import t from 'tap'
import {
  closedDomains,
  guardedDomains,
} from '../../../runtime/browser-host/cdp-rules/guarded-domains.ts'
import { createSession, startService } from '../../helpers/service/service.ts'
import { connectSpelt } from '../../helpers/gateway/spelt-cdp.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const session = await createSession(service.rest, { browser: { headless: { active: true } } })

interface Protocol {
  readonly domains: readonly {
    readonly domain: string
    readonly commands?: readonly { readonly name: string }[]
  }[]
}

const { search } = new URL(session.cdp_url)
const answer = await fetch(`${service.baseUrl}/json/protocol${search}`)
const { domains } = (await answer.json()) as Protocol
const commandsOf = (wanted: string) =>
  domains.find(({ domain }) => domain === wanted)?.commands?.map(({ name }) => name) ?? []

const cdp = await connectSpelt(session.cdp_url)
t.teardown(() => cdp.close())
const ask = (method: string, params: object = {}, sessionId?: unknown) =>
  cdp.say(JSON.stringify({ id: 1, method, params, sessionId }))

t.test('each call that is not listed is refused, with a reason', async (t) => {
  const listed = Object.entries(guardedDomains).flatMap(([domain, { allowed }]) =>
    allowed.map((name) => `${domain}.${name}`),
  )
  const known = [...Object.keys(guardedDomains), ...Object.keys(closedDomains)].flatMap((domain) =>
    commandsOf(domain).map((name) => `${domain}.${name}`),
  )
  t.ok(known.includes('Target.exposeDevToolsProtocol') && known.includes('Browser.getVersion'))
  // Answered by the service, with what the session has.
  const answered = 'Extensions.getExtensions'
  t.same((await ask(answered)).result, { extensions: [] })
  const others = known.filter((method) => !listed.includes(method) && method !== answered)
  for (const method of [...others, 'Browser.ofTomorrow', 'Target.constructor', 'IO.__proto__']) {
    const message = new RegExp(`^'${method}' is not for clients of a session: \\w.+ Leave it out.$`)
    t.match(await ask(method), { error: { code: -32601, message } }, method)
  }
})

t.test('each that is listed reaches Chromium', async (t) => {
  // With parameters that it refuses, so that none of them does anything.
  for (const [domain, { allowed }] of Object.entries(guardedDomains)) {
    for (const name of allowed.filter((name) => commandsOf(domain).includes(name))) {
      if (/^(close|crash|crashGpuProcess)$/.test(name)) continue
      const { error } = await ask(`${domain}.${name}`, { nothing: true })
      t.notMatch(error?.message ?? '', 'not for clients', `${domain}.${name}`)
    }
  }
})

t.test('a new tab leads to no DevTools window either', async (t) => {
  const url = 'devtools://devtools/bundled/inspector.html'
  const { result, error } = await ask('Target.createTarget', { url })
  t.equal(result, undefined)
  t.match(error?.message, /ERR_BLOCKED_BY_ADMINISTRATOR/)
  const { targetInfos } = (await ask('Target.getTargets')).result!
  t.match(targetInfos, [{ url: 'about:blank' }])
  t.notMatch(JSON.stringify(targetInfos), 'devtools:')
})
