/**
 * Goal: a session that was logged in yesterday is logged in today: its storage state can be read,
 * given to another session at its creation, and replaced in one that runs. Method: the whole service,
 * a site with a login, and Playwright's own storageState as the judge.
 */
import t, { type Test } from 'tap'
import type { StorageState } from '../../../proto/session/storage-state.ts'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import { logIn, titled } from '../../helpers/sites/member-login.ts'
import { serveMemberSite } from '../../helpers/sites/member-site.ts'
import { createSession, startService, type ErrorJson } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())
const site = await serveMemberSite()
t.teardown(() => site.close())

interface StateAnswer {
  readonly data: StorageState & { readonly omitted: readonly string[] }
  readonly error: ErrorJson & { readonly field?: string }
}

const pathOf = (id: string) => `/v1/sessions/${id}/storage-state`
const empty = { cookies: [], origins: [] }

async function stateOf(id: string, query = '?indexed_db=true') {
  const { status, body } = await service.rest<StateAnswer>('GET', pathOf(id) + query)
  if (status === 200) return body.data
  throw new Error(`${status} ${body.error.message}`)
}

const put = (id: string, state: object) => service.rest<StateAnswer>('PUT', pathOf(id), state)

async function create(t: Test, session: object = {}, active = true) {
  const made = await createSession(service.rest, { session, browser: { headless: { active } } })
  t.teardown(() => service.rest('DELETE', `/v1/sessions/${made.id}`))
  const browser = await connectPlaywright(made.cdp_url)
  t.teardown(() => browser.close())
  const context = browser.contexts()[0]!
  return { ...made, browser, context, page: context.pages()[0]! }
}

/** As a file has it, with its origins in the order of their names. */
const sorted = ({ cookies, origins }: StorageState): StorageState => ({
  cookies: cookies.toSorted((a, b) => a.domain.localeCompare(b.domain)),
  origins: origins
    .toSorted((a, b) => a.origin.localeCompare(b.origin))
    .map(({ localStorage, ...rest }) => ({
      ...rest,
      localStorage: localStorage.toSorted((a, b) => a.name.localeCompare(b.name)),
    })),
})

/** An error's stack and the ids of containers are Playwright's own. */
const comparable = (state: StorageState) =>
  JSON.parse(JSON.stringify(sorted(state), (key, value) => (key === 'id' ? 0 : value)))

for (const active of [true, false]) {
  const how = active ? 'headless' : 'headful'
  t.test(`a login goes from one session to the next, ${how}`, async (t) => {
    const first = await create(t, {}, active)
    await logIn(first.page, site, 'ada')
    await logIn(first.page, { origin: site.otherOrigin }, 'eve')
    await first.page.goto('about:blank')
    const pages: string[] = []
    first.context.on('page', (page) => pages.push(page.url()))
    const before = site.visits.length

    const { omitted, ...state } = await stateOf(first.id)
    t.same(omitted, [])
    t.same(pages, [], 'clients notice nothing')
    t.equal(site.visits.length, before, 'nor does the site')
    t.match(
      state.origins.map(({ origin }) => origin).sort(),
      [site.origin, site.otherOrigin].sort(),
    )

    const next = await create(t, { storage_state: state, initial_url: site.origin }, active)
    await titled(next.page, 'Welcome ada')
    const tab = await next.context.newPage()
    await tab.goto(site.otherOrigin)
    await titled(tab, 'Welcome eve')
    t.equal(await tab.evaluate('askWorker()'), 'eve', 'a worker sees it')
    t.same(comparable(await stateOf(next.id)), comparable(state), 'it is the same state again')
    const { body } = await service.rest<{ data: { configuration: { session: object } } }>(
      'GET',
      `/v1/sessions/${next.id}`,
    )
    t.match(body.data.configuration.session, { storage_state: true, initial_url: site.origin })
  })
}

t.test('Playwright reads what Troupe wrote, and Troupe what Playwright wrote', async (t) => {
  const first = await create(t)
  await logIn(first.page, site, 'ada')
  // Playwright writes neither values with cycles nor an item of this name.
  await first.page.evaluate('forgetLog(1).then(() => localStorage.removeItem("length"))')
  const theirs = (await first.context.storageState({ indexedDB: true })) as StorageState
  const ours = await stateOf(first.id)
  t.same(comparable(ours), comparable(theirs))
  const next = await create(t)
  t.equal((await put(next.id, theirs)).status, 200)
  const again = (await next.context.storageState({ indexedDB: true })) as StorageState
  t.same(again.cookies, theirs.cookies)
  await next.page.goto(site.origin)
  await titled(next.page, 'Welcome ada')
  t.same(
    comparable((await next.context.storageState({ indexedDB: true })) as StorageState),
    comparable(theirs),
  )
})

t.test('a new state takes the place of the old one, under pages that are open', async (t) => {
  const { id, page, context } = await create(t)
  await logIn(page, site, 'ada')
  const other = await context.newPage()
  await logIn(other, { origin: site.otherOrigin }, 'eve')
  const state = await stateOf(id)
  const onlyEve = {
    cookies: state.cookies.filter(({ domain }) => domain === 'localhost'),
    origins: state.origins.filter(({ origin }) => origin === site.otherOrigin),
  }
  t.equal(onlyEve.cookies.length, 1)
  t.match(await put(id, onlyEve), { status: 200, body: { data: { status: 'success' } } })
  t.same(comparable(await stateOf(id)), comparable(onlyEve))
  t.equal(await page.evaluate('localStorage.length'), 0, 'an open page has lost it too')
  await page.goto(site.origin)
  await titled(page, 'Log in')
  t.equal((await put(id, empty)).status, 200)
  const left = await stateOf(id)
  t.same(left.cookies, [])
  t.notMatch(JSON.stringify(left.origins), /token of/)
})

t.test('what the browser does not take is refused, and nothing is lost', async (t) => {
  const { id, page } = await create(t)
  await logIn(page, site, 'ada')
  const state = await stateOf(id)
  const good = { name: 'a', value: '1', domain: 'example.com', path: '/' }
  const bad = { ...good, name: '__Host-b', domain: '.example.com' }
  const storing = (origin: string, value = 'v') => ({
    origins: [{ origin, localStorage: [{ name: 'n', value }] }],
  })
  const refusals: readonly (readonly [object, RegExp, object])[] = [
    [{ cookies: [good, bad] }, /__Host-b/, { field: 'cookies.1' }],
    [{ cookies: [{ ...good, domain: 'no domain' }] }, /example\.com/, {}],
    [{ cookies: [{ ...good, name: '__Secure-a' }] }, /__Secure-a/, { field: 'cookies.0' }],
    [{ cookies: [{ name: 'a', value: 'b' }] }, /domain/, {}],
    [storing('ftp://example.com'), /https:\/\/example\.com/, {}],
    [storing('https://example.com/path'), /https:\/\/example\.com/, {}],
    [storing('https://EXAMPLE.com'), /as browsers write it/, {}],
    [{ origins: [...storing(site.origin).origins, ...storing(site.origin).origins] }, /once/, {}],
  ]
  for (const [given, message, details] of refusals) {
    const { status, body } = await put(id, given)
    t.equal(status, 400, JSON.stringify(given))
    t.match(body.error, { message, ...details })
  }
  const twice = { value: { id: 1, name: 'a' } }
  const keys = { name: 'keys', keyPath: 'id', autoIncrement: false, records: [twice, twice] }
  const byName = { name: 'byName', keyPath: 'name', multiEntry: false, unique: true }
  const withStore = (store: object) => ({
    cookies: [good],
    origins: [{ origin: site.origin, indexedDB: [{ name: 'x', version: 1, stores: [store] }] }],
  })
  const unfit: readonly (readonly [object, RegExp])[] = [
    [
      { ...keys, indexes: [byName], records: [twice, { value: { id: 2, name: 'a' } }] },
      /Constraint/,
    ],
    [{ ...keys, indexes: [], keyPath: undefined }, /DataError/],
    [{ ...keys, indexes: [], records: [{ valueEncoded: { zz: 1 } }] }, /no known kind/],
  ]
  for (const [store, message] of unfit) {
    const { status, body } = await put(id, withStore(store))
    t.equal(status, 400)
    t.match(body.error, { message, origin: site.origin })
  }
  const large = await put(id, storing(site.origin, 'x'.repeat(5_300_000)))
  t.match(large, { status: 400, body: { error: { message: /at most 5242880 characters/ } } })
  t.same(comparable(await stateOf(id)), comparable(state))

  const created = await service.rest<StateAnswer>('POST', '/v1/sessions', {
    session: { tags: ['refused'], storage_state: { cookies: [bad] } },
    browser: { headless: { active: true } },
  })
  t.equal(created.status, 400)
  t.match(created.body.error, { field: 'session.storage_state.cookies.0' })
  const ended = () =>
    service.rest<{ data: { sessions: readonly { status: string; reason: string }[] } }>(
      'GET',
      '/v1/sessions?tags=refused',
    )
  await until('it has ended', async () => {
    const [session] = (await ended()).body.data.sessions
    return session?.status === 'completed' && session.reason === 'start_failed'
  })
  const task = await service.rest<StateAnswer>('POST', '/v1/tools/perform-web-task', {
    prompt: 'look',
    session_options: { session: { storage_state: empty } },
  })
  t.match(task, { status: 400, body: { error: { message: /create the session first/ } } })
})

t.test('pages that were closed count, and frames of the same site; others do not', async (t) => {
  const { id, page, context, browser } = await create(t)
  const closed = await context.newPage()
  await logIn(closed, site, 'ada')
  await closed.close()
  // Another port is another origin of the same site.
  const neighbour = await serveMemberSite()
  t.teardown(() => neighbour.close())
  const framed = encodeURIComponent(`${neighbour.origin}/?login=bob`)
  const foreign = encodeURIComponent(`${neighbour.otherOrigin}/?login=bob`)
  for (const frame of [framed, foreign]) {
    const outer = frame === framed ? page : await context.newPage()
    await outer.goto(`${site.origin}/?frame=${frame}`)
    await titled(outer, 'Welcome ada')
    const inner = outer.frames()[1]!
    await until('it is logged in', async () => (await inner.title()) === 'Welcome bob')
  }
  const own = await browser.newContext()
  const ownPage = await own.newPage()
  await logIn(ownPage, { origin: site.otherOrigin }, 'eve')
  const state = await stateOf(id, '')
  t.same(
    new Map(
      state.origins.map(({ origin, localStorage }) => [
        origin,
        localStorage.find(({ name }) => name === 'token')!.value,
      ]),
    ),
    new Map([
      [neighbour.origin, 'token of bob'],
      [site.origin, 'token of ada'],
    ]),
  )
  t.match(state.cookies, [{ name: /^member/, domain: '127.0.0.1', httpOnly: true }])
  await own.close()
})

t.test('a page that shows a dialog, or has a service worker, is no hindrance', async (t) => {
  const { id, page } = await create(t)
  await logIn(page, site, 'ada')
  await page.evaluate('hijack()')
  page.on('dialog', () => undefined)
  const asking = page.evaluate('confirm()').catch(() => undefined)
  const state = await stateOf(id, '')
  t.match(state.origins, [{ origin: site.origin }])
  t.match(state.origins[0]!.localStorage, [{ value: /ada/ }])
  await service.rest('DELETE', `/v1/sessions/${id}`)
  await asking
})

t.test('a session with restricted domains has the same state', async (t) => {
  const storage_state = {
    cookies: [],
    origins: [
      { origin: 'https://denied.example', localStorage: [{ name: 'a', value: 'b' }] },
      { origin: 'http://plain.example', localStorage: [{ name: 'c', value: 'd' }] },
    ],
  }
  const network = { allow: ['127.0.0.1'], allow_private: true }
  const { id } = await create(t, { network, storage_state })
  t.same(sorted(await stateOf(id, '')), sorted(storage_state))
})

t.test('what no file can hold is told, and a trace has none of it', async (t) => {
  const made = await createSession(service.rest, {
    browser: { headless: { active: true }, tracing: { active: true } },
  })
  const client = await connectPlaywright(made.cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  await page.goto(site.origin)
  await titled(page, 'Log in')
  await page.evaluate(`localStorage.setItem('half', '\\ud800')`)
  await page.evaluate(`localStorage.setItem('nul', 'a\\0')`)
  await page.evaluate('keepKey()')
  const { omitted } = await stateOf(made.id)
  t.match(omitted.toSorted(), [
    `${site.origin}, database crypto, store keys: 1 records with CryptoKey`,
    /local storage, half/,
    /local storage, nul/,
  ])
  const secret = { name: 'secret', value: 'value-of-the-cookie', domain: '127.0.0.1', path: '/' }
  t.equal((await put(made.id, { cookies: [secret] })).status, 200)
  await stateOf(made.id)
  const trace = await fetch(`${service.baseUrl}/v1/sessions/${made.id}/trace?format=jsonl`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
  const lines = await trace.text()
  t.match(lines, /set_storage_state/)
  t.notMatch(lines, /value-of-the-cookie/)
  await client.close()
  const raw = await connectRaw(made.cdp_url)
  const { cookies } = await raw.send<{ cookies: object[] }>('Storage.getCookies')
  t.match(cookies, [{ name: 'secret' }], 'a raw client has it')
  raw.close()
  await service.rest('DELETE', `/v1/sessions/${made.id}`)
})
