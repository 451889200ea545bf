/**
 * Goal: work started under an Idempotency-Key is neither lost nor started again when its client or
 * its gateway disappears: the repeat gets the same session, the same task.
 */
import t from 'tap'
import { buckets } from '../../../../proto/subjects.ts'
import type { TaskView } from '../../../../proto/task/task.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { PlayedViews, playedView, playService } from '../../../helpers/gateway/gateway.ts'
import { TaskActor } from '../../../helpers/tasks/played-task.ts'
import { until } from '../../../helpers/lib/until.ts'
import { routingLimits } from '../../../../gateway/routing/limits.ts'

t.test('a client that left can return for the session made meanwhile', async (t) => {
  let release!: () => void
  const held = new Promise<void>((resolve) => (release = resolve))
  let asked = 0
  const service = await playService({
    async create(input) {
      asked++
      await held
      return { view: { ...service.views.get(service.sessionId), ...input } }
    },
  })
  t.teardown(() => service.close())
  const create = (signal?: AbortSignal) =>
    fetch(`${service.gateway.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'service-api-key': 'dev-local-key', 'idempotency-key': 'k' },
      ...(signal && { signal }),
    })
  const leave = new AbortController()
  const first = create(leave.signal)
  await until('the creation is under way', () => asked === 1)
  leave.abort()
  await t.rejects(first)
  release()
  const again = await until('the answer is there', async () => {
    const answer = await create()
    return answer.status === 200 && answer
  })
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.match(await again.json(), { data: { id: /^ses_/, cdp_url: /^ws:/ } })
  t.equal(asked, 1)
  t.same(
    service.told.filter(({ command }) => command['type'] === 'end'),
    [],
  )
})

const withKey = { 'service-api-key': 'dev-local-key', 'idempotency-key': 'k' }

t.test('a repeat gets the session of a gateway that died before it answered', async (t) => {
  const idempotency = new MemoryStore().bucket(buckets.idempotency)
  const asked: string[] = []
  let release = () => {}
  const dying = await playService({
    idempotency,
    async create({ id }) {
      asked.push(id)
      await new Promise<void>((resolve) => (release = resolve))
      return { view: playedView(id) }
    },
  })
  const living = await playService({
    idempotency,
    clock: { ...systemClock, now: () => systemClock.now() + routingLimits.idempotencyStaleMs + 1 },
    async create({ id }) {
      asked.push(id)
      return { view: playedView(id) }
    },
  })
  t.teardown(() => Promise.all([dying.close(), living.close()]))
  const create = (url: string) => fetch(`${url}/v1/sessions`, { method: 'POST', headers: withKey })
  const first = create(dying.gateway.url)
  await until('the creation is under way', () => asked.length === 1)
  t.equal((await create(living.gateway.url)).status, 200)
  t.equal(asked.length, 2)
  t.equal(asked[1], asked[0])
  release()
  await first
})

t.test('a task continues without its gateway, and a repeat waits for the same one', async (t) => {
  const idempotency = new MemoryStore().bucket(buckets.idempotency)
  const task = new TaskActor()
  const shared = { idempotency, task, taskViews: new PlayedViews<TaskView>() }
  const order = async (url: string) => {
    const answer = await fetch(`${url}/v1/tools/perform-web-task`, {
      method: 'POST',
      headers: { ...withKey, 'content-type': 'application/json' },
      body: '{"prompt":"Find it"}',
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
  const draining = await playService({ ...shared, providers: ['openai'] })
  const held = order(draining.gateway.url)
  await until('it is waited for', () => task.told.some(({ type }) => type === 'get'))
  await draining.close()
  t.match(await held, { status: 503, body: { error: { type: 'draining' } } })

  const living = await playService({ ...shared, providers: ['openai'] })
  t.teardown(() => living.close())
  const waits = () => task.told.filter(({ type }) => type === 'get').length
  const before = waits()
  const again = order(living.gateway.url)
  await until('it is waited for again', () => waits() > before + 1)
  const { id } = task.inputs[0]!
  task.become(id, 'completed', { result: { found: true } })
  t.match(await again, { status: 200, body: { data: { id } } })
  t.equal(task.inputs.length, 1)
  t.equal((await order(living.gateway.url)).headers.get('idempotent-replayed'), 'true')
})
