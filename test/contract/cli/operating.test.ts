// Goal: from a terminal, an operator sees what runs and what it has used, runs a task, and takes a
// host out of service. Method: the whole service, a scripted model, the commands in processes of
// their own.
import { readFile, rm, writeFile } from 'node:fs/promises'
import t from 'tap'
import { finish } from '../../helpers/models/obeying.ts'
import { HeldModel } from '../../helpers/models/held-model.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { createSession } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'

const { model, service, tasks } = await startTaskService(t)
const env = {
  ...{ DATA_DIR: service.dataDir, SVC_BASE: service.baseUrl, SVC_API_KEY: service.key },
  BROWSER: '/nowhere/browser',
}
const troupe = (...args: readonly string[]) => runTroupe(args, env)
async function must(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await troupe(...args)
  if (code !== 0) throw new Error(`troupe ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout.trim()
}
const inJson = async <T>(...args: readonly string[]) =>
  JSON.parse(await must(...args, '--json')) as T

t.test('sessions are listed with a header, shown, opened and ended', async (t) => {
  const { id } = await createSession(service.rest, {
    browser: { headless: { active: true } },
    session: { tags: ['night\u001b[2J', 'ci'] },
  })
  const table = await must('sessions', 'list')
  t.match(table, /^SESSION +STATUS +FOR +KIND +STEPS +KEY +TAGS\n/)
  t.match(table, new RegExp(`^${id} +running +\\d+s +headless +0 `, 'm'))
  t.notMatch(table, '\u001b', 'no tag controls the terminal')
  t.match(await inJson('sessions', 'list'), { sessions: [{ id, status: 'running' }], total: 1 })
  t.match(await must('sessions', 'list', '--status', 'failed'), /^no sessions$/)

  const shown = await must('sessions', 'show', id)
  t.match(shown, new RegExp(`^Session +${id}\nStatus +running\nCreated `))
  t.match(shown, /^CDP +ws:/m)
  t.match(await inJson('sessions', 'show', id), { id, status: 'running' })
  const opened = await troupe('sessions', 'open', id)
  t.match(opened, { code: 0, stdout: /^http\S+\n$/, stderr: /No browser could be started here/ })

  await service.rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: 'data:,events' })
  await until('what happened is told', async () =>
    /navigate +Key dev +data:…, \d+ ms/.test(await must('sessions', 'events', id)),
  )
  t.match(await inJson('sessions', 'events', id, '--last', '1'), { items: [{ n: Number }] })
  t.match(await troupe('sessions', 'events', id, '--last', '0'), { code: 2, stderr: /1 to 500/ })

  t.equal(await must('sessions', 'end', id), `ended ${id}`)
  await until('it has ended', async () =>
    (await must('sessions', 'show', id)).includes('completed'),
  )
})

t.test('what is kept of a session is saved to files', async (t) => {
  const { id } = await createSession(service.rest, {
    browser: { headless: { active: true }, tracing: { active: true } },
  })
  await service.rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: 'data:,kept' })
  const file = `${t.testdir()}/kept.har`
  const save = (what: string) => ['sessions', 'save', what, id, '--output', file] as const
  t.match(await troupe(...save('video')), { code: 1, stderr: /This session has no recording/ })
  t.match(await must(...save('har')), /kept\.har: \d+ B$/)
  t.match(JSON.parse(await readFile(file, 'utf8')), { log: { version: '1.2', entries: [] } })
  t.match(await troupe(...save('trace')), {
    code: 1,
    stderr: /kept\.har cannot be created: EEXIST/,
  })
  await rm(file)
  await must(...save('trace'))
  t.match(await readFile(file, 'utf8'), /^<!doctype html>/i)
  t.match(await troupe('sessions', 'share', id), {
    code: 1,
    stderr: /This session has no recording/,
  })
  await must('sessions', 'end', id)
})

t.test('the logins of a session are saved to a file, and loaded from it', async (t) => {
  const [first, next] = [await createSession(service.rest), await createSession(service.rest)]
  const cookie = { name: 'login', value: 'ada', domain: 'example.com', path: '/' }
  const dir = t.testdir({ 'state.json': JSON.stringify({ cookies: [cookie] }), 'none.json': '{' })
  const load = (name: string) => ['sessions', 'state', first.id, '--load', `${dir}/${name}`]
  t.equal(await must(...load('state.json')), `${first.id} has the state of ${dir}/state.json`)
  const saved = await must('sessions', 'state', first.id, '--indexed-db')
  t.match(JSON.parse(saved), { cookies: [cookie], origins: [], omitted: [] })
  await writeFile(`${dir}/saved.json`, saved)
  await must('sessions', 'state', next.id, '--load', `${dir}/saved.json`)
  t.equal(await must('sessions', 'state', next.id, '--indexed-db'), saved)
  t.match(await troupe(...load('none.json')), { code: 1, stderr: /none\.json cannot be read/ })
  for (const { id } of [first, next]) await must('sessions', 'end', id)
})

t.test('an operator lists the sessions of a tenant, and nobody else does', async (t) => {
  const table = await must('sessions', 'list', '--all-tenants')
  t.match(table, / TENANT\n/)
  t.match(table, / default$/m)
  t.equal(await must('sessions', 'list', '--tenant', 'ops'), 'no sessions')
  const key = await must(
    'keys',
    'create',
    '--tenant',
    'ops',
    '--name',
    'op',
    '--scopes',
    'sessions',
  )
  const listing = ['sessions', 'list', '--tenant', 'default']
  const refused = await until('the gateway knows the key', async () => {
    const done = await runTroupe(listing, { ...env, SVC_API_KEY: key })
    return !/unknown|not known/.test(done.stderr) && done
  })
  t.match(refused, { code: 1, stderr: /answered 403: / })
})

t.test('a task is run, listed, shown, watched and cancelled', async (t) => {
  model.answerWith(finish(true, 'Done.'))
  const run = ['tasks', 'run', 'Say done.', '--max-steps', '3']
  const done = await troupe(...run)
  t.equal(done.code, 0, done.stderr)
  t.match(JSON.parse(done.stdout), { success: true })
  t.match(done.stderr, /tsk_\w{26} {2}completed/)
  const [id = ''] = /tsk_\w{26}/.exec(done.stderr) ?? []

  t.match(await must('tasks', 'list'), /^TASK +STATE +FOR +STEPS +TOKENS +COST +PROVIDER +GOAL\n/)
  t.match(await inJson('tasks', 'list', '--status', 'COMPLETED'), { tasks: [{ id }], total: 1 })
  t.match(await must('tasks', 'show', id), /^State +completed, .*\nGoal +"Say done\."\n/m)
  const records = (await must('tasks', 'watch', id, '--json')).split('\n')
  t.match(JSON.parse(records.at(-1)!), { type: 'state', task_id: id, state: 'completed' })

  const held = new HeldModel(finish())
  t.teardown(() => held.letAllGo())
  model.answerWith(held.script)
  const other = await must('tasks', 'run', 'Wait.', '--detach')
  await held.next()
  const watching = troupe('tasks', 'watch', other)
  const says = async (...args: readonly string[]) =>
    /waiting for the model/.test(await must(...args))
  await until('it says what it waits for', () => says('tasks', 'show', other))
  t.ok(await says('tasks', 'list'))
  const at = `/v1/tools/perform-web-task/${other}`
  const waiting = { for: 'model', since: String }
  t.match(await service.rest('GET', `${at}/status`), {
    body: { data: { status: 'RUNNING', waiting } },
  })
  t.match(await service.rest('GET', `${at}/steps`), { body: { data: { steps: [], waiting } } })
  t.match(await must('tasks', 'cancel', other), `${other} is `)
  await tasks.ended(other)
  t.match(await watching, { code: 1, stdout: /waiting for the model\n[^]*cancelled/ })
  t.match(await troupe('tasks', 'watch', 'tsk_1'), { code: 1, stderr: /answered 4/ })
})

t.test('usage counts what each tenant has used', async (t) => {
  t.match(await must('usage'), /^TENANT +SESSIONS +RUNNING +MINUTES +MB IN +MB OUT +TASKS /)
  t.match(await must('usage', '--by', 'day'), /^DAY +TENANT .*\n\d{4}-\d\d-\d\d +default /)
  const csv = await must('usage', '--by', 'key', '--csv')
  t.match(csv, /^tenant,key,sessions,running,browser_minutes,received_bytes,.*\ndefault,/)
  t.match(await troupe('usage', '--by', 'year'), {
    code: 2,
    stderr: /--by takes tenant, key, day, month/,
  })
  const [row] = await inJson<Record<string, number>[]>('usage', '--tenant', 'default')
  t.match(row, { tenant: 'default', tasks: 2, tasks_running: 0 })
  t.ok(row!['sessions']! >= 2)
  t.ok(row!['input_tokens']! > 0)
  t.equal(await must('usage', '--tenant', 'nobody'), 'nothing was used')
})

t.test(
  'the status says whether it can be used, and a drained host takes no sessions',
  async (t) => {
    const { id } = await createSession(service.rest)
    t.match(
      await must('status'),
      /^Service +http.*\nReady +yes\nBrowsers +\d+ warm, \d+ of \d+ in use\n/,
    )
    t.match(await inJson('status'), { ready: true, sessions_running: 1 })
    const table = await must('hosts', 'list')
    t.match(table, /^HOST +ROLE +STATE +VERSION +WARM +SESSIONS +MAX /)
    t.match(table, /^test +node-agent +alive /m)

    t.match(await troupe('hosts', 'drain', 'far'), { code: 1, stderr: /there are: test\n/ })
    const draining = troupe('hosts', 'drain', 'test', '--wait')
    await until('it is drained', async () =>
      /node-agent +draining/.test(await must('hosts', 'list')),
    )
    const refused = await service.rest('POST', '/v1/sessions', {})
    t.equal(refused.status, 503)
    t.match(await service.rest('GET', `/v1/sessions/${id}`), {
      body: { data: { status: 'running' } },
    })
    const status = await until('the gateway has heard', async () => {
      const said = await troupe('status')
      return said.code === 1 && said
    })
    t.match(status.stdout, /^Ready +no: /m)
    await must('sessions', 'end', id)
    t.match(await draining, {
      code: 0,
      stdout: /1 still run there\ntest has no more sessions\n$/,
    })
    t.equal(await must('hosts', 'undrain', 'test'), 'test takes new sessions again; 0 run there')
    await until('the gateway has heard', async () => (await troupe('status')).code === 0)
    const next = await createSession(service.rest)
    await must('sessions', 'end', next.id)
  },
)

t.test('a service that does not answer is said in one line', async (t) => {
  const away = await runTroupe(['status'], { ...env, SVC_BASE: 'http://127.0.0.1:9' })
  t.match(away, { code: 1, stderr: /^troupe: http:\S+ does not answer: [^\n]+\n$/ })
})
