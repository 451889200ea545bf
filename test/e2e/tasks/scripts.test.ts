/**
 * Goal: the model of a task that was given scripts does a loop in one step, within what the task may
 * reach; a task that was not given them has no such tool. Method: the scripted model, two sites.
 */
import t from 'tap'
import { call } from '../../helpers/models/answers.ts'
import { finish, obeying, type Step } from '../../helpers/models/obeying.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { serveTwoSites } from '../../helpers/pages/two-sites.ts'
import { headless, type ErrorJson } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const sites = await serveTwoSites()
t.teardown(() => sites.close())
const { model, tasks } = await startTaskService(t)

async function work(order: object, ...steps: readonly Step[]) {
  model.answerWith(obeying(...steps))
  const before = model.exchanges.length
  const id = await tasks.start({
    prompt: 'Sum the totals.',
    allow_private_network: true,
    final_check: false,
    session_options: headless,
    ...order,
  })
  const task = await tasks.ended(id)
  const asked = model.exchanges.slice(before).map(({ request }) => request.raw)
  return { task, asked, actions: (await tasks.steps(id)).flatMap(({ actions }) => actions) }
}

const code = `async ({ page, log }) => {
  const totals = await page.$$eval('#rows td:nth-child(4)', (cells) =>
    cells.map((cell) => Number(cell.textContent.slice(1))))
  log('rows', totals.length)
  return Math.round(totals.reduce((sum, one) => sum + one, 0))
}`

t.test(
  'a loop over five hundred rows is one act, whose value and logs the model reads',
  async (t) => {
    const order = { url: pages.url('table'), scripts: true }
    const { task, asked, actions } = await work(order, call('run_script', { code }), finish())
    t.equal(task.status, 'COMPLETED', task.error ?? '')
    t.match(actions, [{ tool: 'run_script', outcome: 'done', text: /Value: \d{6}[\s\S]*rows 500/ }])
    t.match(asked[0], /"run_script"/)
    t.match(asked[1], /rows 500/)
  },
)

t.test('a script that fails is told with its line, and the task goes on', async (t) => {
  const wrong = call('run_script', { code: 'async ({ page }) => {\n  await page.click("#no")\n}' })
  const { task, actions } = await work({ url: pages.url('table'), scripts: true }, wrong, finish())
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  t.match(actions, [{ outcome: 'failed', text: /failed at line 2: .*#no/ }])
})

t.test('without scripts: true there is no such tool', async (t) => {
  const { asked, actions } = await work(
    { url: pages.url('table') },
    call('run_script', { code }),
    finish(),
  )
  t.notMatch(asked[0], /"name":"run_script"/)
  t.match(actions, [{ tool: 'run_script', outcome: 'refused', text: /no such tool/ }])
})

t.test('a script of a task does not leave the sites of the task', async (t) => {
  const fenced = { url: sites.url, allowed_domains: [sites.host], scripts: true }
  const leave = `async ({ page, browser }) => {
    const other = '${sites.otherUrl}script'
    const caught = (work) => work.then(() => 'left', String)
    const tab = await browser.newPage()
    return [
      await caught(tab.goto(other)),
      await caught(page.evaluate((url) => fetch(url, { mode: 'no-cors' }).then(() => {}), other)),
    ]
  }`
  const { task, actions } = await work(fenced, call('run_script', { code: leave }), finish())
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  t.match(actions, [{ tool: 'run_script' }])
  t.same(sites.carriedOff, [])
})

t.test('scripts are not combined with secrets, nor with acts that wait for a person', async (t) => {
  const refusal = async (more: object) => {
    const order = { prompt: 'x', scripts: true, async: true, ...more }
    const path = '/v1/tools/perform-web-task'
    const { status, body } = await tasks.rest<{ error: ErrorJson }>('POST', path, order)
    return { status, ...body.error }
  }
  t.match(await refusal({ secret_values: { pin: '1234' } }), { status: 400, field: 'scripts' })
  t.match(await refusal({ human_intervention: true }), { status: 400, field: 'scripts' })
  const asks = { url: pages.url('table'), scripts: true, human_intervention: true, confirm: [] }
  const { actions } = await work(asks, call('run_script', { code }), finish())
  t.match(actions, [{ tool: 'run_script', outcome: 'done' }])
})
