// Goal: every resource of a task is bounded, and every failure of its model has the right
// consequence.
import t from 'tap'
import { taskView } from '../../../../actors/task/machine/view.ts'
import {
  act,
  acted,
  decided,
  done,
  failure,
  observed,
  startMs,
  Story,
} from '../../../helpers/tasks/story.ts'
import { taskRunLimits } from '../../../../actors/task/limits.ts'

t.test('steps are limited, and the last may only end the task', async (t) => {
  const story = Story.deciding({ maxSteps: 2 }).hears(decided(), observed(), decided())
  t.match(story.end, { state: 'failed', end: 'max_steps', error: /after 2 steps/ })
  const inTime = Story.deciding({ maxSteps: 1 }).hears(done())
  t.match(inTime.end, { end: 'done' })
})

t.test('tokens and cost are limited', async (t) => {
  const tokens = Story.deciding({ tokensMax: 1_000 }).hears(decided())
  t.match(tokens.end, { end: 'token_budget' })
  const dear = {
    ...decided(),
    usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, costUsd: 0.6 },
  }
  const cost = Story.deciding({ costMaxUsd: 1 }).hears(dear, observed())
  t.equal(cost.state, 'deciding')
  t.match(cost.hears(dear).end, { end: 'cost_budget' })
  t.match(cost.steps, [{ cost_usd: 0.6 }])
  const unknown = Story.deciding({ costMaxUsd: 1 }).hears(decided())
  t.match(unknown.end, { end: 'cost_budget', error: /is unknown/ })
  t.notOk('cost_usd' in unknown.steps[0]!)
})

t.test('a busy model is asked again, with growing delays, and not for ever', async (t) => {
  const first = Story.deciding().hears(failure('rate_limited'))
  t.equal(first.state, 'waiting')
  t.equal(first.context.deadlines['retry'], startMs + 1_000 + taskRunLimits.modelRetryMs)
  t.notOk(first.isWanted('decide'))
  const again = first.hears({ type: 'deadline.retry' })
  t.equal(again.state, 'observing')
  t.notOk('retry' in again.context.deadlines)
  t.equal(Story.deciding().hears(failure('stalled')).state, 'waiting')
  const told = Story.deciding().hears(failure('overloaded', { retryAfterMs: 20_000 }))
  t.equal(told.context.deadlines['retry'], startMs + 21_000)
  let story = Story.deciding()
  for (let i = 1; i < taskRunLimits.modelTries; i++) {
    story = story.hears(failure('network'), { type: 'deadline.retry' }, observed())
  }
  t.equal(story.state, 'deciding')
  t.match(story.hears(failure('network')).end, {
    end: 'provider_failed',
    error: /network.* The request was sent 6 times\.$/,
  })
  t.equal(story.hears(decided(), observed(), failure('network')).state, 'waiting', 'counted anew')
})

t.test('a model that does not answer is reported from the second second on', async (t) => {
  const asked = Story.deciding()
  const sinceMs = startMs + 1_000
  t.equal(asked.context.deadlines['answer'], sinceMs + taskRunLimits.modelWaitNoticeMs)
  t.notOk(viewOf(asked).waiting)
  const silent = asked.hears({
    type: 'deadline.answer',
    at: sinceMs + taskRunLimits.modelWaitNoticeMs,
  })
  t.equal(silent.state, 'deciding')
  t.ok(silent.isWanted('decide'), 'the request goes on')
  const since = new Date(sinceMs).toISOString()
  t.match(silent.states.at(-1), { state: 'deciding', waiting: { for: 'model', since } })
  t.same(viewOf(silent).waiting, { for: 'model', sinceMs })
  const answered = silent.hears(decided(), observed())
  t.notOk(viewOf(answered).waiting)
  t.not(viewOf(silent.hears({ type: 'pause' })).state, 'deciding')
  t.notOk(viewOf(silent.hears({ type: 'pause' })).waiting)

  const busy = Story.deciding().hears(failure('rate_limited'))
  const retry_at = new Date(sinceMs + taskRunLimits.modelRetryMs).toISOString()
  const waiting = { reason: 'the model: rate_limited', retry_at }
  t.match(busy.states.at(-1), { state: 'waiting', status: 'RUNNING', waiting })
  t.notOk(viewOf(busy.hears({ type: 'deadline.retry' })).waiting)
})

const viewOf = ({ last }: Story) => taskView(last.snapshot as never)

t.test('a delay longer than the remaining time fails the task now', async (t) => {
  const story = Story.deciding().hears(failure('rate_limited', { retryAfterMs: 3_600_000 }))
  t.match(story.end, { end: 'provider_failed', error: 'the model: rate_limited' })
})

t.test('a prompt that is too long is halved, a limited number of times', async (t) => {
  let story = Story.deciding()
  for (let i = 1; i <= taskRunLimits.modelSqueezes; i++) {
    story = story.hears(failure('context_length'))
    t.equal(story.state, 'observing')
    t.equal(story.context.squeezed, i)
    story = story.hears(observed())
  }
  t.match(story.hears(failure('context_length')).end, { end: 'model_unusable' })
})

for (const kind of ['malformed', 'empty', 'truncated']) {
  t.test(`an answer that is ${kind} is asked for again, with an explanation`, async (t) => {
    let story = Story.deciding()
    for (let i = 1; i <= taskRunLimits.modelRepairs; i++) {
      story = story.hears(failure(kind, { notice: 'Answer with calls.' }))
      t.same(story.context.notices.at(-1), 'Answer with calls.')
      story = story.hears(observed())
    }
    t.match(story.hears(failure(kind)).end, { end: 'model_unusable' })
    t.same(story.hears(decided()).context.failures, {})
  })
}

t.test('a result that does not fit is repaired once', async (t) => {
  const once = Story.deciding().hears(failure('bad_result', { notice: 'no' }), observed())
  t.equal(once.state, 'deciding')
  t.match(once.hears(failure('bad_result')).end, { end: 'bad_result' })
})

for (const [kind, end] of [
  ['refused', 'model_refused'],
  ['auth', 'provider_auth'],
  ['not_found', 'provider_failed'],
  ['rejected', 'provider_failed'],
]) {
  t.test(`${kind} ends it at once, with the true reason`, async (t) => {
    const story = Story.deciding().hears(failure(kind!, { message: 'The key is wrong.' }))
    t.match(story.end, { state: 'failed', end, error: 'The key is wrong.' })
  })
}

t.test('the cost of a useless answer is counted', async (t) => {
  const usage = { inputTokens: 7, cachedTokens: 0, outputTokens: 3 }
  const story = Story.deciding().hears({ ...failure('truncated'), usage })
  t.match(story.context.usage, { calls: 1, inputTokens: 7, outputTokens: 3 })
})

t.test('repeating itself is reported to the model, then ends the task', async (t) => {
  let story = Story.deciding()
  let nudged = false
  for (let i = 0; i < 30 && story.context.outcome === null; i++) {
    story = story.hears(decided({ acts: [act()] }), acted())
    nudged ||= story.context.notices.length > 0
    story = story.hears(observed('same'))
  }
  t.ok(nudged)
  t.match(story.end, { state: 'failed', end: /loop|no_progress/ })
})
