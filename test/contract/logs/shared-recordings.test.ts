/**
 * Goal: a link opens one recording for somebody without a key, and nothing else, for as long as it was
 * made for. Method: the whole service and a recorded session; its page, video and captions are fetched
 * with the link and with everything that is not it.
 */
import t from 'tap'
import { videoSeconds } from '../../helpers/files/video.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const skip = !isRecording && 'sessions cannot be recorded on this machine'
const service = await startService()
t.teardown(() => service.stop())
const site = await serveWebPage('<title>Shop</title><h1>Shop</h1>')
t.teardown(() => site.close())

interface Listed {
  readonly data: {
    readonly items: readonly [
      { readonly status: string; readonly spans: readonly { readonly seconds: number }[] },
    ]
  }
}
interface LinkAnswer {
  readonly data: { readonly recording_url: string; readonly expires_at: string }
  readonly error: { readonly message: string }
}

const recorded = { session: { recording: { active: true } }, ...headless }
const recordings = (id: string, path = '') => `/v1/sessions/${id}/recordings${path}`
const tokenOf = (url: string) => new URL(url).searchParams.get('token')!

/** A recorded session of the key, on a page of its own. */
async function openRecorded({ rest }: Pick<typeof service, 'rest'>) {
  const { id } = await createSession(rest, recorded)
  const list = async () => (await rest<Listed>('GET', recordings(id))).body.data.items[0]
  const hasSeconds = (seconds: number) =>
    until(`it has ${seconds} s`, async () => ((await list()).spans[0]?.seconds ?? 0) >= seconds)
  await hasSeconds(1)
  await rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: site.url })
  await hasSeconds(3)
  const link = async (body: object = {}) =>
    (await rest<LinkAnswer>('POST', recordings(id, '/primary/links'), body)).body.data.recording_url
  const end = async () => {
    await rest('DELETE', `/v1/sessions/${id}`)
    await until('its video is made', async () => (await list()).status === 'ready')
  }
  return { id, link, end }
}

interface Audited {
  readonly data: { readonly entries: readonly object[] }
}

/** The first time that a link of the session was opened, from the audit. */
async function firstOpened(id: string): Promise<object> {
  const admin = await newKey(service, 'operator', '--scopes', 'admin')
  const path = `/v1/audit?session_id=${id}&action=recording.open`
  const found = await until('it is in the audit', async () => {
    const { entries } = (await admin.rest<Audited>('GET', path)).body.data
    return entries.length > 0 && entries
  })
  return found.at(-1)!
}

/** The page, the video and the captions of a link: their statuses. */
const statusesOf = async (url: string) => {
  const part = (name: string) => fetch(url.replace('?', `/${name}?`))
  const answers = [await fetch(url), await part('video'), await part('captions')]
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  return answers.map(({ status }) => status)
}

t.test('it opens the page, the video and its captions', { skip }, async (t) => {
  const { id, link, end } = await openRecorded(service)
  const url = await link()
  const early = await fetch(url)
  t.equal(early.status, 200)
  t.match(await early.text(), /The session still runs/)
  t.match(await firstOpened(id), { outcome: 'done', address: '127.0.0.1', tenant: 'default' })
  t.equal((await fetch(url.replace('?', '/video?'))).status, 404)
  await end()

  const page = await fetch(url)
  const html = await page.text()
  t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'.*media-src 'self'/)
  t.equal(page.headers.get('referrer-policy'), 'no-referrer')
  t.equal(page.headers.get('cache-control'), 'no-store')
  t.match(html, /<video[^>]* src="\/recordings\/[^"]*\/video\?token=[^"]+"/)
  t.match(html, new RegExp(`navigate.*${new URL(site.url).host}`, 's'))
  const env = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key }
  const printed = await runTroupe(['sessions', 'share', id, '--minutes', '5'], env)
  t.same(await statusesOf(printed.stdout.trim()), [200, 200, 200], printed.stderr)
  const inFrame = await fetch(await link({ frame_ancestors: ['https://app.example'] }))
  t.match(inFrame.headers.get('content-security-policy'), /frame-ancestors https:\/\/app\.example;/)

  const video = await fetch(url.replace('?', '/video?'))
  t.ok(videoSeconds(Buffer.from(await video.arrayBuffer())) > 1)
  const part = await fetch(url.replace('?', '/video?'), { headers: { range: 'bytes=0-9' } })
  t.match(part, { status: 206 })
  t.equal((await part.arrayBuffer()).byteLength, 10)
  const captions = await (await fetch(url.replace('?', '/captions?'))).text()
  t.match(captions, /^WEBVTT\n[^]*navigate: http/)

  // Who did it is the business of those with a key.
  const all = await fetch(`${service.baseUrl}${recordings(id, '/primary/captions')}`, {
    headers: { 'service-api-key': service.key },
  })
  t.match(await all.text(), /navigate: http.*\(/)
  t.notMatch(captions, /navigate: http.*\(/)
})

t.test('it opens nothing else, and ends', { skip }, async (t) => {
  const key = await newKey(service, 'filming', '--scopes', 'sessions,drive,files,view')
  const [one, other] = [await openRecorded(key), await openRecorded(service)]
  const url = await one.link()
  const token = tokenOf(url)
  const good = [200, 200, 200]
  const refused = [401, 401, 401]

  for (const path of ['', '/pages', '/recordings', '/downloads', '/recordings/primary/fetch']) {
    const headers = { 'service-api-key': token }
    const answer = await fetch(`${service.baseUrl}/v1/sessions/${one.id}${path}`, { headers })
    t.equal(answer.status, 401, `as a key for ${path}`)
  }
  const live = (id: string) => `${service.baseUrl}/live/${id}/state?token=${token}`
  t.equal((await fetch(live(one.id))).status, 401, 'the live view')
  const { body } = await key.rest<{ data: { live_view_url: string } }>(
    'GET',
    `/v1/sessions/${one.id}`,
  )
  const liveToken = tokenOf(body.data.live_view_url)
  await one.end()
  await other.end()

  t.same(await statusesOf(url), good)
  t.same(await statusesOf(url.replace(one.id, other.id)), refused, 'another session')
  t.same(await statusesOf(url.replace(token, liveToken)), refused, 'a link to the live view')
  t.same(await statusesOf(url.replace(token, '')), refused, 'no token')
  t.same(await statusesOf(url.replace(token, `${token}x`)), refused, 'a wrong token')
  const longer = token
    .split('.')
    .with(2, (Date.now() + 9e9).toString(36))
    .join('.')
  t.same(await statusesOf(url.replace(token, longer)), refused, 'a later expiry')
  t.match(await (await fetch(url.replace(token, 'x'))).text(), /ask the person who sent it/)

  const brief = await one.link({ ttl_seconds: 10 })
  t.same(await statusesOf(brief), good)
  await until('it has expired', async () => (await fetch(brief)).status === 401)
  t.same(await statusesOf(brief), refused)

  const viewer = await newKey(service, 'viewer', '--scopes', 'view')
  for (const [rest, id, body, status] of [
    [viewer.rest, other.id, {}, 403],
    [key.rest, other.id, {}, 404],
    [key.rest, one.id, { ttl_seconds: 1 }, 400],
    [key.rest, one.id, { frame_ancestors: ['*'] }, 400],
    [key.rest, one.id, { minutes: 5 }, 400],
  ] as const) {
    t.equal((await rest('POST', recordings(id, '/primary/links'), body)).status, status)
  }

  await key.rest('DELETE', `/v1/sessions/${one.id}/tokens`)
  await until('it is revoked, after the end as well', async () => (await fetch(url)).status === 401)
  const next = await one.link()
  t.same(await statusesOf(next), good)
  await key.rest('DELETE', recordings(one.id, '/primary'))
  t.same(await statusesOf(next), [404, 404, 404], 'the recording is deleted')
  t.match(await (await fetch(next)).text(), /was removed/)
})

t.test('it ends with its key', { skip }, async (t) => {
  const key = await newKey(service, 'leaving', '--scopes', 'sessions,drive')
  const { link, end } = await openRecorded(key)
  const url = await link()
  await end()
  t.equal((await fetch(url)).status, 200)
  await troupeOf(service, 'keys', 'revoke', key.id)
  await until('the link is refused', async () => (await fetch(url)).status === 401)
})
