/**
 * Goal: a client that follows tasks over `/ws` gets each record once and in order, whatever it
 * missed and however often it reconnects; and gets no record of another tenant.
 */
import t, { type Test } from 'tap'
import { newId } from '../../../proto/ids.ts'
import { newKey } from '../../../proto/accounts/key.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { TaskView } from '../../../proto/task/task.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { StoreUnavailable, type LogStore } from '../../../runtime/store/store.ts'
import { CountingBus } from '../../helpers/runtime/counting-bus.ts'
import { playService, playedView, type PlayedOptions } from '../../helpers/gateway/gateway.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { TaskActor, taskView } from '../../helpers/tasks/played-task.ts'
import { RecordClient } from '../../helpers/gateway/record-socket.ts'
import { RecordPublisher, watchedLog } from '../../helpers/tasks/records.ts'
import { until } from '../../helpers/lib/until.ts'
import { taskFeedLimits } from '../../../gateway/tasks/limits.ts'

const nats = await startNats(t)
// The whole store, as a gateway has it: it contains other logs too.
const store = await nats.store()
const { steps, pictures } = store
const bus = new NatsBus(await nats.connect('gateway'))

/** The same store, but reads of steps first wait for the test. */
const storeThat = (onCall: (method: keyof LogStore) => void) => ({
  ...store,
  steps: watchedLog(steps, onCall),
})

async function setUp(t: Test, options: PlayedOptions = {}) {
  const announcements = new CountingBus(bus)
  const task = new TaskActor()
  const feed = { store, bus: announcements }
  const service = await playService({ task, providers: ['openai'], feed, ...options })
  const clients: RecordClient[] = []
  t.teardown(async () => {
    for (const client of clients) client.drop()
    await service.close()
    if (announcements.listening > 0) throw new Error('somebody listens still')
  })
  service.views.set({ ...playedView(service.sessionId), madeBySdk: true })
  const { url } = service.gateway
  const follow = async (query: string, headers: Record<string, string> = {}) => {
    const client = await RecordClient.open(`${url}/ws?${query}`, headers)
    clients.push(client)
    return client
  }
  const begin = (more: Partial<TaskView> = {}) => {
    const id = newId('tsk')
    service.taskViews.set({ ...playedTask(id), ...more })
    return { id, records: new RecordPublisher(steps, id) }
  }
  const become = (id: string, state: TaskView['state'] = 'completed') => task.become(id, state)
  return { ...service, announcements, follow, begin, become, url }
}

const key = 'apiKey=dev-local-key'

function playedTask(id: string): TaskView {
  return taskView({
    id,
    tenant: 'default',
    keyId: 'dev',
    keyName: 'development',
    createdAtMs: Date.now(),
    order: {
      prompt: 'Find it',
      opensUrl: false,
      provider: 'openai',
      maxSteps: 200,
      humanIntervention: false,
      confirm: [],
      secretNames: [],
      keepsSession: false,
      vision: 'auto',
      timeoutMs: 60_000,
      allowsPrivateNetwork: false,
      finalCheck: true,
    },
  })
}

t.test('one task: stored records, then new ones, then its end', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  await records.state('deciding')
  for (let i = 0; i < 3; i++) await records.step()
  const client = await follow(`taskId=${id}&since=0&${key}`)
  await until('what is kept is told', () => client.numbers === 'S1 s1 s2 s3')
  await records.step()
  await records.state('completed', { result: { success: true } })
  t.same(await client.closed, { code: 1000, reason: 'completed: the task has ended.' })
  t.equal(client.numbers, 'S1 s1 s2 s3 s4 S2')
  t.match(client.told[1], { type: 'step', task_id: id, reason: 'This is step 1.' })
  t.match(client.told.at(-1), { type: 'state', status: 'COMPLETED', result: { success: true } })
})

t.test('since: the records after that step, also with a filter by state', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  await records.state('deciding')
  await records.step()
  await records.state('paused')
  await records.state('deciding')
  await records.step()
  await records.state('asking')
  const told = async (query: string, expected: string) => {
    const client = await follow(`taskId=${id}&${key}${query}`)
    await until(`${query} is told ${expected}`, () => client.numbers === expected)
    client.drop()
  }
  await told('&since=0', 'S1 s1 S2 S3 s2 S4')
  await told('&since=1', 'S2 S3 s2 S4')
  await told('&since=2', 'S4')
  await told('&since=1&since_state=3', 's2 S4')
  await told('&since=2&since_state=1', 'S2 S3 S4')
  await told('', 'S4')
})

t.test('a client that reconnects while a task works sees no gap and no repeat', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  const last = 150
  let visits = 0
  const work = (async () => {
    for (let n = 1; n <= last; n++) {
      await records.step()
      if (n % 10 > 0) continue
      await records.state('deciding')
      // Slow enough that work is left for each visit.
      await until('the next visitor has come', () => visits >= n / 10)
    }
    await records.state('completed')
  })()
  const seen: string[] = []
  let [step, state] = [0, 0]
  for (visits = 1; ; visits++) {
    const client = await follow(`taskId=${id}&${key}&since=${step}&since_state=${state}`)
    const isOver = () =>
      client.told.some((told) => told.type === 'state' && told.state === 'completed')
    await until('some are told', () => client.told.length >= 1 + (visits % 7) || isOver())
    const { told, numbers } = client
    client.drop()
    seen.push(numbers)
    const done = isOver()
    for (const record of told) {
      if (record.type === 'step') step = record.n
      else state = record.n
    }
    if (done) {
      t.ok(visits >= last / 10, `in ${visits} visits`)
      break
    }
  }
  await work
  const all: string[] = []
  for (let n = 1; n <= last; n++) all.push(`s${n}`, ...(n % 10 === 0 ? [`S${n / 10}`] : []))
  t.equal(seen.join(' '), [...all, 'S16'].join(' '))
})

t.test('a task has one follower, however many clients watch it', async (t) => {
  const { follow, begin, announcements } = await setUp(t)
  const { id, records } = begin()
  const clients = await Promise.all(
    Array.from({ length: 20 }, (_, i) => follow(`taskId=${id}&${key}${i % 2 ? '&since=0' : ''}`)),
  )
  t.equal(announcements.listening, 1)
  await records.step()
  await records.step()
  await until('all are told', () => clients.every(({ numbers }) => numbers === 's1 s2'))
  for (const client of clients) client.drop()
  await until('nobody listens', () => announcements.listening === 0)
})

t.test('a session: current tasks from now on, later ones from their first record', async (t) => {
  const { follow, begin, become, sessionId } = await setUp(t)
  const past = begin({ sessionId, state: 'completed', endedAtMs: Date.now() - 60_000 })
  await past.records.step()
  const present = begin({ sessionId })
  await present.records.step()
  const client = await follow(`sessionId=${sessionId}`)
  await present.records.step()
  await until('the next is told', () => client.numbers === 's2')
  await present.records.state('completed')
  become(present.id)
  const another = begin()
  await another.records.step()
  const future = begin({ sessionId })
  await future.records.step()
  await until('its first is told', () => client.numbers === 's2 S1 s1')
  t.equal(client.told.at(-1)!.task_id, future.id)
  become(future.id, 'deciding')
  await future.records.step()
  await until('and its next, once', () => client.numbers === 's2 S1 s1 s2')
})

t.test('a session’s end closes its sockets, after the last record of its task', async (t) => {
  const { follow, begin, become, views, sessionId } = await setUp(t)
  const { id, records } = begin({ sessionId })
  const client = await follow(`sessionId=${sessionId}`)
  await records.step()
  views.set({ ...views.get(sessionId)!, status: 'completed', reason: 'deleted' })
  await records.state('failed', { end: 'session_ended' })
  become(id, 'failed')
  t.match(await client.closed, { code: 4003, reason: /^deleted/ })
  t.equal(client.numbers, 's1 S1')
  await t.rejects(follow(`sessionId=${sessionId}`), /410 session_ended/)
})

t.test('a whole tenant can be followed, with its key in the query or in a header', async (t) => {
  const { id, text, secretHash } = newKey()
  const record = { id, name: 'acme', tenant: 'acme', secretHash, createdAtMs: 0, limits: {} }
  const { follow, begin } = await setUp(t, { keys: [record] })
  const mine = await follow(key)
  const theirs = await follow('', { 'service-api-key': text })
  const ours = [begin(), begin()]
  const foreign = begin({ tenant: 'acme' })
  for (const { records } of [...ours, foreign]) await records.step()
  await until('each is told its own', () => mine.told.length === 2 && theirs.told.length === 1)
  t.same(new Set(mine.told.map((told) => told.task_id)), new Set(ours.map((of) => of.id)))
  t.equal(theirs.told[0]!.task_id, foreign.id)
  await t.rejects(follow(`taskId=${ours[0]!.id}&apiKey=${text}`), /404 not_found/)
})

t.test('each key may follow only what it has a right to', async (t) => {
  const { follow, begin, sessionId, cdpUrl } = await setUp(t)
  const { id } = begin({ sessionId })
  const other = begin()
  await t.rejects(follow(''), /401 unauthorized/)
  await t.rejects(follow(`taskId=${id}`), /401 unauthorized/)
  await t.rejects(follow(`sessionId=${sessionId}&apiKey=wrong`), /401 unauthorized/)
  await t.rejects(follow(`sessionId=${newId('ses')}`), /404 not_found/)
  await t.rejects(follow('sessionId=x'), /404 not_found/)
  await t.rejects(follow(`taskId=${newId('tsk')}&${key}`), /404 not_found/)
  await t.rejects(follow(`taskId=${other.id}&sessionId=${sessionId}`), /404 not_found/)
  await t.rejects(follow(`sessionId=${sessionId}&since=1`), /400 bad_request.*taskId/)
  await t.rejects(follow(`taskId=${id}&since=-1&${key}`), /400 bad_request.*whole number/)
  await follow(`taskId=${id}&sessionId=${sessionId}`)
  await follow(new URL(cdpUrl).search.slice(1))

  const strict = await setUp(t, { env: { WS_REQUIRE_KEY: 'always' } })
  await t.rejects(strict.follow(`sessionId=${strict.sessionId}`), /401 unauthorized/)
  await strict.follow(`sessionId=${strict.sessionId}&${key}`)
})

t.test('a reader that does not keep up is cut off, and can come back', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  const slow = await follow(`taskId=${id}&${key}`)
  const quick = await follow(`taskId=${id}&${key}`)
  slow.pause()
  // The system's own socket buffers hold several MiB.
  const last = 60
  for (let n = 1; n <= last; n++) await records.step({ reason: 'x'.repeat(400_000) })
  slow.resume()
  t.match(await slow.closed, { code: 1013, reason: /^slow: .*since=<n>/ })
  await until('the quick one has all', () => quick.told.length === last)
  await records.step()
  const had = slow.told.length
  t.ok(had < last, `it had ${had}`)
  const again = await follow(`taskId=${id}&${key}&since=${had}`)
  await until('it has the rest', () => again.told.length === last + 1 - had)
  t.same(
    [...slow.told, ...again.told].map(({ n }) => n),
    Array.from({ length: last + 1 }, (_, i) => i + 1),
  )
})

t.test('a slow reader of past records is waited for', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  const reason = 'x'.repeat(400_000)
  for (let n = 1; n <= 40; n++) await records.step({ reason })
  const client = await follow(`taskId=${id}&${key}&since=0`)
  client.pause()
  await records.step()
  client.resume()
  await until('it has all', () => client.told.length === 41)
})

t.test('a socket beyond the limit is refused before the store is asked anything', async (t) => {
  const asked: PropertyKey[] = []
  const feed = { store: storeThat((method) => asked.push(method)), bus }
  const { follow, begin } = await setUp(t, { feed })
  const { id, records } = begin()
  await records.state('deciding')
  const query = `taskId=${id}&${key}`
  const most = Array.from({ length: taskFeedLimits.feedSocketsPerTarget }, () => follow(query))
  for (const client of await Promise.all(most)) {
    await until('it is told where the task is', () => client.numbers === 'S1')
  }
  asked.length = 0
  await t.rejects(follow(query), /429 rate_limited.*Too many clients/)
  t.same(asked, [])
})

t.test('a task that moves on while its follower starts is still told from now on', async (t) => {
  let move = () => {}
  const feed = { store: storeThat(() => move()), bus }
  const { follow, begin, taskViews } = await setUp(t, { feed })
  const { id, records } = begin()
  await records.state('deciding')
  await records.step()
  move = () => taskViews.set({ ...playedTask(id), steps: 1 })
  const client = await follow(`taskId=${id}&${key}`)
  await records.step()
  await until('it is told two records', () => client.told.length === 2)
  t.equal(client.numbers, 'S1 s2')
})

t.test('a log that cannot be read closes the reader’s socket, with the reason', async (t) => {
  let isAway = true
  const store = storeThat((method) => {
    if (isAway && method === 'read') throw new StoreUnavailable('no answer')
  })
  const { follow, begin } = await setUp(t, { feed: { store, bus } })
  const { id, records } = begin()
  await records.step()
  const client = await follow(`taskId=${id}&${key}&since=0`)
  t.match(await client.closed, { code: 1011, reason: /cannot be read.*since=<n>/ })
  isAway = false
  const again = await follow(`taskId=${id}&${key}&since=0`)
  await until('it is told', () => again.numbers === 's1')
})

t.test('what clients send counts as a sign of life, if it is short', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  const client = await follow(`taskId=${id}&${key}`)
  client.say('hello?')
  await records.step()
  await until('it is told', () => client.numbers === 's1')
  client.say('x'.repeat(100_000))
  t.match(await client.closed, { code: 1009 })
})

t.test('a gateway that shuts down closes its sockets with the reason at once', async (t) => {
  const { follow, begin, close, sessionId } = await setUp(t)
  const { id } = begin({ sessionId })
  const clients = [await follow(`sessionId=${sessionId}`), await follow(`taskId=${id}&${key}`)]
  await close()
  for (const { closed } of clients) {
    t.match(await closed, { code: 4012, reason: /^draining/ })
  }
})

t.test('REST gives the steps after a number, and the picture of one', async (t) => {
  const { url, begin } = await setUp(t)
  const { id, records } = begin({ steps: 5 })
  for (let i = 0; i < 5; i++) await records.step()
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
  await pictures.append(subjects.taskPicture(id, 2), jpeg, 0)
  const get = (path: string) =>
    fetch(`${url}/v1/tools/perform-web-task/${id}/steps${path}`, {
      headers: { 'service-api-key': 'dev-local-key' },
    })
  const numbers = async (query: string) => {
    const { data } = (await (await get(query)).json()) as {
      data: { steps: { n: number }[]; total: number }
    }
    t.equal(data.total, 5)
    return data.steps.map(({ n }) => n)
  }
  t.same(await numbers(''), [1, 2, 3, 4, 5])
  t.same(await numbers('?since=2&limit=2'), [3, 4])
  t.same(await numbers('?since=5'), [])
  t.equal((await get('?limit=0')).status, 400)
  const picture = await get('/2/screenshot')
  t.equal(picture.headers.get('content-type'), 'image/jpeg')
  t.same(Buffer.from(await picture.arrayBuffer()), jpeg)
  t.equal((await get('/3/screenshot')).status, 404)
  t.equal((await get('/x/screenshot')).status, 400)
})

t.test('while the store is away no follower loses a record', async (t) => {
  const { follow, begin } = await setUp(t)
  const { id, records } = begin()
  // Live from the start: a client that reads past records loses its socket with the store.
  const client = await follow(`taskId=${id}&${key}`)
  await records.step()
  await until('the first is told', () => client.numbers === 's1')
  await nats.kill()
  await t.rejects(follow(`taskId=${begin().id}&${key}&since=0`), /503 unavailable/)
  await nats.start()
  const isTaken = (publishing: Promise<void>) =>
    publishing.then(
      () => true,
      () => false,
    )
  await until('a step is taken', () => isTaken(records.step()))
  await until('its end is taken', () => isTaken(records.state('completed')))
  t.match(await client.closed, { code: 1000 })
  t.equal(client.numbers, 's1 s2 S1')
})
