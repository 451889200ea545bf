/**
 * Goal: people with a key run sessions in the console: sign in, see the list change while they look,
 * make, watch and end a session, by mouse, by keyboard and without scripts; axe-core finds nothing,
 * light and dark, and nothing is wider than a phone. Method: a real service in a real Chromium.
 */
import { text as textOf } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import t from 'tap'
import { isGood, pressTo, tabTo } from '../../helpers/access/portal/pages.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { findsEvents, skipsQuiet } from '../../helpers/console/player.ts'
import { sharesFilm } from '../../helpers/console/shared-film.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { markerZip } from '../../helpers/extensions/marker.ts'
import { uploaded } from '../../helpers/extensions/uploading.ts'
import { isRecording, isWalled } from '../../helpers/service/isolation-here.ts'
import { until } from '../../helpers/lib/until.ts'
import {
  createSession,
  headless,
  startService,
  type SessionJson,
} from '../../helpers/service/service.ts'

t.setTimeout(600_000)

const service = await startService()
t.teardown(() => service.stop())
const { baseUrl, key, rest } = service
const browser = await launchChromium()
t.teardown(() => browser.close())

const content = '<!doctype html><title>A shop</title><body style="background:teal"><h1>Shop</h1>'
const shop = `data:text/html,${encodeURIComponent(content)}`
const withShop = { ...headless, session: { initial_url: shop, tags: ['shop'] } }

/** Words of the list that take more than one line. */
const broken = `[...document.querySelectorAll('#sessions td :is(bdi, span[data-since])')]
  .filter((element) => element.getClientRects().length > 1)
  .map((element) => element.textContent)`

const rowOf = (page: Page, { id }: SessionJson) => page.locator(`#row-${id}`)
/**
 * A session's page loads itself again when its state changes. Another navigation may fail then, or what
 * it has opened may be replaced by a load that was asked for before; a blank page asks for none.
 */
async function openPath(page: Page, path: string): Promise<void> {
  for (const url of ['about:blank', `${baseUrl}/console${path}`]) {
    await until(`${url} is open`, async () => {
      await page.goto(url).catch(() => undefined)
      return page.url() === url
    })
  }
}
/** Whether the guide that a page without entries names is there. */
async function namesGuide(page: Page): Promise<boolean> {
  const href = await page.getAttribute('main a[href^="/docs/"]', 'href')
  return (await fetch(baseUrl + href!)).ok
}
const endAll = () => rest('DELETE', '/v1/sessions/all')
const dataOf = async ({ id }: SessionJson) => (await rest('GET', `/v1/sessions/${id}`)).body.data

t.test('signing in, and the pages without sessions', async (t) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${baseUrl}/console`)
  await isGood(t, page, 'the sign-in')
  await page.fill('#f-key', 'wrong')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role=alert]')
  await isGood(t, page, 'a refused key')
  await page.fill('#f-key', key)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${baseUrl}/console`)
  t.match(await page.textContent('main'), /No sessions are running/)
  await isGood(t, page, 'an empty list')
  for (const path of ['/console?show=ended', '/console?search=x', '/console/none']) {
    await page.goto(baseUrl + path)
    await isGood(t, page, path)
  }
  await context.close()
})

t.test('the list changes while somebody looks, with pictures that are no activity', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.waitForSelector('.liveness.is-live')
  const session = await createSession(rest, withShop)
  await rowOf(page, session).waitFor()
  const idleAt = (await dataOf(session)) as SessionJson & { readonly idle_expires_at?: string }
  await rowOf(page, session).locator('.picture img').waitFor({ state: 'attached' })
  await until('its page is named', async () =>
    (await rowOf(page, session).textContent())?.includes('A shop'),
  )
  const still = (await dataOf(session)) as typeof idleAt
  t.ok(idleAt.idle_expires_at)
  t.equal(still.idle_expires_at, idleAt.idle_expires_at)
  await rest('PUT', `/v1/sessions/${session.id}/tags`, { tags: ['renamed'] })
  await until('the row has its new tag', async () =>
    (await rowOf(page, session).textContent())?.includes('renamed'),
  )
  await isGood(t, page, 'a list with a session')
  for (const width of [965, 1_190]) {
    await page.setViewportSize({ width, height: 720 })
    t.same(await page.evaluate(broken), [], `names and times are whole at ${width} px`)
  }
  await rowOf(page, session).getByRole('button', { name: 'End' }).click()
  const question = page.locator(`#end-${session.id}`)
  await isGood(t, page, 'the question before a session ends')
  await question.getByRole('button', { name: 'End session' }).click()
  await page.waitForSelector('.notice.good')
  await until('it is over', async () => (await dataOf(session)).status === 'completed')
  await context.close()
})

t.test('a session is made, watched, given time and ended by keyboard', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await pressTo(page, 'a.button.main[href="/console/sessions/new"]')
  await tabTo(page, '#f-kind-0')
  await page.keyboard.press('ArrowDown')
  await tabTo(page, '#f-initial-url')
  await page.keyboard.type(shop)
  await until('the code follows the form', async () =>
    (await page.textContent('#code-shell'))?.includes('"headless":{"active":true}'),
  )
  await isGood(t, page, 'a new session')
  await pressTo(page, '.ends button.main')
  await page.waitForSelector('.notice.good')
  const id = await page.textContent('#session-id')
  const frame = page.frameLocator('.live-frame iframe')
  await frame.locator('canvas, img').first().waitFor()
  t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY', 'the focus is not taken')
  t.match(await page.textContent('.tabs'), /A shop/)
  const inspector = await context.newPage()
  await inspector.goto((await page.textContent('#inspect-0'))!)
  await until('DevTools are connected', async () => {
    await page.reload()
    return (await page.textContent('#s-log ~ table, section:has(#s-log)'))?.includes('CDP client')
  })
  await inspector.close()
  await isGood(t, page, 'a session')
  const session = { id } as SessionJson
  const before = (await dataOf(session)) as SessionJson & { readonly expires_at: string }
  await pressTo(page, 'form[action$="/extend"] button')
  const after = (await dataOf(session)) as typeof before
  t.equal(Date.parse(after.expires_at) - Date.parse(before.expires_at), 15 * 60_000)
  await page.goto(`${page.url()}&record=1`)
  await isGood(t, page, 'a session that is recorded')
  await pressTo(page, 'form[action$="/links"] button')
  t.match(await page.textContent('#new-link'), /\/live\/ses_\w+\?token=view/)
  await isGood(t, page, 'a new link')
  const links = page.locator('section', { has: page.locator('#s-links-and-tokens') })
  const linksSay = (words: RegExp) =>
    until(`the links are ${words}`, async () => {
      await page.goto(`${baseUrl}/console/sessions/${id}`)
      return words.test((await links.textContent()) ?? '')
    })
  await linksSay(/view9 min/)
  await pressTo(page, 'form[action$="/links/revoke"] button')
  await linksSay(/There are no valid links or tokens/)
  await tabTo(page, '.actions button.danger')
  await page.keyboard.press('Enter')
  await pressTo(page, `#end-${id} button.danger`)
  await until('it is over', async () => (await dataOf(session)).status === 'completed')
  // The page reloads itself when its session ends, which may interrupt another navigation.
  const open = () => page.goto(`${baseUrl}/console/sessions/${id}`).catch(() => undefined)
  await until('its page is open', open)
  await isGood(t, page, 'a session that is over')
  await context.close()
})

t.test('a profile is saved, gone back to and deleted', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  const open = (path: string) => openPath(page, path)
  await open('/profiles')
  await isGood(t, page, 'no profiles')
  t.ok(await namesGuide(page))
  for (const version of [1, 2]) {
    await open('/sessions/new?profile=shop')
    t.equal(await page.inputValue('#f-profile'), 'shop')
    await page.check('#f-persist')
    await page.check('input[value=headless]')
    if (version === 1) await isGood(t, page, 'a new session with a profile')
    await page.click('button.main:has-text("Create session")')
    t.match(await page.textContent('#facts'), /Profile\s*shop, saved when the session ends/)
    const [id] = page.url().match(/ses_\w+/)!
    await open('/profiles')
    t.match(await page.textContent('main'), /In use/)
    await rest('DELETE', `/v1/sessions/${id}`)
    await open(`/sessions/${id}`)
    t.match(await page.textContent('#facts'), `saved as version ${version}`)
  }
  await open('/profiles')
  t.match(await page.textContent('main'), /shop\s*Ready/)
  await isGood(t, page, 'a profile')
  await page.click('text=Go back to it')
  t.match(await page.textContent('.notice.good'), /newest one again/)
  t.match(await page.textContent('main'), /3, .* a copy of 1/)
  await page.click('button:has-text("Delete")')
  await page.click('button:has-text("Delete this profile")')
  t.match(await page.textContent('.notice.good'), /deleted/)
  t.match(await page.textContent('main'), /There are no profiles yet/)
  await context.close()
})

t.test('a session has an extension, which is deleted then', { skip: !isWalled }, async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/extensions`)
  t.match(await page.textContent('main'), /There are no extensions yet/)
  await isGood(t, page, 'no extensions')
  t.ok(await namesGuide(page))
  const { id } = await uploaded(service, 'marker', markerZip())
  await page.reload()
  t.match(await page.textContent('main'), /marker\s*Marker 1\.2/)
  await isGood(t, page, 'an extension')
  await page.click('text=New session')
  await page.check('input[value=headless]')
  t.ok(await page.isChecked(`input[value=${id}]`))
  await isGood(t, page, 'a new session with an extension')
  await page.click('button.main:has-text("Create session")')
  t.match(await page.textContent('#facts'), new RegExp(`Extensions\\s*${id}`))
  await endAll()
  await openPath(page, '/extensions')
  await page.click('button:has-text("Delete")')
  await page.click('button:has-text("Delete this extension")')
  t.match(await page.textContent('.notice.good'), /deleted/)
  await context.close()
})

t.test(
  'a login with a site is stored, changed and deleted, and its values are not shown',
  async (t) => {
    const { context, page } = await openConsoleIn(browser, baseUrl, key)
    await page.goto(`${baseUrl}/console/logins`)
    await isGood(t, page, 'no logins')
    t.ok(await namesGuide(page))
    await page.click('a.main:has-text("New login")')
    await isGood(t, page, 'a new login')
    await page.fill('#f-origin', 'http://shop.example')
    await page.fill('#f-password', 'blue-kettle')
    await page.click('text=Store login')
    t.match(await page.textContent('[role=alert]'), /allow_http|https/)
    t.equal(await page.inputValue('#f-password'), '', 'what was sent is not sent back')
    await page.fill('#f-origin', 'https://shop.example')
    await page.fill('#f-username', 'anna')
    await page.fill('#f-password', 'blue-kettle')
    await page.check('[name=subdomains]')
    await page.click('text=Store login')
    t.match(await page.textContent('.notice.good'), /stored/)
    t.match(
      await page.textContent('main'),
      /shop\.example.*every name below it.*username, password/s,
    )
    t.notMatch(await page.content(), /blue-kettle|anna/)
    await isGood(t, page, 'a login')
    await page.click('text=Change')
    await isGood(t, page, 'a change of a login')
    await page.fill('#f-totp', 'JBSWY3DPEHPK3PXP')
    await page.click('button:has-text("Change login")')
    t.match(await page.textContent('main'), /username, password, code/)
    await page.click('button:has-text("Delete")')
    await page.click('button:has-text("Delete this login")')
    t.match(await page.textContent('.notice.good'), /deleted/)
    await context.close()
  },
)

t.test('logins are saved to a file, and given to a new session', async (t) => {
  const session = await createSession(rest, { ...withShop, session: { tags: ['shop'] } })
  const cookie = { name: 'login', value: 'ada', domain: 'example.com', path: '/' }
  await rest('PUT', `/v1/sessions/${session.id}/storage-state`, { cookies: [cookie] })
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/sessions/${session.id}`)
  const downloading = page.waitForEvent('download')
  await page.click('text=Save to a file')
  const download = await downloading
  t.equal(download.suggestedFilename(), `logins-${session.id}.json`)
  t.match(JSON.parse(await textOf(await download.createReadStream())), { cookies: [cookie] })

  await page.click('text=New session with these logins')
  t.match(await page.textContent('.notice.good'), /has the logins of the other one/)
  const id = page.url().match(/ses_\w+/)![0]
  t.not(id, session.id)
  // Its page loads itself again once it runs.
  await page.waitForSelector('#f-profile')
  await isGood(t, page, 'a session with logins')
  const { body } = await rest<{ data: object }>('GET', `/v1/sessions/${id}/storage-state`)
  t.match(body.data, { cookies: [cookie] })
  t.match(await dataOf({ id } as SessionJson), { tags: ['shop'], status: 'running' })

  await page.fill('#f-profile', 'a/b')
  await page.click('text=Save the profile')
  t.match(await page.textContent('[role=alert]'), /slashes/)
  await page.fill('#f-profile', 'by hand')
  await page.click('text=Save the profile')
  t.match(await page.textContent('.notice.good'), /Later sessions can begin with it/)
  t.match((await rest<{ data: object }>('GET', '/v1/profiles/by%20hand')).body.data, { version: 1 })
  await rest('DELETE', '/v1/profiles/by%20hand')
  await context.close()
  await endAll()
})

t.test('a recorded session is watched when it is over', { skip: !isRecording }, async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  const session = await createSession(rest, {
    ...headless,
    session: { initial_url: shop, recording: { active: true } },
  })
  const here = `/sessions/${session.id}`
  await openPath(page, here)
  await page.frameLocator('.live-frame iframe').locator('#recorded').waitFor()
  await page.click('form[action$="/video/pause"] button')
  t.match(await page.textContent('.notice.good'), /is paused/)
  await page.click('form[action$="/video/resume"] button')
  await page.waitForSelector('form[action$="/video/pause"]')
  await isGood(t, page, 'a session that is filmed')
  await rest('POST', `/v1/sessions/${session.id}/commands/navigate`, { url: 'about:blank' })
  await page.goto('about:blank')
  const path = `/v1/sessions/${session.id}/recordings`
  interface Recorded {
    readonly data: { readonly items: readonly { readonly spans: readonly { seconds: number }[] }[] }
  }
  await until('there is something to skip', async () => {
    const { spans } = (await rest<Recorded>('GET', path)).body.data.items[0]!
    return spans.reduce((sum, { seconds }) => sum + seconds, 0) > 4
  })
  await rest('DELETE', `/v1/sessions/${session.id}`)
  // It loads itself again until the video is made.
  await openPath(page, here)
  await page.waitForSelector('#video')
  const video = (what: string) => page.evaluate(`document.querySelector('#video').${what}`)
  await until('it can be played', async () => Number(await video('readyState')) >= 1)
  t.ok(Number(await video('duration')) > 0)
  t.equal(await video('error'), null)
  const moment = page.locator('a[data-moment]').first()
  await moment.click()
  // Chromium has times in microseconds.
  const momentSeconds = Number(await moment.getAttribute('data-moment'))
  t.ok(Math.abs(Number(await video('currentTime')) - momentSeconds) < 0.01)
  const captions = await page.getAttribute('#video track', 'src')
  t.match(await page.evaluate(`fetch('${captions}').then((answer) => answer.text())`), /^WEBVTT\n/)
  await page.selectOption('#speed', '4')
  t.equal(await video('playbackRate'), 4)
  await findsEvents(t, page)
  await skipsQuiet(page, Number(await video('duration')))
  await isGood(t, page, 'a session with a video')
  const plain = await openConsoleIn(browser, baseUrl, key, { javaScriptEnabled: false })
  await plain.page.goto(`${baseUrl}${await moment.getAttribute('href')}`)
  t.match(await plain.page.getAttribute('#video', 'src'), /\/video(#t=\d+\.\d)?$/)
  await plain.context.close()
  await sharesFilm(t, page, browser)
  await page.click('[popovertarget="remove-video"]')
  await page.click('#remove-video button.danger')
  t.match(await page.textContent('.notice.good'), /was deleted/)
  t.match(await page.textContent('.empty'), /There is no video/)
  await context.close()
})

t.test('everything works without scripts', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key, { javaScriptEnabled: false })
  await page.click('text=New session')
  await page.check('text=Headless')
  await page.click('text=Update the code')
  t.match(await page.textContent('#code-shell'), '"headless":{"active":true}')
  await page.click('text=Create session')
  const id = await page.textContent('#session-id')
  await page.click('nav >> text=Sessions')
  t.match(await page.textContent('.liveness'), /Reload the page to see changes/)
  await page.locator(`#row-${id}`).getByRole('button', { name: 'End' }).click()
  await page.click(`#end-${id} >> text=End session`)
  t.match(await page.textContent('.notice.good'), /The session was ended/)
  await context.close()
  await endAll()
})

t.test('an open page of a key that is signed out leads to the sign-in', async (t) => {
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.waitForSelector('.liveness.is-live')
  await page.click('text=Sign out')
  t.match(await page.textContent('main'), /You are signed out/)
  await page.goto(`${baseUrl}/console/sessions/new`)
  t.match(page.url(), /\/console\/sign-in\?next=%2Fconsole%2Fsessions%2Fnew/)
  await context.close()
})
