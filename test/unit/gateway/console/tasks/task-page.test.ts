/**
 * Goal: the page of a task shows its steps, what it asks and what came of it, follows it while it
 * runs, and acts on it by the REST routes, for its tenant only. Method: a real gateway, a played
 * actor, and records that the test publishes.
 */
import t from 'tap'
import { keyScopeNames } from '../../../../../proto/accounts/key-scopes.ts'
import { newId } from '../../../../../proto/ids.ts'
import type { TaskQuestion, TaskView } from '../../../../../proto/task/task.ts'
import { textOf } from '../../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../../helpers/console/plain-visitor.ts'
import { EventReader } from '../../../../helpers/console/event-reader.ts'
import { PlayedRecords } from '../../../../helpers/console/played-records.ts'
import { playService, playedView } from '../../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../../helpers/gateway/played/keys.ts'
import { TaskActor } from '../../../../helpers/tasks/played-task.ts'

const acme = keyOf('acme')
const other = keyOf('other')
const admin = keyOf('operators', { scopes: keyScopeNames })
const overseer = keyOf('operators', { scopes: ['admin'] })
const records = new PlayedRecords()
const task = new TaskActor()
const service = await playService({
  keys: [acme, other, admin, overseer].map(({ record }) => record),
  env: { PUBLIC_URL: 'https://browsers.example' },
  feed: records.feed,
  task,
})
t.teardown(() => service.close())
service.views.set({ ...playedView(service.sessionId), tenant: 'acme', status: 'completed' })

const signedIn = ({ text }: { readonly text: string }) => signedInPlainly(service.gateway.url, text)

function running(more: Partial<TaskView> = {}) {
  const view: TaskView = {
    ...{ id: newId('tsk'), tenant: 'acme', keyId: 'key', keyName: 'ci', state: 'deciding' },
    ...{ createdAtMs: Date.now() - 5_000, expiresAtMs: Date.now() + 20 * 60_000 },
    ...{ prompt: 'Find the <b>cheapest</b> flight', provider: 'openai', model: 'some-model' },
    ...{ ownsSession: true, sessionId: service.sessionId, maxSteps: 200, steps: 0 },
    usage: { calls: 3, inputTokens: 2_000, cachedTokens: 500, outputTokens: 50, costUsd: 0.5 },
    ...more,
  }
  service.taskViews.set(view)
  return { view, id: view.id, path: `/console/tasks/${view.id}` }
}

const stepsOf = (html: string) => [...html.matchAll(/<li id="step-(\d+)"/g)].map(([, n]) => n)

t.test('its facts and steps: page, reason, actions, picture, tokens, cost and time', async (t) => {
  const { id, path } = running({ steps: 2, note: 'Two are alike.' })
  const screenshot = `/v1/tools/perform-web-task/${id}/steps/1/screenshot`
  await records.step(id, { screenshot, cost_usd: 0.0012, reason: '<i>It is cheap</i>' })
  await records.step(id, {
    actions: [
      {
        ...{ tool: 'type', input: { target: 'e2', text: 'Ada' }, element: 'textbox "Name" [e2]' },
        ...{ outcome: 'failed', text: 'The element is gone.', ms: 2_500 },
      },
    ],
  })
  await records.picture(id, 1, Buffer.from('a picture'))
  const one = await signedIn(acme)
  const page = await one.get(path)
  t.equal(page.status, 200)
  t.same(stepsOf(page.html), ['2', '1'])
  const text = textOf(page)
  t.match(text, /State Running The model is deciding what to do next Now Two are alike\./)
  t.match(text, /Tokens 2,000 tokens in, 500 of them cached, 50 out; the model was asked 3 times/)
  t.match(text, /Cost \$0\.5000 Duration 5 s .* Times out in (19|20) min Model openai · some-model/)
  t.match(text, /Shop https:\/\/shop\.example\/ <i>It is cheap<\/i> click button "Buy" Done 12 ms/)
  t.match(text, /type textbox "Name" text: Ada Failed 2\.5 s The element is gone\./)
  t.match(
    text,
    '1,000 tokens in, 500 of them cached, 50 out · $0.0012 · read 10 ms · decided 800 ms · acted 12 ms',
  )
  t.match(page.html, 'Find the &lt;b&gt;cheapest&lt;/b&gt; flight')
  t.match(page.html, `href="/console/sessions/${service.sessionId}"`)
  t.match(page.html, `<img src="${path}/steps/1/picture"`)
  const picture = await one.exchange('GET', `${path}/steps/1/picture`)
  t.equal(await picture.text(), 'a picture')
  t.match(picture.headers.get('content-type'), 'image/')
  t.match((await one.get(`/console/sessions/${service.sessionId}`)).html, `href="${path}"`)
})

t.test('a page has fifty steps, and leads to those before', async (t) => {
  const { id, path } = running({ steps: 120 })
  for (let n = 1; n <= 120; n++) await records.step(id)
  const one = await signedIn(acme)
  const newest = await one.get(path)
  t.same([stepsOf(newest.html)[0], stepsOf(newest.html).at(-1)], ['120', '71'])
  t.match(newest.html, `data-feed="${path}/feed?after=120"`)
  const before = await one.get(`${path}?before=71`)
  t.same([stepsOf(before.html)[0], stepsOf(before.html).at(-1)], ['70', '21'])
  t.match(before.html, `data-feed="${path}/feed"`, 'new steps are not of this page')
  const first = await one.get(`${path}?before=21`)
  t.same([stepsOf(first.html)[0], stepsOf(first.html).at(-1)], ['20', '1'])
  t.notMatch(textOf(first), 'Earlier steps')
})

t.test('a question is answered, a confirmation allowed or refused', async (t) => {
  const question: TaskQuestion = { id: 'q1', kind: 'question', text: 'Which <one>?', askedAtMs: 0 }
  const { id, path } = running({ state: 'asking', question })
  const one = await signedIn(acme)
  const page = await one.get(path)
  t.match(textOf(page), /The task asks Which <one>\?/)
  const done = await one.submit(page, `${path}/answer`, { text: 'The red one' })
  t.match(task.told.at(-2), { type: 'answer', questionId: 'q1', text: 'The red one' })
  t.match(textOf(done), /Your answer was sent to the task/)
  t.notMatch(done.html, 'Which', 'the page is as the actor says')
  const late = await one.submit(page, `${path}/answer`, { text: 'The blue one' })
  t.equal(late.status, 409)
  t.match(textOf(late), /There is a problem That is not asked/)
  for (const approve of ['yes', 'no']) {
    const asked = { ...question, kind: 'confirmation', action: 'deletion' } as const
    task.become(id, 'asking', { question: asked })
    const confirm = await one.get(path)
    t.match(textOf(confirm), /A person must allow a deletion\. The task is waiting/)
    await one.submit(confirm, `${path}/answer`, { text: '', approve })
    const told = task.told.filter(({ type }) => type === 'answer').at(-1)
    t.same(told, { type: 'answer', questionId: 'q1', approve: approve === 'yes' })
  }
})

t.test('pause, resume and cancel', async (t) => {
  const { path } = running()
  const one = await signedIn(acme)
  const paused = await one.submit(await one.get(path), `${path}/pause`)
  t.match(textOf(paused), /State Paused Until it is resumed/)
  t.notMatch(paused.html, `action="${path}/pause"`)
  const resumed = await one.submit(paused, `${path}/resume`)
  t.match(textOf(resumed), /State Running/)
  const over = await one.submit(resumed, `${path}/cancel`)
  t.match(textOf(over), /State Cancelled Stopped on request/)
  t.notMatch(over.html, /data-feed|action="[^"]*\/cancel"/)
  t.equal((await one.post(`${path}/pause`, {})).status, 403, 'without the token of the form')
})

t.test('what came of it: words, an object, or why not', async (t) => {
  const one = await signedIn(acme)
  const endedAtMs = Date.now()
  const ended = async (more: Partial<TaskView>) =>
    textOf(await one.get(running({ endedAtMs, ...more }).path))
  const words = { success: true, result: 'It is 12 €.' }
  t.match(await ended({ state: 'completed', end: 'done', result: words }), /Result It is 12 €\./)
  const price = await ended({ state: 'completed', end: 'done', result: { price: 12 } })
  t.match(price, /Result of .* UTC .*\{ "price": 12 \}/)
  const error = 'The same was tried three times.'
  t.match(await ended({ state: 'failed', end: 'loop', error }), new RegExp(error))
})

t.test('an open page is sent each new step once, and loads again at the end', async (t) => {
  const { view, id, path } = running({ steps: 1 })
  await records.step(id)
  await records.step(id, { reason: 'Published before the stream.' })
  const one = await signedIn(acme)
  const reader = new EventReader(await one.exchange('GET', `${path}/feed?after=1`))
  t.teardown(() => reader.close())
  const whole = await reader.next<Readonly<Record<string, string>>>('parts')
  t.same(Object.keys(whole), ['facts', 'controls', 'asked'])
  t.match(await reader.next<Items>('items'), {
    items: { 'step-2': /Published before the stream/ },
  })
  await records.step(id, { reason: 'While it was open.' })
  const added = await reader.next<Items>('items')
  t.same(Object.keys(added.items), ['step-3'])
  const waiting = { for: 'model', sinceMs: Date.now() } as const
  service.taskViews.set({ ...view, waiting })
  const parts = await reader.next<Readonly<Record<string, string>>>('parts')
  t.same(Object.keys(parts), ['facts'], 'a form that is the same is not sent')
  t.match(parts['facts'], /Waiting for the model/)
  service.taskViews.set({ ...view, state: 'completed', end: 'done', endedAtMs: Date.now() })
  await records.step(id, { reason: 'The last one.' })
  await records.state(id, 'completed')
  t.match((await reader.next<Items>('items')).items, { 'step-4': /The last one/ })
  await reader.next('over')
})

t.test('for others it does not exist; with admin, it is acted on for its tenant', async (t) => {
  const { id, path } = running({ steps: 1 })
  await records.step(id)
  const one = await signedIn(other)
  for (const below of ['', '/feed', '/steps/1/picture']) {
    t.equal((await one.get(path + below)).status, 404, below)
  }
  t.equal((await one.get('/console/tasks/tsk_none')).status, 404)
  const operator = await signedIn(admin)
  const page = await operator.get(path)
  t.same(stepsOf(page.html), ['1'])
  t.match(textOf(await operator.submit(page, `${path}/cancel`)), /State Cancelled/)
  const looking = await (await signedIn(overseer)).get(path)
  t.equal(looking.status, 200)
  t.match(textOf(looking), /To see the steps, you need a key with the scope tasks/)
  t.notMatch(looking.html, /action="[^"]*\/cancel"|id="step-1"/)
})

interface Items {
  readonly items: Readonly<Record<string, string>>
}
