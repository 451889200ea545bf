/**
 * Goal: a task obeys pause, resume, answer and cancel in every state. Method: the scripted model
 * holds its answers, so each moment is chosen, not guessed.
 */
import t from 'tap'
import { call, type ModelScript } from '../../helpers/models/answers.ts'
import { HeldModel } from '../../helpers/models/held-model.ts'
import { clickOn, finish, goTo, obeying, onThing } from '../../helpers/models/obeying.ts'
import { policyModel } from '../../helpers/models/policy-model.ts'
import { until } from '../../helpers/lib/until.ts'
import { createSession } from '../../helpers/service/service.ts'
import { TaskMoments } from '../../helpers/tasks/moments.ts'
import { serveTasks } from '../../helpers/pages/task-pages.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const pages = await serveTasks(t)
const { model, service, tasks } = await startTaskService(t)
const session = await createSession(service.rest)

const fillIn = onThing('type', 'textbox "Your name"', { text: 'Ada' })
const signing = [fillIn, clickOn('button "Sign"'), finish()] as const

async function start(order: object = {}, page = 'injected') {
  const run = pages.run(page)
  const more = { url: run.url, allow_private_network: true, final_check: false, ...order }
  const id = await tasks.start({ prompt: 'Sign the guest book as Ada.', ...more }, session.id)
  return { run, id }
}

t.test('a cancel closes the model’s connection before it is confirmed', async (t) => {
  const held = new HeldModel(obeying(...signing))
  model.answerWith(held.script)
  const { id, run } = await start()
  const asked = await held.next()
  const closed = new Promise<string>((resolve) => {
    asked.request.signal.addEventListener('abort', () => resolve('connection closed'))
  })
  const cancelled = tasks.tell(id, 'cancel').then(({ state }) => state)
  t.equal(await closed, 'connection closed')
  t.match(await cancelled, /leaving|cancelled/)
  t.match(await tasks.ended(id), { status: 'CANCELLED', state: 'cancelled', reason: 'cancelled' })
  t.equal(model.exchanges.at(-1)!.outcome, 'client_gone')
  t.notOk(run.told.length, 'nothing was done')
  t.match(await tasks.tell(id, 'cancel'), { state: 'cancelled' }, 'twice is as good as once')
  const { body } = await service.rest('GET', `/v1/sessions/${session.id}`)
  t.equal(body.data.status, 'running', 'a session that was given is left')
})

t.test('a cancel while an act waits ends the task at once', async (t) => {
  model.answerWith(obeying(call('wait_for', { text: 'Godot' })))
  const { id } = await start()
  await tasks.when(id, 'acts', ({ state }) => state === 'acting')
  await tasks.tell(id, 'cancel')
  t.match(await tasks.ended(id, 5_000), { status: 'CANCELLED' })
})

t.test('a cancel takes effect at once, whatever the task is doing', async (t) => {
  const moments = new TaskMoments(tasks, pages)
  model.answerWith(moments.script)
  const { id: elsewhere } = await createSession(service.rest)
  for (const [moment, begin] of Object.entries(moments.by)) {
    const { id, run, goOn } = await begin(elsewhere)
    const { steps } = await tasks.get(id)
    const begunMs = performance.now()
    await tasks.tell(id, 'cancel')
    const task = await tasks.ended(id, 5_000)
    const ms = Math.round(performance.now() - begunMs)
    // Its work is still blocked: a cancel that waited for it would not end here.
    t.match(task, { status: 'CANCELLED', reason: 'cancelled' }, `${moment}: ${ms} ms`)
    t.ok(task.steps <= steps + 1, `${moment}: a step that was begun is told of, and no more`)
    t.equal(run.isSolved(), moment === 'checking', `${moment}: it did nothing more`)
    if (!['asking', 'paused'].includes(moment)) await goOn()
  }
  await service.rest('DELETE', `/v1/sessions/${elsewhere}`)
})

t.test('a paused task does nothing, and continues where it was', async (t) => {
  const held = new HeldModel(policyModel)
  model.answerWith(held.script)
  const { id, run } = await start()
  ;(await held.next()).letGo()
  const second = await held.next()
  await tasks.tell(id, 'pause')
  second.letGo()
  await tasks.when(id, 'is paused', ({ state }) => state === 'paused')
  t.notOk(run.isSolved())
  await tasks.tell(id, 'resume')
  held.letAllGo()
  t.match(await tasks.ended(id), { status: 'COMPLETED' })
  t.ok(run.isSolved())
  const clicks = run.told.filter(({ type }) => type === 'click')
  t.equal(clicks.length, 1)
})

t.test('a person answers a question, and the model reads it', async (t) => {
  model.answerWith(
    obeying(
      call('ask_human', { question: 'Who signs?' }),
      (request) => {
        t.match(request.user, /# Notices[^]*Who signs\?[^]*Ada, of course/)
        return fillIn(request)
      },
      ...signing.slice(1),
    ),
  )
  const { id, run } = await start({ human_intervention: true })
  const { question } = await tasks.when(id, 'asks', ({ question }) => question !== undefined)
  t.match(question, { kind: 'question', text: 'Who signs?' })
  await tasks.tell(id, 'answer', { question_id: question!.id, text: 'Ada, of course' })
  t.match(await tasks.ended(id), { status: 'COMPLETED' })
  t.ok(run.isSolved())
  await t.rejects(tasks.tell(id, 'answer', { text: 'again' }), /409|400|404/)
})

t.test('an act that cannot be undone waits for a person, who may refuse', async (t) => {
  for (const approve of [false, true]) {
    model.answerWith(obeying(clickOn('button "Delete all entries"'), finish(approve)))
    const { id, run } = await start({ human_intervention: true })
    const { question } = await tasks.when(id, 'asks', ({ question }) => question !== undefined)
    t.match(question, { kind: 'confirmation', action: 'deletion', text: /Delete all entries/ })
    t.notOk(run.told.length, 'nothing was done yet')
    await tasks.tell(id, 'answer', { approve })
    await tasks.ended(id)
    t.equal(run.told.filter(({ type }) => type === 'click').length, approve ? 1 : 0)
    const [step] = await tasks.steps(id)
    t.equal(step!.actions[0]!.outcome, approve ? 'done' : 'refused')
  }
})

const receipt = { name: 'receipt.txt', content: 'March: 12 €' }
const elsewhere = `http://elsewhere.localhost:${pages.port}/?name=Ada`

/** Acts of the other classes, each after what puts it into its class. */
const gated = {
  payment: { page: 'shop', steps: [clickOn('button "Pay"')] },
  upload: { page: 'upload', steps: [onThing('upload', 'file "Receipt"', receipt)] },
  download: { page: 'download', steps: [clickOn('link "Download March"')] },
  leaving_site: { page: 'injected', steps: [fillIn, goTo(elsewhere)] },
} as const

t.test('so does each of the other classes: a refusal holds, and the model reads it', async (t) => {
  for (const [action, { page, steps }] of Object.entries(gated)) {
    const heeding: ModelScript = (request) => {
      t.match(request.user, /does not allow this/, action)
      return finish(false)
    }
    model.answerWith(obeying(...steps, heeding))
    const { id, run } = await start({ human_intervention: true }, page)
    const { question } = await tasks.when(id, 'asks', ({ question }) => question !== undefined)
    t.match(question, { kind: 'confirmation', action })
    const before = run.told.length
    await tasks.tell(id, 'answer', { approve: false })
    t.match(await tasks.ended(id), { status: 'COMPLETED', result: { success: false } })
    t.equal(run.told.length, before, `${action} was not done`)
    const asked = (await tasks.steps(id))[steps.length - 1]!
    t.match(asked.actions, [{ outcome: 'refused' }], action)
  }
  t.same(pages.strayed, [], 'nothing was carried elsewhere')
})

t.test('tasks of one session take turns, in the order of their arrival', async (t) => {
  const held = new HeldModel(obeying(...signing, ...signing))
  model.answerWith(held.script)
  const first = await start()
  const asked = await held.next()
  const second = await start()
  t.equal((await tasks.get(second.id)).state, 'queued')
  asked.letGo()
  held.letAllGo()
  t.match(await tasks.ended(first.id), { status: 'COMPLETED' })
  t.match(await tasks.ended(second.id), { status: 'COMPLETED' })
  t.ok(first.run.isSolved() && second.run.isSolved())
  const third = await start()
  await tasks.tell(third.id, 'cancel')
  t.match(await tasks.ended(third.id), { status: 'CANCELLED' })
})

t.test('a session that ends during a task ends the task with that reason', async (t) => {
  const held = new HeldModel(finish())
  model.answerWith(held.script)
  const { id } = await start()
  const asked = await held.next()
  await service.rest('DELETE', `/v1/sessions/${session.id}`)
  t.match(await tasks.ended(id), { status: 'FAILED', reason: 'session_ended' })
  await until('the model is not waited for', () => asked.request.signal.aborted)
})
