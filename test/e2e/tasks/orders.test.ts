/**
 * Goal: an order's options take effect: the session it gets and what happens to it, its first page,
 * pictures, the form of its result, several acts at once. Method: the scripted model follows its
 * script, and its prompts are read.
 */
import t from 'tap'
import { call, callAll, type ModelScript } from '../../helpers/models/answers.ts'
import { HeldModel } from '../../helpers/models/held-model.ts'
import {
  clickOn,
  finish,
  goTo,
  obeying,
  onThing,
  refOf,
  type Step,
} from '../../helpers/models/obeying.ts'
import { createSession, headless } from '../../helpers/service/service.ts'
import { serveTasks, type TaskRun } from '../../helpers/pages/task-pages.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'

const pages = await serveTasks(t)
const { model, tasks } = await startTaskService(t)
const { rest } = tasks

const orderOf = (run: TaskRun, more: object = {}) => ({
  prompt: run.goal,
  url: run.url,
  allow_private_network: true,
  final_check: false,
  ...more,
})

/** The result of the task, and the prompts of its model. */
async function work(run: TaskRun, more: object, ...steps: readonly Step[]) {
  model.answerWith(obeying(...steps))
  const before = model.exchanges.length
  const id = await tasks.start(orderOf(run, { session_options: headless, ...more }))
  const task = await tasks.ended(id)
  const asked = model.exchanges.slice(before).map(({ request }) => request)
  return { task, asked, steps: await tasks.steps(id) }
}

interface SessionDetails {
  readonly id: string
  readonly status: string
  readonly headless: boolean
  readonly user_configuration: { readonly session: { readonly timeout: object } }
}
async function sessionOf(id: string): Promise<SessionDetails> {
  const { body } = await rest<{ data: { sessions: SessionDetails[] } }>(
    'GET',
    '/v1/sessions?sort_order=desc&limit=50',
  )
  return body.data.sessions.find((session) => session.id === id)!
}

t.test('a session made for a task is a desktop that lasts as long as the task', async (t) => {
  const held = new HeldModel(finish())
  model.answerWith(held.script)
  const id = await tasks.start(orderOf(pages.run('injected'), { timeout_seconds: 3 * 3_600 }))
  const asked = await held.next()
  const own = (await tasks.get(id)).session_id!
  const { status, headless, user_configuration } = await sessionOf(own)
  t.match({ status, headless }, { status: 'running', headless: false })
  const { max_duration: minutes } = user_configuration.session.timeout as { max_duration: number }
  t.ok(minutes >= 180, `${minutes} minutes`)
  asked.letGo()
  t.match(await tasks.ended(id), { status: 'COMPLETED' })
  await until('it has ended', async () => (await sessionOf(own)).status === 'completed')
})

t.test('a session that is kept has the ordered form, and is free for other clients', async (t) => {
  const run = pages.run('injected')
  const { task } = await work(run, { keep_session: true }, finish())
  t.match(task, { status: 'COMPLETED' })
  t.match(await sessionOf(task.session_id!), { status: 'running', headless: true })
  model.answerWith(obeying(onThing('type', 'textbox "Your name"', { text: 'Ada' }), finish()))
  const { prompt } = orderOf(run)
  const next = await tasks.start({ prompt, final_check: false }, task.session_id)
  t.match(await tasks.ended(next), { status: 'COMPLETED' })
  const [step] = await tasks.steps(next)
  t.match(step, { page: { url: run.url }, actions: [{ outcome: 'done' }] }, 'on the page it is on')
  t.equal((await sessionOf(task.session_id!)).status, 'running', 'it was given to the second')
  await rest('DELETE', `/v1/sessions/${task.session_id}`)
})

t.test('an address that is not opened first is told to the model', async (t) => {
  const run = pages.run('injected')
  const sign = [onThing('type', 'textbox "Your name"', { text: 'Ada' }), clickOn('button "Sign"')]
  const order = { directly_open_url: false }
  const { task, asked } = await work(run, order, goTo(run.url), ...sign, finish())
  t.match(task, { status: 'COMPLETED' })
  t.match(asked[0]!.user, `begins at ${run.url}, which is not opened`)
  t.match(asked[0]!.user, /^url: about:blank$/m)
  t.ok(run.isSolved())
})

t.test('an internal address is refused with how to allow it', async (t) => {
  const run = pages.run('injected')
  const order = orderOf(run, { allow_private_network: false })
  await t.rejects(tasks.start(order), /400 .*private address.*allow_private_network: true/)
})

t.test('an address that fails to open is reported to the model', async (t) => {
  const nowhere = { url: 'http://127.0.0.1:1/' }
  const { task, asked } = await work(pages.run('injected'), nowhere, finish(false, 'It is down.'))
  t.match(task, { status: 'COMPLETED', result: { success: false } })
  t.match(asked[0]!.user, /# Notices\n.*The page http:\/\/127.0.0.1:1\/ did not open: ./)
})

const looking = [call('find', { text: 'book' }), call('screenshot', {}), finish()] as const

t.test('pictures: on request or when needed, always, or never', async (t) => {
  const shown = { auto: [0, 0, 1], always: [1, 1, 1], never: [0, 0, 0] } as const
  for (const [vision, counts] of Object.entries(shown)) {
    const { asked, steps } = await work(pages.run('injected'), { vision }, ...looking)
    t.same(
      asked.map(({ pictures }) => pictures.length),
      counts,
      vision,
    )
    const canLook = asked[0]!.tools.some(({ name }) => name === 'screenshot')
    t.equal(canLook, vision !== 'never')
    t.equal(steps[1]!.actions[0]!.outcome, canLook ? 'done' : 'refused')
    const drawn = await work(pages.run('canvas'), { vision }, finish())
    t.equal(drawn.asked[0]!.pictures.length, vision === 'never' ? 0 : 1, `${vision}, a drawing`)
  }
})

t.test('a picture is no larger than a model takes, however large the page is', async (t) => {
  const browser = { ...headless.browser, viewport: { width: 2_400, height: 1_200 } }
  const more = { vision: 'always', session_options: { browser } }
  const { asked } = await work(pages.run('injected'), more, finish())
  const [, base64 = ''] = asked[0]!.pictures[0]!.split(',')
  t.same(sizeOf(Buffer.from(base64, 'base64')), { width: 1_440, height: 720 })
})

/** The size of a JPEG, from its first frame header. */
function sizeOf(jpeg: Buffer) {
  let at = 2
  while (jpeg[at + 1]! !== 0xc0 && jpeg[at + 1]! !== 0xc2) at += 2 + jpeg.readUInt16BE(at + 2)
  return { width: jpeg.readUInt16BE(at + 7), height: jpeg.readUInt16BE(at + 5) }
}

const output_schema = {
  type: 'object',
  properties: { entries: { type: 'integer' } },
  required: ['entries'],
  additionalProperties: false,
}
const count = (entries: unknown) => call('done', { success: true, result: { entries } })

t.test('a result that does not fit its schema is repaired once, then fails', async (t) => {
  const run = pages.run('injected')
  const repaired = await work(run, { output_schema }, count('many'), count(1))
  t.match(repaired.task, { status: 'COMPLETED' })
  t.same(repaired.task.result, { entries: 1 })
  t.match(repaired.asked[1]!.user, /# Notices\n[^#]*entries/)
  const failed = await work(run, { output_schema }, count('many'), count('several'), count(1))
  t.match(failed.task, { status: 'FAILED', reason: 'bad_result', error: /output_schema.*entries/ })
  t.equal(failed.asked.length, 2)
})

/** All of it in one answer, each act on the first element whose line begins so. */
const atOnce =
  (...acts: readonly (readonly [tool: string, begins: string, more?: object])[]): ModelScript =>
  (request) =>
    callAll(
      acts.map(([name, begins, more]) => ({
        name,
        arguments: { target: refOf(request, begins), ...more },
      })),
    )

t.test('of several acts the rest is dropped once the page has changed', async (t) => {
  const ada = ['type', 'textbox "Your name"', { text: 'Ada' }] as const
  const whole = pages.run('injected')
  const { steps } = await work(whole, {}, atOnce(ada, ['click', 'button "Sign"']), finish())
  t.match(steps[0]!.actions, [{ outcome: 'done' }, { outcome: 'done' }])
  t.ok(whole.isSolved(), 'as long as it is the same, all are done')

  const movedBy = {
    copy: atOnce(
      ['type', 'textbox "Code"', { text: 'wrong' }],
      ['click', 'link "Go to the door"'],
      ['click', 'button "Open"'],
    ),
    'new-tab': atOnce(
      ['type', 'textbox "Entry code"', { text: 'wrong' }],
      ['click', 'link "the rules"'],
      ['click', 'button "Enter"'],
    ),
    dialogs: atOnce(
      ['hover', 'button "Open the garage"'],
      ['click', 'button "Open the garage"'],
      ['click', 'button "Open the garage"'],
    ),
  }
  for (const [name, acts] of Object.entries(movedBy)) {
    const run = pages.run(name)
    const { steps } = await work(run, {}, acts, finish(false, 'So it is.'))
    t.same(
      steps[0]!.actions.map(({ outcome }) => outcome),
      ['done', 'done', 'dropped'],
      name,
    )
    t.notOk(run.told.some(({ type }) => type === 'wrong' || type === 'submit'))
  }
})

t.test('the final check reads the page as it is then', async (t) => {
  const run = pages.run('injected')
  const signing: ModelScript = (request) =>
    callAll([
      { name: 'type', arguments: { target: refOf(request, 'textbox "Your name"'), text: 'Ada' } },
      { name: 'click', arguments: { target: refOf(request, 'button "Sign"') } },
      { name: 'done', arguments: { success: true, answer: 'Signed.' } },
    ])
  const { task, asked } = await work(run, { final_check: true }, signing)
  t.match(task, { status: 'COMPLETED', result: { success: true }, steps: 1 })
  const [before, check] = asked.map(({ user }) => user)
  t.notMatch(before, 'Thank you, Ada.')
  t.match(check, /# Goal\nSign the guest book[^]*# Page[^]*Thank you, Ada\./)
})

t.test('a session is free of its task’s network restrictions afterwards', async (t) => {
  const run = pages.run('injected')
  const session = await createSession(rest)
  const outcomes: number[] = []
  const go = async () => {
    const to = { url: run.url }
    const { status } = await rest('POST', `/v1/sessions/${session.id}/goto`, to)
    outcomes.push(status)
  }
  const held = new HeldModel(obeying(goTo(run.url), finish(false, 'Out of reach.')))
  model.answerWith(held.script)
  const id = await tasks.start({ prompt: run.goal }, session.id)
  await held.next()
  await go()
  held.letAllGo()
  t.match(await tasks.ended(id), { status: 'COMPLETED', result: { success: false } })
  const [step] = await tasks.steps(id)
  t.match(step!.actions, [{ outcome: 'refused', text: /private address/ }])
  await go()
  t.same(outcomes, [422, 200])
  await rest('DELETE', `/v1/sessions/${session.id}`)
})

t.test('no request was one that a strict provider refuses', async (t) => {
  t.same(model.problems, [])
})
