/**
 * Goal: people run tasks in the console: order one in the form, watch its steps come, answer what it
 * asks, pause and cancel it, by keyboard and without scripts; axe-core finds nothing, light and dark,
 * and nothing is wider than a phone. Method: a real service in a real Chromium, with a scripted model
 * that holds its answers.
 */
import type { Page } from 'playwright-core'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { isGood, pressTo, tabTo } from '../../helpers/access/portal/pages.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { openConsoleIn } from '../../helpers/console/signing-in.ts'
import { until } from '../../helpers/lib/until.ts'
import { call } from '../../helpers/models/answers.ts'
import { HeldModel } from '../../helpers/models/held-model.ts'
import { clickOn, finish, obeying, onThing } from '../../helpers/models/obeying.ts'
import { serveTasks } from '../../helpers/pages/task-pages.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

t.setTimeout(600_000)

const pages = await serveTasks(t)
const { model, service, tasks } = await startTaskService(t)
const { baseUrl, key } = service
const browser = await launchChromium()
t.teardown(() => browser.close())

const fillIn = onThing('type', 'textbox "Your name"', { text: 'Ada' })
const order = (url: string) => ({
  ...{ prompt: 'Sign the guest book as Ada.', url, allow_private_network: true },
  ...{ human_intervention: true, final_check: false },
})
const idIn = async (page: Page) => (await page.textContent('#task-id'))!
const says = (page: Page, selector: string, words: RegExp) =>
  until(`${selector} says ${words}`, async () =>
    words.test((await page.locator(selector).textContent()) ?? ''),
  )

t.test('a task is ordered by keyboard, watched, answered and done', async (t) => {
  const held = new HeldModel(
    obeying(
      call('ask_human', { question: 'Who signs?' }),
      fillIn,
      clickOn('button "Sign"'),
      finish(true, 'Ada has signed.'),
    ),
  )
  model.answerWith(held.script)
  const run = pages.run('injected')
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.click('nav >> text=Tasks')
  t.match(await page.textContent('main'), /There are no tasks yet/)
  await isGood(t, page, 'an empty list of tasks')
  await pressTo(page, 'a.button.main[href="/console/tasks/new"]')
  await tabTo(page, '#f-prompt')
  await page.keyboard.type('Sign the guest book as Ada.')
  await tabTo(page, '#f-url')
  await page.keyboard.type(run.url)
  for (const box of ['#f-human-intervention-0', '#f-allow-private-network-0']) {
    await tabTo(page, box)
    await page.keyboard.press('Space')
  }
  await until('the code follows the form', async () =>
    (await page.textContent('#code-shell'))?.includes('"human_intervention":true'),
  )
  await isGood(t, page, 'a new task')
  await pressTo(page, '.ends button.main')
  await page.waitForSelector('.liveness.is-live')
  await says(page, '#facts', /Waiting for the model/)
  await isGood(t, page, 'a task that waits for its model')
  held.letAllGo()
  await page.waitForSelector('#asked textarea')
  t.match(await page.textContent('#asked'), /The task asks\s*Who signs\?/)
  await isGood(t, page, 'a task that asks')
  await tabTo(page, '#f-text')
  await page.keyboard.type('Ada, of course')
  await page.evaluate("document.querySelector('#facts').dataset.old = 'yes'")
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
  await page.waitForSelector('#facts:not([data-old])')
  t.equal(
    await page.inputValue('#f-text'),
    'Ada, of course',
    'other parts were sent meanwhile; it stays',
  )
  await pressTo(page, '#asked button.main')
  await says(page, 'main', /Result\s*Ada has signed\./)
  t.ok(run.isSolved())
  const names = await page.locator('.timeline h3').allTextContents()
  t.ok(names.length >= 3, names.join())
  t.match(names.at(-1), /^Step 1 /)
  const picture = page.locator('#step-1 img')
  await picture.scrollIntoViewIfNeeded()
  await until('its picture is shown', () =>
    page.evaluate<boolean>("document.querySelector('#step-1 img').naturalWidth > 0"),
  )
  t.equal(await page.locator('[data-feed]').count(), 0, 'nothing is followed any more')
  await isGood(t, page, 'a task that is over')
  const id = await idIn(page)
  const [trace] = await Promise.all([
    page.waitForEvent('download'),
    page.click('text=Save as HTML'),
  ])
  t.equal(trace.suggestedFilename(), `trace-${id}.html`)
  t.match(await readFile(await trace.path(), 'utf8'), '<h1>Trace of a task</h1>')
  await page.click('.up >> text=Tasks')
  await says(page, `#row-${id}`, /Completed/)
  await isGood(t, page, 'a list with a task')
  await context.close()
})

t.test('a list follows a task that others order, cancel and see in its session', async (t) => {
  const held = new HeldModel(finish())
  model.answerWith(held.script)
  const { context, page } = await openConsoleIn(browser, baseUrl, key)
  await page.goto(`${baseUrl}/console/tasks?show=active`)
  await page.waitForSelector('.liveness.is-live')
  const id = await tasks.start(order(pages.run('injected').url))
  await says(page, `#row-${id}`, /Sign the guest book/)
  await page.click(`#row-${id} a`)
  await page.waitForURL(/\/console\/tasks\/tsk_/)
  await page.waitForSelector('.liveness.is-live')
  await held.next()
  await page.click('#facts a[href*="/sessions/"]')
  await page.waitForURL(/\/console\/sessions\//)
  t.equal(await page.locator(`th a[href="/console/tasks/${id}"]`).count(), 1)
  await page.goBack()
  await page.waitForSelector('.liveness.is-live')
  await page.getByRole('button', { name: 'Cancel task' }).click()
  await isGood(t, page, 'the question before a task is cancelled')
  await page.locator('#cancel').getByRole('button', { name: 'Cancel task' }).click()
  await says(page, '#facts', /Cancelled/)
  t.match(await tasks.ended(id), { status: 'CANCELLED' })
  held.letAllGo()
  await context.close()
})

t.test(
  'a step leads to its moment in the video of its session',
  { skip: !isRecording },
  async (t) => {
    const held = new HeldModel(obeying(fillIn, clickOn('button "Sign"'), finish(true, 'Signed.')))
    model.answerWith(held.script)
    held.letAllGo()
    const { context, page } = await openConsoleIn(browser, baseUrl, key)
    const id = await tasks.start({
      ...order(pages.run('injected').url),
      session_options: {
        browser: { headless: { active: true } },
        session: { recording: { active: true } },
      },
    })
    await tasks.ended(id)
    const watch = page.locator('#step-1 .moment')
    await until('its session is over', async () => {
      await page.goto(`${baseUrl}/console/tasks/${id}`)
      return (await watch.count()) === 1
    })
    await isGood(t, page, 'a task with a video')
    await watch.click()
    await page.waitForSelector('#video')
    t.match(page.url(), /\/sessions\/ses_\w+\?at=/)
    t.match(await page.getAttribute('#video', 'src'), /#t=\d/)
    await context.close()
  },
)

t.test('everything works without scripts', async (t) => {
  const held = new HeldModel(obeying(clickOn('button "Delete all entries"'), finish(false)))
  model.answerWith(held.script)
  const run = pages.run('injected')
  const { context, page } = await openConsoleIn(browser, baseUrl, key, { javaScriptEnabled: false })
  await page.goto(`${baseUrl}/console/tasks/new`)
  await page.fill('#f-prompt', 'Tidy the guest book.')
  await page.fill('#f-url', run.url)
  await page.check('text=The task can ask a person')
  await page.check('text=Can reach private networks')
  await page.click('text=Update the code')
  t.match(await page.textContent('#code-shell'), '"prompt":"Tidy the guest book."')
  const press = (name: string) => page.getByRole('button', { name }).click()
  await press('Run task')
  t.match(await page.textContent('.notice.good'), /Task started/)
  await held.next()
  await press('Pause')
  t.match(await page.textContent('.notice.good'), /The task will pause/)
  const id = await idIn(page)
  await tasks.when(id, 'is paused', ({ state }) => state === 'paused')
  await page.goto(`${baseUrl}/console/tasks/${id}`)
  await press('Resume')
  // The request that the pause has closed is not answered, so the script begins with this one.
  const again = await held.next()
  again.letGo()
  await tasks.when(id, 'asks', ({ question }) => question !== undefined)
  await page.goto(`${baseUrl}/console/tasks/${id}`)
  t.match(await page.textContent('#asked'), /A person must allow a deletion/)
  await press('Refuse')
  const last = await held.next()
  last.letGo()
  await tasks.ended(id)
  await page.goto(`${baseUrl}/console/tasks/${id}`)
  t.match(await page.textContent('#step-1'), /Refused/)
  t.match(await page.textContent('#facts'), /Not reached/)
  t.notOk(run.told.length, 'nothing was done')
  held.letAllGo()
  await context.close()
})
