/**
 * Goal: a task's question is shown in the live view of its session; the viewer in control answers,
 * the others see it, and it disappears for all once answered. Method: a scripted model that asks,
 * the page in a real browser.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { isAccessible } from '../../helpers/browser/accessible.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { call, inTurn } from '../../helpers/models/answers.ts'
import { createSession } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

const site = await serveWebPage(`<title>Account</title>
  <button onclick="document.title = 'Deleted'">Delete account</button>`)
t.teardown(() => site.close())
const { model, service } = await startTaskService(t)
const { rest } = service
const driver = await launchChromium()
t.teardown(() => driver.close())
const desk = await driver.newContext({ viewport: { width: 1000, height: 700 } })

interface Minted {
  readonly data: { readonly live_view_url: string }
}
interface Task {
  readonly data: { readonly id: string; readonly state: string; readonly result?: object }
}
const tasks = '/v1/tools/perform-web-task'

/** A task in its own session, with one viewer who only looks and one in control. */
async function begin() {
  const session = await createSession(rest)
  const body = {
    prompt: 'Do what is to be done.',
    url: site.url,
    async: true,
    human_intervention: true,
    allow_private_network: true,
    final_check: false,
  }
  const control = await openView(session.live_view_url)
  const minted = await rest<Minted>('POST', `/v1/sessions/${session.id}/live-tokens`, {})
  const looker = await openView(minted.body.data.live_view_url)
  const started = await rest<Task>('POST', `${tasks}?sessionId=${session.id}`, body)
  const { id } = started.body.data
  const task = async () => (await rest<Task>('GET', `${tasks}/${id}`)).body.data
  const end = async () => {
    await Promise.all([control.close(), looker.close()])
    await rest('DELETE', `/v1/sessions/${session.id}`)
  }
  return { session, control, looker, task, end }
}

async function openView(url: string): Promise<Page> {
  const view = await desk.newPage()
  await view.goto(url)
  await view.waitForSelector('body[data-state=connected]')
  return view
}

const isAsked = (view: Page) => view.waitForSelector('#question', { state: 'visible' })
const isGone = (view: Page) => view.waitForSelector('#question', { state: 'hidden' })

t.test('a question: all see it, the viewer in control answers in words', async (t) => {
  let answered = ''
  model.answerWith(
    inTurn(call('ask_human', { question: 'Which size?' }), ({ user }) => {
      answered = user
      return call('done', { success: true, answer: 'Done.' })
    }),
  )
  const { session, control, looker, task, end } = await begin()
  await Promise.all([isAsked(control), isAsked(looker)])
  t.equal(await control.textContent('#question-title'), 'The task has a question')
  t.match(await control.textContent('#question-text'), /Which size\?/)
  t.equal(await control.evaluate('document.activeElement.tagName'), 'CANVAS', 'takes no keyboard')
  t.ok(await looker.isHidden('#question-form'))
  t.match(await looker.textContent('#question-note'), /waiting for someone with control/)
  await isAccessible(t, control, 'a question')
  await isAccessible(t, looker, 'a question to somebody who looks')

  const question = await rest<{ data: { requests: { id: string; task_id: string }[] } }>(
    'GET',
    `/v1/sessions/${session.id}/agent/requested-human-intervention`,
  )
  const [asked] = question.body.data.requests
  const socket = await LiveSocket.open(looker.url())
  const words = { task_id: asked!.task_id, question_id: asked!.id, text: 'Mine' }
  socket.tell({ type: 'answer', id: 1, ...words })
  await until('who only looks is told no', () => socket.told.some(({ type }) => type === 'failed'))
  socket.close()

  const late = await openView(session.live_view_url)
  await isAsked(late)
  await control.fill('#question-answer', 'Medium')
  await control.press('#question-answer', 'Enter')
  await Promise.all([isGone(control), isGone(looker), isGone(late)])
  await until('the task is over', async () => (await task()).state === 'completed')
  t.match(answered, /Medium/)
  t.notMatch(answered, /Mine/)
  await late.close()
  await end()
})

t.test('a confirmation: first refused, then allowed', async (t) => {
  const refOf = (text: string) =>
    /(e\d+)[^\n]*Delete account|Delete account[^\n]*?(e\d+)/.exec(text)
  const remove = ({ user }: { readonly user: string }) => {
    const [, before, after] = refOf(user.slice(user.indexOf('# Page'))) ?? []
    return call('click', { target: before ?? after ?? 'e0' })
  }
  const done = call('done', { success: true, answer: 'Done.' })
  model.answerWith(inTurn(remove, remove, done))
  const { session, control, task, end } = await begin()
  const client = await connectPlaywright(session.cdp_url)
  const title = () => client.contexts()[0]!.pages()[0]!.title()
  await isAsked(control)
  t.equal(await control.textContent('#question-title'), 'The task wants to delete something')
  await isAccessible(t, control, 'a confirmation')
  const first = await control.textContent('#question-text')
  t.match(first, /Delete account/)
  await control.fill('#question-answer', 'Not yet')
  await control.press('#question-answer', 'Enter')
  t.ok(await control.isVisible('#question'), 'ending a line allows nothing')
  await control.click('#question-refuse')
  await until('it asks again', async () => {
    const { data } = (
      await rest<{ data: { requests: object[] } }>('GET', '/v1/sessions/pending-interventions')
    ).body
    return data.requests.length === 1 && (await control.inputValue('#question-answer')) === ''
  })
  t.equal(await title(), 'Account')
  await isAsked(control)
  await control.click('#question-agree')
  await isGone(control)
  await until('the task is over', async () => (await task()).state === 'completed')
  t.equal(await title(), 'Deleted')
  await client.close()
  await end()
})
