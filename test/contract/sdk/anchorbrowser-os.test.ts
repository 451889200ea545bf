/**
 * Goal: the official SDK, unmodified, drives mouse, keyboard, clipboard and files of a session: its
 * newest version, and an old one with methods that were removed later.
 */
import Anchorbrowser, { BadRequestError, UnprocessableEntityError } from 'anchorbrowser'
import OldAnchorbrowser from 'anchorbrowser-0.8.9'
import { VERSION as oldVersion } from 'anchorbrowser-0.8.9/version'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { markerZip } from '../../helpers/extensions/marker.ts'
import { inputPage } from '../../helpers/pages/input-page.ts'
import { isWalled } from '../../helpers/service/isolation-here.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

const service = await startService({ env: { POOL_HEADFUL: '1' } })
t.teardown(() => service.stop())
const site = await serveWebPage(inputPage)
t.teardown(() => site.close())

const options = { apiKey: service.key, baseURL: service.baseUrl }
const success = { status: 'success' }

interface Opened {
  readonly id: string
  readonly page: Page
  readonly top: number
  readonly sees: (what: string) => Promise<unknown>
}

/** A session of the default kind, on the input page. */
async function open(t: Test, client: Anchorbrowser | OldAnchorbrowser): Promise<Opened> {
  const { data } = await client.sessions.create({})
  const id = data!.id!
  const connection: Browser = await connectPlaywright(data!.cdp_url!)
  t.teardown(async () => {
    await connection.close()
    await client.sessions.delete(id)
  })
  t.same(await client.sessions.goto(id, { url: site.url }), success)
  const page = connection.contexts()[0]!.pages()[0]!
  const picture = await client.sessions.retrieveScreenshot(id)
  t.equal(picture.headers.get('content-type'), 'image/png')
  t.match(Buffer.from(await picture.arrayBuffer()).subarray(1, 4), Buffer.from('PNG'))
  const top = Number(picture.headers.get('x-screen-top'))
  return { id, page, top, sees: (what) => until(what, () => page.evaluate<boolean>(what)) }
}

/** The methods that both versions have. */
async function common(t: Test, client: Anchorbrowser | OldAnchorbrowser, opened: Opened) {
  const { id, top, sees } = opened
  const { sessions } = client
  const at = (x: number, y: number) => ({ x, y: y + top })
  t.same(await sessions.mouse.click(id, at(100, 30)), success)
  t.same(await sessions.keyboard.type(id, { text: 'Héllo 你好', delay: 1 }), success)
  await sees("area.value === 'Héllo 你好'")
  t.same(await sessions.keyboard.shortcut(id, { keys: ['Ctrl', 'a'], holdTime: 20 }), success)
  t.same(await sessions.keyboard.shortcut(id, { keys: ['Ctrl', 'c'] }), success)
  await until('it is copied', async () => {
    return (await sessions.clipboard.get(id)).data!.text === 'Héllo 你好'
  })
  t.same(await sessions.clipboard.set(id, { text: 'other' }), success)
  t.same(await sessions.clipboard.get(id), { data: { text: 'other' } })
  t.same(await sessions.mouse.move(id, at(500, 300)), success)
  await sees("moves.includes('500,300 0')")
  t.same(await sessions.mouse.doubleClick(id, { ...at(503, 300), button: 'left' }), success)
  await sees("events.includes('dblclick 503,300 0 true')")
  t.same(await sessions.scroll(id, { ...at(500, 300), deltaY: 3, steps: 2, useOs: true }), success)
  await sees('scrollY === 360')
  t.same(await sessions.scroll(id, { ...at(500, 300), deltaY: -50 }), success)
  await sees('scrollY === 0')
  const drag = { startX: 40, startY: 140 + top, endX: 350, endY: 160 + top }
  t.same(await sessions.dragAndDrop(id, drag), success)
  await sees("target.textContent === 'dropped source'")
}

t.test('the newest version', async (t) => {
  const client = new Anchorbrowser(options)
  const opened = await open(t, client)
  const { id, sees, page } = opened
  await common(t, client, opened)
  await page.evaluate("setTimeout(() => addButton('late'), 200)")
  const target = { selector: '#late', selectorTimeoutMs: 5_000 }
  t.same(await client.sessions.mouse.click(id, target), success)
  await sees("clicked.includes('late')")
  for (const verb of ['down', 'up']) {
    const body = { x: 600, y: 400, button: 'left' }
    t.same(await client.post(`/v1/sessions/${id}/mouse/${verb}`, { body }), success)
  }
  await sees("events.filter((e) => e.startsWith('mouseup')).length > 0")
  const nowhere = await client.sessions.mouse.click(id, {}).catch((error: unknown) => error)
  t.ok(nowhere instanceof BadRequestError)
  const goto = client.sessions.goto(id, { url: 'http://127.0.0.1:1' })
  t.ok((await goto.catch((error: unknown) => error)) instanceof UnprocessableEntityError)
})

t.test('version 0.8.9', async (t) => {
  t.equal(oldVersion, '0.8.9')
  const client = new OldAnchorbrowser(options)
  const opened = await open(t, client)
  const { id, sees, page } = opened
  await common(t, client, opened)
  await page.evaluate("area.value = '', area.focus()")
  t.same(await client.sessions.paste(id, { text: 'pasted 🎉' }), success)
  await sees("area.value === 'pasted 🎉'")
  await page.evaluate('area.select()')
  t.same(await client.sessions.copy(id), { text: 'pasted 🎉' })
  t.match(await client.sessions.listPages(id), [{ url: site.url }])
})

t.test(
  'extensions: uploaded and deleted by the old one, listed by both',
  { skip: !isWalled },
  async (t) => {
    const client = new OldAnchorbrowser(options)
    const file = new File([Uint8Array.from(markerZip())], 'marker.zip')
    const { data: made } = await client.extensions.upload({ name: 'marker', file })
    const manifest = { name: 'Marker', version: '1.2', manifest_version: 3 }
    const shown = { id: made!.id, name: 'marker', manifest, createdAt: String, updatedAt: String }
    t.match(made, shown)
    t.match(await client.extensions.retrieve(made!.id!), shown)
    t.match(await client.extensions.list(), { data: [shown] })
    t.match(await new Anchorbrowser(options).extensions.list(), { data: [shown] })
    const body = { browser: { headless: { active: true }, extensions: [made!.id!] } }
    const { data: session } = await client.sessions.create(body)
    const browser = await connectPlaywright(session!.cdp_url!)
    await until('its worker is there', () => browser.contexts()[0]!.serviceWorkers().length === 1)
    await browser.close()
    await client.sessions.delete(session!.id!)
    t.same(await client.extensions.delete(made!.id!), { data: { data: success } })
  },
)
