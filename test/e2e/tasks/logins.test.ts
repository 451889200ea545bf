/**
 * Goal: the model of a task logs in with a stored login that its order offers, and never gets its values,
 * whatever it tries. Method: the scripted model, a site with password and one-time codes.
 */
import t from 'tap'
import { call } from '../../helpers/models/answers.ts'
import { finish, obeying, type Step } from '../../helpers/models/obeying.ts'
import { headless, type ErrorJson } from '../../helpers/service/service.ts'
import { member, serveLoginSite } from '../../helpers/sites/login-site.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const site = await serveLoginSite()
t.teardown(() => site.close())
const { model, tasks } = await startTaskService(t)
await tasks.rest('POST', '/v1/logins', { name: 'shop', origin: site.origin, ...member })
await tasks.rest('POST', '/v1/logins', { name: 'other', origin: site.otherOrigin, ...member })

const order = {
  prompt: 'Log in.',
  url: `${site.origin}/account`,
  allow_private_network: true,
  final_check: false,
  session_options: headless,
}

async function work(more: object, ...steps: readonly Step[]) {
  model.answerWith(obeying(...steps))
  const before = model.exchanges.length
  const id = await tasks.start({ ...order, ...more })
  const task = await tasks.ended(id)
  const asked = model.exchanges.slice(before).map(({ request }) => request.raw)
  const trace = await tasks.steps(id)
  return { task, asked, trace, actions: trace.flatMap(({ actions }) => actions) }
}

t.test('it logs in, in two steps, and the model has seen neither password nor code', async (t) => {
  const { task, asked, trace, actions } = await work(
    {},
    call('fill_login', { login: 'shop', submit: true }),
    call('fill_login', { submit: true }),
    finish(),
  )
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  t.match(actions, [
    { tool: 'fill_login', outcome: 'done', text: /username, password/ },
    { tool: 'fill_login', outcome: 'done', text: /code/ },
  ])
  t.match(asked[0], /Logins for fill_login: .*shop \(http/)
  t.match(asked.at(-1), /Welcome/)
  const { otp } = site.sent.at(-1)!
  t.match(otp, /^\d{6}$/)
  for (const told of [JSON.stringify(asked), JSON.stringify(trace), JSON.stringify(task)]) {
    t.notMatch(told, /Kettle/)
    t.notOk(told.includes(otp!), 'the code')
  }
})

t.test('what a page repeats is a placeholder, which cannot be typed either', async (t) => {
  const typed = call('type', { target: '#twin', text: '<secret>shop.password</secret>' })
  const { asked, actions } = await work(
    { url: `${site.origin}/echo`, logins: ['shop'] },
    call('fill_login', {}),
    typed,
    call('press_key', { key: 'Control+c' }),
    finish(),
  )
  t.match(actions, [
    { tool: 'fill_login', outcome: 'done' },
    { tool: 'type', outcome: 'refused' },
    { tool: 'press_key', outcome: 'refused', text: /clipboard/ },
  ])
  t.match(asked[1], /shop\.password/)
  t.notMatch(JSON.stringify(asked), /Kettle|anna\.lind/)
})

t.test('only logins of the order are offered and filled in', async (t) => {
  const other = call('fill_login', { login: 'other' })
  const named = await work({ logins: ['shop'] }, other, finish())
  t.match(named.actions, [{ tool: 'fill_login', outcome: 'refused', text: /not one of this task/ }])
  t.notMatch(named.asked[0], /other \(http/)
  const fenced = await work({ allowed_domains: ['127.0.0.1'] }, finish())
  t.match(fenced.asked[0], /shop \(http/)
  t.notMatch(fenced.asked[0], /other \(http/)
  const none = await work({ logins: [] }, call('fill_login', { login: 'shop' }), finish())
  t.match(none.actions, [{ tool: 'fill_login', outcome: 'refused', text: /no such tool/ }])
  t.notMatch(none.asked[0], /fill_login/)
  const scripted = await work({ scripts: true }, finish())
  t.notMatch(scripted.asked[0], /"fill_login"/, 'a script could read what is filled in')
})

t.test('an order that cannot be is refused', async (t) => {
  const refusal = async (more: object) => {
    const path = '/v1/tools/perform-web-task'
    const body = { ...order, async: true, ...more }
    return (await tasks.rest<{ error: ErrorJson & { field?: string } }>('POST', path, body)).body
      .error
  }
  t.match(await refusal({ logins: ['none'] }), { type: 'not_found', message: /none/ })
  t.match(await refusal({ logins: ['shop'], scripts: true }), { field: 'scripts' })
})
