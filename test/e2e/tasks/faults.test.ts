/**
 * Goal: a provider's fault either passes or ends the task with the true reason, and a task without
 * progress ends by its budgets. Method: a scripted model with every known fault.
 */
import { once } from 'node:events'
import t from 'tap'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import {
  call,
  faults,
  inTurn,
  say,
  type ModelScript,
  type ScriptedAnswer,
} from '../../helpers/models/answers.ts'
import { clickOn, finish, obeying, onThing, type Step } from '../../helpers/models/obeying.ts'
import { createSession, spawnTroupe } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { serveTasks } from '../../helpers/pages/task-pages.ts'

const pages = await serveTasks(t)
const { model, service, tasks } = await startTaskService(t)
const sessions = await Promise.all(Array.from({ length: 3 }, () => createSession(service.rest)))
/** The prompt of a task has the number of its script, so that several can run side by side. */
const scripts: ModelScript[] = []
const answer: ModelScript = (request) =>
  scripts[Number(/Script (\d+)\./.exec(request.user)?.[1])]!(request)
model.answerWith(answer)

/** Signs the guest book, with these faults on the way. */
async function sign(faulty: readonly ScriptedAnswer[], order: object = {}) {
  const run = pages.run('injected')
  const fill = onThing('type', 'textbox "Your name"', { text: 'Ada' })
  return work(run.url, [...faulty, fill, ...faulty, clickOn('button "Sign"'), finish()], order, run)
}

async function work(
  url: string,
  steps: readonly Step[],
  order: object = {},
  run = pages.run('injected'),
) {
  const n = scripts.push(obeying(...steps)) - 1
  const more = { url, allow_private_network: true, final_check: false, ...order }
  const prompt = `Sign the guest book as Ada. Script ${n}.`
  // Tasks of one session take turns, those of several run side by side.
  const id = await tasks.start({ prompt, ...more }, sessions[n % sessions.length]!.id)
  const task = await tasks.ended(id)
  const asked = model.exchanges.filter(({ request }) => request.user.includes(`Script ${n}.`))
  return { task, run, calls: asked.length, steps: await tasks.steps(id) }
}

const passing: Readonly<Record<string, ScriptedAnswer>> = {
  'a limit of rates, with its time told': faults.rateLimited({ ms: 200 }),
  'a bad gateway': faults.badGateway(),
  'an error of the server': faults.serverError(),
  'a reset before any header': faults.resetBeforeHeaders(),
  'a reset in the middle of the answer': faults.resetMidStream(),
  'an answer that ends too early': faults.endsEarly(),
  'an error in the middle of the answer': faults.errorInStream('Overloaded', 529),
  'a call that was cut': faults.cutArguments('click'),
  'an answer that ran out of tokens': faults.outOfTokens('click'),
  'no choices': faults.emptyChoices(),
  'nothing at all': faults.nothing(),
  'words instead of a call': say('I think that I should click somewhere.'),
  'a call that the provider could not read': faults.toolUseFailed(),
  'a prompt that is too long': faults.contextLength(),
}

t.test('the task goes on after', async (t) => {
  t.jobs = sessions.length
  for (const [what, fault] of Object.entries(passing)) {
    t.test(what, async (t) => {
      const { task, run, steps } = await sign([fault])
      t.equal(task.status, 'COMPLETED', task.error ?? '')
      t.ok(run.isSolved())
      const clicks = run.told.filter(({ type }) => type === 'click')
      t.equal(clicks.length, 1, 'nothing was done twice')
      t.same(
        steps.map(({ n }) => n),
        steps.map((_, i) => i + 1),
      )
    })
  }
})

t.test('after a prompt that was too long, the next one is shorter', async (t) => {
  const long = await serveFixturePages()
  t.teardown(() => long.close())
  const { task } = await work(long.url('table'), [faults.contextLength('anthropic'), finish()])
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  const [before, after] = model.exchanges.slice(-2).map(({ request }) => request.user.length)
  t.ok(after! < before!, `${before} characters, then ${after}`)
})

const ending: readonly (readonly [ScriptedAnswer, string, RegExp])[] = [
  [faults.badKey('sk-very-secret'), 'provider_auth', /key|credential/i],
  [faults.forbidden(), 'provider_auth', /./],
  [faults.modelNotFound('scripted'), 'provider_failed', /scripted/],
  [faults.quotaExhausted(), 'provider_failed', /quota|billing/i],
  [faults.badRequest('temperature is not taken'), 'provider_failed', /temperature/],
  [faults.filtered(), 'model_refused', /./],
  [faults.webPage(), 'provider_failed', /./],
]

for (const [fault, reason, words] of ending) {
  const what = 'status' in fault ? `${fault.status}` : fault.kind
  t.test(`it ends with the true reason: ${what}, ${reason}`, async (t) => {
    const { task, calls } = await work(pages.run('injected').url, [fault, fault, fault, fault])
    t.match(task, { status: 'FAILED', state: 'failed', reason, error: words })
    t.notMatch(JSON.stringify(task), 'sk-very-secret')
    t.notMatch(service.output(), 'sk-very-secret')
    t.ok(calls <= 4, `${calls} calls`)
  })
}

t.test('a provider that never recovers is given up', async (t) => {
  const { task, calls } = await work(
    pages.run('injected').url,
    [...Array(40)].map(() => say('?')),
  )
  t.match(task, { status: 'FAILED', reason: 'model_unusable' })
  t.ok(calls < 20, `${calls} calls`)
})

const forever = (...steps: readonly Step[]): readonly Step[] => Array(100).fill(steps).flat()

t.test('repeating itself is reported to the model, and then ends the task', async (t) => {
  const { url } = pages.run('slider')
  const mark = forever(clickOn('clickable "50"'))
  const { task } = await work(url, mark)
  t.match(task, { status: 'FAILED', reason: /loop|no_progress/ })
  const nudged = model.exchanges.filter(({ request }) =>
    /# Notices\n- .*(times|steps)/.test(request.user),
  )
  t.ok(nudged.length > 0, 'the model was told first')
})

t.test('only remembering facts counts as no progress', async (t) => {
  const facts = forever(call('remember', { fact: 'The sky is blue.' }))
  const { task } = await work(pages.run('injected').url, facts, { max_steps: 60 })
  t.match(task, { status: 'FAILED', reason: /loop|no_progress|max_steps/ })
})

const leafing = forever(clickOn('button "Next page"'), clickOn('button "Previous page"'))

t.test('steps, tokens, cost and time are budgets', async (t) => {
  const { url } = pages.run('pagination')
  const steps = await work(url, leafing, { max_steps: 3 })
  t.match(steps.task, { status: 'FAILED', reason: 'max_steps', steps: 3 })
  t.same(
    model.exchanges.at(-1)!.request.tools.map(({ name }) => name),
    ['done'],
    'the last step is for its end',
  )
  const tokens = await work(url, leafing, { max_tokens: 3_000 })
  t.match(tokens.task, { status: 'FAILED', reason: 'token_budget' })
  t.ok(tokens.task.usage.input_tokens < 10_000)
  const time = await work(url, [call('wait_for', { text: 'Godot' })], { timeout_seconds: 1 })
  t.match(time.task, { status: 'FAILED', state: 'timed_out', reason: 'timeout' })
  const dear = { input: 1_000, output: 10 }
  const paid = forever(call('press_key', { key: 'a' }, { usage: dear }))
  await t.rejects(work(url, paid, { max_cost_usd: 1 }), /the price of compatible is unknown/)
  await setPrice('300')
  const cost = await work(url, paid, { max_cost_usd: 1 })
  t.match(cost.task, { status: 'FAILED', reason: 'cost_budget', error: /The task cost 1\.2/ })
  t.equal(cost.calls, 4)
})

/** US dollars for a million tokens, as the operator sets them. */
async function setPrice(usd: string): Promise<void> {
  const account = ['compatible', '--base-url', model.baseUrl, '--model', 'scripted']
  const price = ['--price-in', usd, '--price-out', usd, '--no-check']
  const { dataDir } = service
  const setting = spawnTroupe(['credentials', 'set', ...account, ...price], { DATA_DIR: dataDir })
  await once(setting, 'exit')
}

t.test('a premature claim of success is checked against the goal', async (t) => {
  const verdict = call('verdict', { accomplished: false, missing: 'Nobody has signed.' })
  const script = inTurn(finish(true, 'Signed!'))
  const before = model.exchanges.length
  model.answerWith((request) => {
    return request.tools.some(({ name }) => name === 'verdict') ? verdict : script(request)
  })
  const { url } = pages.run('injected')
  const order = { prompt: 'Sign the guest book.', url, allow_private_network: true }
  const task = await tasks.ended(await tasks.start(order, sessions[0]!.id))
  t.match(task, { status: 'COMPLETED', result: { success: false } })
  const asked = model.exchanges.slice(before)
  t.ok(asked.some(({ request }) => /# Notices[^]*Nobody has signed/.test(request.user)))
  t.ok(asked.length < 12)
  model.answerWith(answer)
})

t.test('no request or script of the test itself was faulty', async (t) => {
  t.same(model.problems, [])
  t.same(pages.strayed, [])
})
