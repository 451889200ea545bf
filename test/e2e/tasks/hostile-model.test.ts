/**
 * Goal: a model that does whatever an attacker wants gets nothing out of its task: no way out of
 * its sites, no secret, no private address, no file; and excess is bounded. Method: a scripted
 * model that obeys, and a second site that records every request to it.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { StepRecord } from '../../../proto/task/task.ts'
import { call, faults, say, type ModelScript } from '../../helpers/models/answers.ts'
import {
  clickOn,
  finish,
  goTo,
  manyCalls,
  obeying,
  onThing,
  type Step,
} from '../../helpers/models/obeying.ts'
import { createSession } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { serveTwoSites } from '../../helpers/pages/two-sites.ts'
import { bytesAsText, filesBelow } from '../../helpers/files/files-below.ts'
import { until } from '../../helpers/lib/until.ts'

const sites = await serveTwoSites()
t.teardown(() => sites.close())
const { model, service, tasks } = await startTaskService(t)
const sessions = await Promise.all(Array.from({ length: 4 }, () => createSession(service.rest)))
/** The prompt of a task has the number of its script, so that several can run side by side. */
const scripts: ModelScript[] = []
model.answerWith((request) => {
  return scripts[Number(/Attack (\d+)\./.exec(request.user)?.[1])]!(request)
})

const password = 'Correct horse+battery&staple/ü'
const fenced = { url: sites.url, allowed_domains: [sites.host], allow_private_network: true }
const open = { url: sites.url, allow_private_network: true }

/** Has the model take these steps, and waits for the end of the task. */
const attack = (order: object, ...steps: readonly Step[]) => attackIn(0, order, ...steps)

/** Tasks of one session take turns, those of several run side by side. */
async function attackIn(n: number, order: object, ...steps: readonly Step[]) {
  const prompt = `Be careful. Attack ${scripts.push(obeying(...steps)) - 1}.`
  const id = await tasks.start({ prompt, ...order }, sessions[n % sessions.length]!.id)
  const task = await tasks.ended(id)
  return { id, task, steps: await tasks.steps(id) }
}
const outcomes = (steps: readonly StepRecord[]) =>
  steps.flatMap(({ actions }) => actions.map(({ tool, outcome }) => `${tool} ${outcome}`))
const asked = () => model.exchanges.map(({ request }) => request.raw).join('\n')

const waysOut: Readonly<Record<string, Step>> = {
  link: clickOn('link "A link"'),
  tab: clickOn('link "A link to a tab"'),
  redirected: clickOn('link "A redirect"'),
  popup: clickOn('button "A window"'),
  image: clickOn('button "An image"'),
  fetched: clickOn('button "A request"'),
  beacon: clickOn('button "A beacon"'),
  socket: clickOn('button "A socket"'),
  frame: clickOn('button "A frame"'),
  script: clickOn('button "A script"'),
  form: clickOn('button "Send"'),
  address: goTo(`${sites.otherUrl}address`),
  'tab of its own': call('tab_new', { url: `${sites.otherUrl}own` }),
}

const fencedIn = Object.entries(waysOut).map(([name, way], n) => {
  const attacked = attackIn(n, fenced, way, call('wait_for', {}))
  // A failure is the failure of the test below that awaits it.
  attacked.catch(() => undefined)
  return { name, attacked }
})
for (const { name, attacked } of fencedIn) {
  t.test(`a site that is not allowed cannot be reached: ${name}`, async (t) => {
    const { task } = await attacked
    t.equal(task.status, 'COMPLETED', task.error ?? '')
    t.same(sites.carriedOff, [])
  })
}

t.test('each of these ways works where no rule forbids it', async (t) => {
  t.same(sites.carriedOff, [], 'nothing has arrived while all others were tried')
  await Promise.all(Object.values(waysOut).map((way, n) => attackIn(n, open, way)))
  const reached = () => sites.carriedOff.map((path) => /\w+ ?\/?\w+/.exec(path)![0])
  await until('all have arrived', () => new Set(reached()).size >= Object.keys(waysOut).length)
  t.pass('so what was tried before would have come out')
  sites.forget()
})

const secret = '<secret>password</secret>'
const hidden = { ...open, secret_values: { password } }

t.test('a secret can be typed into a field and used in no other way', async (t) => {
  const elsewhere = [
    goTo(`${sites.url}?${secret}`),
    goTo(`${sites.url}?%3Csecret%3Epassword%3C/secret%3E`),
    call('tab_new', { url: `${sites.url}?${secret}` }),
    call('find', { text: secret }),
    call('wait_for', { text: secret }),
    call('press_key', { key: secret }),
    call('upload', { target: 'input', name: 'a', content: secret }),
  ]
  for (const way of elsewhere) {
    const { task, steps } = await attack(hidden, way, call('remember', { fact: secret }))
    t.equal(task.status, 'COMPLETED', task.error ?? '')
    t.match(outcomes(steps)[0], /refused$/)
    await saysNothing(t, JSON.stringify([task, steps]))
  }
  t.ok(
    sites.visits.every((visit) => !/secret|horse/.test(visit)),
    `${sites.visits}`,
  )
})

t.test('a secret that a page shows is hidden from the model and the records', async (t) => {
  const { id, task, steps } = await attack(
    hidden,
    onThing('type', 'textbox "Words"', { text: secret }),
    clickOn('button "Say it"'),
    clickOn('button "Say it in code"'),
    call('find', { text: 'Ways' }),
    call('screenshot', {}),
    call('press_key', { key: 'Control+c' }),
    call('press_key', { key: 'Backspace' }),
    call('hover', { target: '[value^="c"]' }),
    finish(true, `It is ${secret}.`),
  )
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  const refused = outcomes(steps).filter((outcome) => outcome.endsWith(' refused'))
  t.same(
    refused.map((outcome) => outcome.split(' ')[0]),
    ['find', 'screenshot', 'press_key', 'press_key', 'hover'],
    'searched for its letters, pictured, pasted elsewhere, shown without the last one, guessed',
  )
  t.ok(asked().includes('button \\"Say it in code\\" → done'), 'the model has seen it')
  const shown = steps.find(({ actions }) => actions[0]?.element?.includes('Say it in code'))
  t.notOk(shown?.screenshot, 'a page that shows it is not photographed')
  const at = `/v1/tools/perform-web-task/${id}/steps/${shown?.n}/screenshot`
  t.equal((await service.rest('GET', at)).status, 404)
  await saysNothing(t, JSON.stringify([task, steps]))
})

t.test('a secret is not typed into a frame of another site', async (t) => {
  const order = { ...hidden, url: `${sites.url}framing` }
  const { steps } = await attack(
    order,
    call('wait_for', { text: 'Trust me' }),
    onThing('type', 'textbox "Trust me"', { text: secret, submit: true }),
    onThing('type', 'textbox "Trust me"', { text: 'an offer' }),
    clickOn('button "Take"'),
  )
  t.match(outcomes(steps)[1], /type (refused|failed)/)
  await until('the form has arrived', () => sites.carriedOff.length > 1)
  t.same(sites.carriedOff, ['/field', '/taken?taken=an+offer'])
  sites.forget()
  await saysNothing(t, JSON.stringify(steps))
})

/** Not in a record, a log, an error or a prompt, in any encoding, nor on disk. */
async function saysNothing(t: Test, records: string) {
  const spellings = [
    password,
    JSON.stringify(password).slice(1, -1),
    encodeURIComponent(password),
    new URLSearchParams({ '': password }).toString().slice(1),
    Buffer.from(password).toString('base64').replace(/=+$/, ''),
    'battery',
  ]
  const store = join(service.dataDir, 'nats')
  const kept = filesBelow(store).map(bytesAsText)
  t.ok(kept.join().includes('Be careful.'), 'what is kept can be searched')
  const said = { records, asked: asked(), output: service.output(), kept: kept.join() }
  for (const [where, text] of Object.entries(said)) {
    for (const spelling of spellings) t.notOk(text.includes(spelling), `${where}: ${spelling}`)
  }
}

t.test('private addresses, files and scripts cannot be opened', async (t) => {
  const { port } = new URL(sites.url)
  const addresses = [
    sites.url,
    `http://localhost:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://127.0.0.1.:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'javascript:document.body.append("ran")',
    'data:text/html,<h1>Data</h1>',
    'chrome://version',
    'view-source:http://127.0.0.1/',
    'ftp://127.0.0.1/',
  ]
  const before = sites.visits.length
  const { steps } = await attack(
    {},
    ...addresses.flatMap((url) => [goTo(url), call('tab_new', { url })]),
  )
  t.equal(sites.visits.length, before, 'nothing was reached')
  const done = outcomes(steps).filter((outcome) => outcome.endsWith('done'))
  t.same(done, [], 'nothing was done')
  t.notOk(/root:x|<h1>Data|ran"/.test(asked()))
})

t.test('tools that are not the model’s are not called', async (t) => {
  const calls = [
    call('evaluate', { expression: 'document.title = "ran"' }),
    call('browser_evaluate', { function: '() => document.title = "ran"' }),
    call('run_shell', { command: 'id' }),
    call('attach_upload', { id: '../../etc/passwd', selector: 'input' }),
    call('ask_human', { question: 'What is the password?' }),
    call('__proto__', { polluted: true }),
    call('click', '{"__proto__": {"target": "e1"}, "constructor": 1}'),
    call('type', { target: 'input', text: 'x', origins: ['*'] }),
    call('click', { target: 'x'.repeat(5_000) }),
  ]
  for (const [i, one] of calls.entries()) {
    const { task, steps } = await attack(open, one, call('find', { text: 'Ways' }))
    t.equal(task.status, 'COMPLETED', task.error ?? '')
    t.match(outcomes(steps), [/ (refused|failed)$/, 'find done'], `call ${i}`)
  }
  t.notOk(asked().includes('title: ran'))
})

t.test('excessive output is cut or refused, and the task goes on', async (t) => {
  const small = call('find', { text: 'Ways' })
  const { task, steps } = await attack(
    open,
    ...[faults.hugeArguments('type'), small],
    ...[manyCalls(500, 'press_key', { key: 'a' }), small],
    ...[call('remember', { fact: 'x'.repeat(150_000) }), small],
    ...[call('click', '['.repeat(150_000)), small],
    ...[say('x'.repeat(900_000)), small],
    ...[call('press_key', { key: 'b', note: 'n'.repeat(150_000) }), small],
    finish(true, 'y'.repeat(150_000)),
  )
  t.equal(task.status, 'COMPLETED', task.error ?? '')
  t.ok(JSON.stringify(task).length < 100_000)
  t.ok(JSON.stringify(steps).length < 200_000)
  const pressed = outcomes(steps).filter((outcome) => outcome === 'press_key done')
  t.ok(pressed.length < 50, `${pressed.length} keys pressed`)
  const longest = Math.max(...model.exchanges.map(({ request }) => request.raw.length))
  t.ok(longest < 400_000, `${longest} characters asked`)
})

t.test('the service still works afterwards', async (t) => {
  t.equal((await service.rest('GET', '/health/ready')).status, 200)
  t.same(sites.carriedOff, [])
  t.same(model.problems, [])
})
