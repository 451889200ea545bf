/**
 * Goal: the form of a new task orders what its fields say, shows the line that orders the same, and
 * offers the accounts that there are. Method: a real gateway; the order is seen by the played actor.
 */
import t from 'tap'
import { keyScopeNames } from '../../../../../proto/accounts/key-scopes.ts'
import { newId } from '../../../../../proto/ids.ts'
import { textOf, unescaped } from '../../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../../helpers/console/plain-visitor.ts'
import { playService, playedView } from '../../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../../helpers/gateway/played/keys.ts'
import { TaskActor } from '../../../../helpers/tasks/played-task.ts'

const acme = keyOf('acme')
const admin = keyOf('operators', { scopes: keyScopeNames })
const task = new TaskActor()
const keys = [acme.record, admin.record]
const accounts = { AI_PROVIDER: 'groq', GROQ_API_KEY: 'groq key', OPENAI_API_KEY: 'openai key' }
const env = { PUBLIC_URL: 'https://browsers.example', ...accounts, AI_PRICES: 'openai:1/2' }
const service = await playService({ keys, env, task })
t.teardown(() => service.close())

const signedIn = ({ text }: { readonly text: string }, { gateway } = service) =>
  signedInPlainly(gateway.url, text)

const action = '/console/tasks/new'
const usual = { prompt: 'Find it', provider: 'groq', max_steps: '200', timeout_minutes: '60' }
const filled = {
  ...{ prompt: "What's the price?", url: 'https://shop.example/a?b=c', provider: 'openai' },
  ...{ model: 'some-model', allowed_domains: 'shop.example\n*.cdn.example', max_steps: '20' },
  ...{ timeout_minutes: '5', max_tokens: '50000', max_cost_usd: '0.25' },
  ...{ human_intervention: 'yes', keep_session: 'yes' },
  output_schema: '{"type":"object","properties":{"price":{"type":"number"}}}',
}

t.test('a form with a goal alone orders a task with all defaults, once', async (t) => {
  const one = await signedIn(acme)
  const page = await one.get(action)
  t.match(page.html, /<option value="groq" selected="">groq \(default\)<\/option>/)
  t.match(page.html, /<option value="openai">openai<\/option>/)
  t.notMatch(page.html, '<option value="anthropic"')
  const done = await one.submit(page, action, usual)
  const [input] = task.inputs
  t.equal(done.path, `/console/tasks/${input!.id}?told=task-started`)
  t.match(textOf(done), /Task started/)
  t.match(input, { tenant: 'acme', order: { prompt: 'Find it', provider: 'groq', maxSteps: 200 } })
  await one.submit(page, action, usual)
  t.equal(task.inputs.length, 1, 'sent twice, it is ordered once')
})

t.test('every field is part of the order', async (t) => {
  const one = await signedIn(acme)
  await one.submit(await one.get(action), action, filled)
  t.match(task.inputs.at(-1)!.order, {
    ...{ prompt: "What's the price?", url: 'https://shop.example/a?b=c', provider: 'openai' },
    ...{ model: 'some-model', allowedDomains: ['shop.example', '*.cdn.example'], maxSteps: 20 },
    ...{ timeoutMs: 300_000, tokensMax: 50_000, costMaxUsd: 0.25 },
    ...{ humanIntervention: true, keepsSession: true },
    outputSchema: { type: 'object', properties: { price: { type: 'number' } } },
  })
})

t.test('the line for a shell orders the same', async (t) => {
  const one = await signedIn(acme)
  const page = await one.get(action)
  const asked = unescaped(page.html)
  t.match(asked, 'curl -X POST https://browsers.example/v1/tools/perform-web-task')
  t.match(asked, '"provider":"groq","async":true}')
  const before = task.inputs.length
  const shown = unescaped((await one.submit(page, action, { ...filled, preview: 'yes' })).html)
  t.match(shown, `{"prompt":"What'\\''s the price?","provider":"openai",`)
  t.match(shown, '"output_schema":{"type":"object","properties":{"price":{"type":"number"}}}')
  t.match(shown, '"allowed_domains":["shop.example","*.cdn.example"],"max_steps":20')
  t.equal(task.inputs.length, before, 'nothing was ordered')
})

t.test('a task works in a session that exists, also for its tenant', async (t) => {
  const view = { ...playedView(newId('ses')), tenant: 'acme' }
  service.views.set(view)
  const operator = await signedIn(admin)
  const page = await operator.get(`${action}?session=${view.id}`)
  t.match(unescaped(page.html), `perform-web-task?sessionId=${view.id}'`)
  await operator.submit(page, action, { ...usual, session: view.id })
  t.match(task.inputs.at(-1), { tenant: 'acme', order: { sessionId: view.id } })
  const wrong = await operator.submit(page, action, { ...usual, session: newId('ses') })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong), /Session must be the id of a running session/)
})

t.test('what is wrong is told at its field, with what was typed', async (t) => {
  const one = await signedIn(acme)
  const send = async (fields: object) =>
    one.submit(await one.get(action), action, { ...usual, ...fields })
  const schema = await send({ output_schema: '{"type":' })
  t.equal(schema.status, 400)
  t.match(textOf(schema), /Output schema is not valid JSON: /)
  t.match(unescaped(schema.html), '{"type":</textarea>')
  t.match(textOf(await send({ max_steps: 'many' })), /Steps must be/)
  t.match(
    textOf(await send({ max_cost_usd: '1' })),
    /cannot be enforced: the price of groq is unknown/,
  )
  t.match(textOf(await send({ url: 'http://127.0.0.1/' })), /is a private address/)
})

t.test('without an account, the page says how to make one', async (t) => {
  const bare = await playService({ keys, env: { PUBLIC_URL: env.PUBLIC_URL }, task })
  t.teardown(() => bare.close())
  const one = await signedIn(acme, bare)
  const page = await one.get(action)
  t.match(textOf(page), /No AI provider is configured Set one with: npm run troupe -- credentials/)
  const refused = await one.submit(page, action, { prompt: 'Find it' })
  t.match(textOf(refused), /There is a problem No AI provider is configured/)
})
