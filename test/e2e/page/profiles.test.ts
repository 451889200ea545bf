/**
 * Goal: what a session with a profile was logged in to, a later one is logged in to as well, and
 * nobody else is. Method: the whole service, and a site with a login that needs a session cookie,
 * local storage, IndexedDB and a service worker.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import {
  logIn,
  profileNamed,
  profileSession,
  titled,
  type ProfileJson,
} from '../../helpers/sites/member-login.ts'
import { serveMemberSite } from '../../helpers/sites/member-site.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { startService, type ErrorJson, type Rest } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())
const site = await serveMemberSite()
t.teardown(() => site.close())

interface ProfileAnswer {
  readonly data: ProfileJson
  readonly error: ErrorJson & { readonly session_id?: string }
}

interface SaveAnswer {
  readonly data: { readonly name: string; readonly version: number }
  readonly error: ErrorJson & { readonly field?: string }
}

interface SessionAnswer {
  readonly data: { readonly status: string; readonly reason?: string; readonly profile: object }
}

const bodyOf = (profile: object, active = true) => ({
  browser: { headless: { active }, profile },
})

async function create(
  t: Test,
  profile: Parameters<typeof profileSession>[2],
  active = true,
  rest: Rest = service.rest,
) {
  const made = await profileSession(t, rest, profile, active)
  t.teardown(() => rest('DELETE', `/v1/sessions/${made.id}`))
  return made
}

const end = (id: string) => service.rest('DELETE', `/v1/sessions/${id}`)
const sessionOf = async (id: string) =>
  (await service.rest<SessionAnswer>('GET', `/v1/sessions/${id}`)).body.data
const profileOf = (name: string) => profileNamed(service.rest, name)

for (const active of [true, false]) {
  const how = active ? 'headless' : 'headful'
  t.test(`a login made just before the end is there in the next session, ${how}`, async (t) => {
    const name = `shop ${how}`
    const first = await create(t, { name, persist: true }, active)
    t.match(await profileOf(name), { status: 'in_use', in_use_by: first.id, version: 0 })
    await first.context.grantPermissions(['geolocation'], { origin: site.origin })
    await logIn(first.page, site, 'ada')
    await first.page.evaluate('offline()')
    await end(first.id)
    t.match(await sessionOf(first.id), { status: 'completed', profile: { saved_version: 1 } })
    t.match(await profileOf(name), { status: 'ready', version: 1 })

    const reader = await create(t, { name }, active)
    const { visits } = site
    await reader.page.goto(site.origin)
    await titled(reader.page, 'Welcome ada')
    const before = visits.length
    t.equal(await reader.page.evaluate('fetch("/offline").then((it) => it.text())'), 'offline')
    t.equal(visits.length, before, 'its service worker has answered')
    t.match(await sessionOf(reader.id), {
      profile: { name, persist: false, version: 1, saved_version: undefined },
    })
    await end(reader.id)
    t.match(await profileOf(name), { version: 1 }, 'a reader saves nothing')
  })
}

t.test('a client that closes the browser has its profile saved too', async (t) => {
  const first = await create(t, { name: 'closed', persist: true })
  await logIn(first.page, site, 'eve')
  const raw = await connectRaw(first.cdp_url)
  await raw.send('Browser.close').catch(() => undefined)
  // It waits for the session that is about to save.
  const next = await create(t, { name: 'closed', persist: true })
  t.match(await sessionOf(first.id), {
    ...{ status: 'completed', reason: 'browser_closed', profile: { saved_version: 1 } },
  })
  await next.page.goto(site.origin)
  await titled(next.page, 'Welcome eve')
})

t.test('one session saves a profile, and any number read it', async (t) => {
  const first = await create(t, { name: 'one', persist: true })
  await logIn(first.page, site, 'ada')
  const second = await service.rest<ProfileAnswer>(
    ...(['POST', '/v1/sessions', bodyOf({ name: 'one', persist: true })] as const),
  )
  t.match(second, { status: 409, body: { error: { type: 'conflict', session_id: first.id } } })
  t.match(second.body.error.message, first.id)
  for (const [method, path, body] of [
    ['DELETE', '/v1/profiles/one'],
    ['POST', '/v1/profiles/one/restore', { version: 1 }],
  ] as const) {
    const answer = await service.rest<ProfileAnswer>(method, path, body)
    t.match(answer, { status: 409, body: { error: { session_id: first.id } } }, method)
  }
  const waiting = create(t, { name: 'one', persist: true, wait: 60 })
  await until('it waits', async () => {
    const path = '/v1/sessions?status=starting'
    const { body } = await service.rest<{ data: { total: number } }>('GET', path)
    return body.data.total === 1
  })
  await end(first.id)
  const third = await waiting
  await third.page.goto(site.origin)
  await titled(third.page, 'Welcome ada')
  await end(third.id)
  const readers = await Promise.all([1, 2].map(() => create(t, { name: 'one' })))
  for (const { page } of readers) {
    await page.goto(site.origin)
    await titled(page, 'Welcome ada')
  }
  await logIn(readers[0]!.page, site, 'eve')
  await end(readers[0]!.id)
  t.equal((await service.rest('DELETE', '/v1/profiles/one')).status, 200, 'readers do not mind')
  await readers[1]!.page.reload()
  await titled(readers[1]!.page, 'Welcome ada')
})

t.test('a browser that crashes leaves the profile as it was', async (t) => {
  const first = await create(t, { name: 'crash', persist: true })
  await logIn(first.page, site, 'ada')
  await end(first.id)
  const second = await create(t, { name: 'crash', persist: true })
  await logIn(second.page, site, 'eve')
  const raw = await connectRaw(second.cdp_url)
  await raw.send('Browser.crash').catch(() => undefined)
  const third = await create(t, { name: 'crash', persist: true })
  t.match(await sessionOf(second.id), {
    status: 'failed',
    profile: { version: 1, problem: /browser_crashed/ },
  })
  await third.page.goto(site.origin)
  await titled(third.page, 'Welcome ada')
})

t.test('a session that goes on is saved as it is at that moment', async (t) => {
  const first = await create(t, { name: 'now', persist: true })
  const save = (id: string, body: object) =>
    service.rest<SaveAnswer>('POST', `/v1/sessions/${id}/profile/save`, body)
  await first.context.grantPermissions(['geolocation'], { origin: site.origin })
  await logIn(first.page, site, 'ada')
  await first.page.evaluate('offline().then(() => (globalThis.mark = 42))')
  t.match(await save(first.id, {}), { status: 200, body: { data: { name: 'now', version: 1 } } })
  t.equal(await first.page.evaluate('globalThis.mark'), 42, 'the page has not noticed')
  const other = await save(first.id, { name: 'elsewhere' })
  t.match(other.body.data, { name: 'elsewhere', version: 1 })
  const raw = await connectRaw(first.cdp_url)
  await raw.send('Browser.crash').catch(() => undefined)
  const next = await create(t, { name: 'now', persist: true })
  t.match(await sessionOf(next.id), { profile: { version: 1 } })
  await next.page.goto(site.origin)
  await titled(next.page, 'Welcome ada')
  const offline = 'fetch("/offline").then((it) => it.text())'
  t.equal(await next.page.evaluate(offline), 'offline', 'with its service worker')

  await next.context.clearCookies()
  await next.page.evaluate('localStorage.clear()')
  t.match((await save(next.id, {})).body.data, { version: 2 })
  const made = { name: 'copy', source: 'session', session_id: next.id }
  t.equal((await service.rest('POST', '/v1/profiles', made)).status, 200)
  t.equal((await service.rest('POST', '/v1/profiles', made)).status, 409)
  t.match(await profileOf('copy'), { status: 'ready', version: 1 })
  for (const name of ['now', 'copy']) {
    const { page } = await create(t, { name })
    await page.goto(site.origin)
    await titled(page, 'Log in')
    t.equal(await page.evaluate('localStorage.length'), 0, 'what was removed is not there again')
  }
  const plain = await create(t, { name: 'elsewhere' })
  const refused = await save(plain.id, {})
  t.match(refused, { status: 400, body: { error: { field: 'name' } } })
  t.match(await save(plain.id, { name: 'now' }), { status: 409 })
  const nobody = { name: 'none', source: 'session', session_id: 'ses_none' }
  t.equal((await service.rest('POST', '/v1/profiles', nobody)).status, 404)
  t.equal((await service.rest('GET', '/v1/profiles/none')).status, 404)
})

t.test('an earlier version can be made the newest again', async (t) => {
  const names = ['ada', 'eve', 'mia', 'zoe']
  for (const name of names) {
    const { id, page } = await create(t, { name: 'many', persist: true })
    await logIn(page, site, name)
    await end(id)
  }
  const { versions } = await profileOf('many')
  t.same(
    versions.map(({ version }) => version),
    [4, 3, 2],
    'the oldest one is gone',
  )
  const path = '/v1/profiles/many/restore'
  t.match(await service.rest('POST', path, { version: 1 }), { status: 404 })
  t.match(await service.rest('POST', path, { version: 2 }), {
    body: { data: { version: 5, versions: [{ version: 5, restored_from: 2 }] } },
  })
  const { page } = await create(t, { name: 'many' })
  await page.goto(site.origin)
  await titled(page, 'Welcome eve')
})

t.test('what is stored is noise, and goes with the profile', async (t) => {
  const folder = join(service.dataDir, 'blobs')
  const blobs = () => readdirSync(folder).filter((name) => name.startsWith('blb_'))
  const before = blobs()
  const { id, page } = await create(t, { name: 'sealed', persist: true })
  await logIn(page, site, 'ada')
  await end(id)
  const [made, ...more] = blobs().filter((name) => !before.includes(name))
  t.same(more, [])
  const bytes = readFileSync(join(folder, made!))
  for (const word of ['token of ada', 'ada', 'Preferences', 'ustar']) {
    t.notOk(bytes.includes(word) && word.length > 3, `it does not have ${word}`)
  }
  t.match(await profileOf('sealed'), { size_bytes: bytes.length })
  await service.rest('DELETE', '/v1/profiles/sealed')
  await until('its blob is removed', () => !blobs().includes(made!))
})

t.test('a profile of another tenant is one that does not exist', async (t) => {
  const { id } = await create(t, { name: 'mine', persist: true })
  await end(id)
  const { rest: stranger } = await newKey(service, 'stranger')
  const asks = [
    ['GET', '/v1/profiles/mine'],
    ['DELETE', '/v1/profiles/mine'],
    ['POST', '/v1/profiles/mine/restore', { version: 1 }],
    ['POST', '/v1/sessions', bodyOf({ name: 'mine' })],
    ['GET', '/v1/profiles'],
  ] as const
  const answers = async () =>
    Promise.all(
      asks.map(async ([method, path, body]) => {
        const { status, body: answer } = await stranger<ProfileAnswer>(method, path, body)
        return JSON.stringify({ status, answer }).replace(/"request_id":"\w+"/, '')
      }),
    )
  const there = await answers()
  t.match(there[0], '404')
  t.match(there[4], '"count":0')
  const own = await create(t, { name: 'mine', persist: true }, true, stranger)
  t.match((await stranger<ProfileAnswer>('GET', '/v1/profiles/mine')).body.data, {
    version: 0,
    in_use_by: own.id,
  })
  t.match(await profileOf('mine'), { version: 1, status: 'ready' }, 'each tenant has its own names')
  await stranger('DELETE', `/v1/sessions/${own.id}`)
  await stranger('DELETE', '/v1/profiles/mine')
  await service.rest('DELETE', '/v1/profiles/mine')
  t.same(await answers(), there)
})

t.test('bad names and unknown profiles are refused with what to do', async (t) => {
  for (const name of ['', ' a', 'a/b', 'a\\b', 'a\u0000b', 'x'.repeat(101)]) {
    const answer = await service.rest<ProfileAnswer>('POST', '/v1/profiles', { name })
    t.equal(answer.status, 400, JSON.stringify(name))
  }
  const unknown = await service.rest<ProfileAnswer>('POST', '/v1/sessions', bodyOf({ name: 'no' }))
  t.match(unknown, { status: 404, body: { error: { message: /persist creates one/ } } })
  const made = { name: 'a b ü', description: 'of a shop' }
  t.equal((await service.rest('POST', '/v1/profiles', made)).status, 200)
  t.equal((await service.rest('POST', '/v1/profiles', made)).status, 409)
  const path = `/v1/profiles/${encodeURIComponent(made.name)}`
  t.match(await service.rest('GET', path), { body: { data: { ...made, status: 'empty' } } })
  t.equal((await service.rest('DELETE', path)).status, 200)
  t.equal((await service.rest('DELETE', path)).status, 404)
})
