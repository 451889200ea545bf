// Goal: a request that is held longer than its client waits for a first byte still gets its answer.
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { keepAliveReply } from '../../../../gateway/routing/answers/keep-alive-reply.ts'
import type { HttpReply, StreamedBody } from '../../../../gateway/server/http.ts'
import { jsonReply } from '../../../../gateway/routing/answers/reply.ts'
import { taskRoutes } from '../../../../gateway/tasks/routes.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { routingLimits } from '../../../../gateway/routing/limits.ts'

/** A held request, and the moment of its answer. */
function hold() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  let answer!: (reply: HttpReply) => void
  const whole = new Promise<HttpReply>((resolve) => (answer = resolve))
  return { timeline, reply: keepAliveReply(whole, clock), answer }
}

const streamOf = ({ body }: HttpReply) => (body as StreamedBody).stream as PassThrough

t.test('an answer in time is sent unchanged, with its status', async (t) => {
  const { timeline, reply, answer } = hold()
  await timeline.run(routingLimits.keepAliveReplyAfterMs - 1)
  const whole = jsonReply(422, { error: {} })
  answer(whole)
  await timeline.run(0)
  t.equal(await reply, whole)
})

t.test('a late one begins with white space, which is repeated', async (t) => {
  const { timeline, reply, answer } = hold()
  await timeline.run(routingLimits.keepAliveReplyAfterMs)
  const late = await timeline.until(reply, 1_000)
  t.match(late, { status: 200, headers: { 'content-type': 'application/json' } })
  const said = text(streamOf(late))
  const beats = 7
  await timeline.run(beats * routingLimits.keepAliveReplyBeatMs)
  answer(jsonReply(200, { data: { result: 'Found' } }))
  await timeline.run(0)
  const body = await said
  t.match(body, new RegExp(`^ {${beats},}\\{`))
  t.same(JSON.parse(body), { data: { result: 'Found' } })
})

t.test('an error that comes late is in the body', async (t) => {
  const { timeline, reply, answer } = hold()
  await timeline.run(routingLimits.keepAliveReplyAfterMs)
  const said = text(streamOf(await timeline.until(reply, 1_000)))
  answer(jsonReply(422, { error: { code: 422 } }))
  await timeline.run(0)
  t.same(JSON.parse(await said), { error: { code: 422 } })
})

t.test('nothing is sent to a client that has left', async (t) => {
  const { timeline, reply } = hold()
  await timeline.run(routingLimits.keepAliveReplyAfterMs)
  const stream = streamOf(await timeline.until(reply, 1_000))
  stream.destroy()
  const writes = t.capture(stream, 'write')
  await timeline.run(routingLimits.keepAliveReplyBeatMs * 3)
  t.same(writes(), [])
})

t.test('the request for a task is held in this way', async (t) => {
  const routes = taskRoutes({} as Parameters<typeof taskRoutes>[0])
  t.same(
    routes.filter(({ isHeld }) => isHeld).map(({ method, path }) => `${method} ${path}`),
    ['POST /v1/tools/perform-web-task'],
  )
})
