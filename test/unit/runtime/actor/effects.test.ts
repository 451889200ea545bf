// Goal: an effect is tried as often as its kind allows, its end is reported once, and it never
// starts without a lease.
import { EventEmitter, once } from 'node:events'
import t from 'tap'
import type { ActorMessage } from '../../../../proto/envelope.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import type { EffectContext, EffectRetry } from '../../../../runtime/actor/actor-kind.ts'
import { EffectRunner } from '../../../../runtime/actor/cell/effects.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

type Handler = (params: unknown, context: EffectContext) => Promise<ActorMessage | void>

function stage(handler: Handler, mayAct: () => boolean | Promise<boolean> = () => true) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  const told: string[] = []
  const runner = new EffectRunner({
    actorId: 'a',
    epoch: 3,
    handlers: { act: handler },
    state: () => ({ tenant: 'acme', deadlines: { due: 5 } }),
    clock,
    random: () => 0.5,
    mayAct,
    outcomes: {
      done: (_, event) => told.push(`done ${event?.type}`),
      refused: (_, error) => told.push(`refused ${(error as Error).message}`),
      exhausted: (_, error) => told.push(`exhausted ${(error as Error).message}`),
    },
  })
  const start = (retry: EffectRetry, kind = 'act') =>
    runner.start({ effectId: 'a:1:0', kind, retry, params: { x: 1 } })
  return { timeline, told, runner, start }
}

t.test('the handler gets its parameters and its actor; its event is delivered', async (t) => {
  t.plan(2)
  const { timeline, told, start } = stage(async (params, { signal: _, ...context }) => {
    const state = { tenant: 'acme', deadlines: { due: 5 } }
    t.strictSame(
      { params, ...context },
      { params: { x: 1 }, effectId: 'a:1:0', attempt: 1, epoch: 3, actorId: 'a', state },
    )
    return { type: 'acted' }
  })
  start('safe')
  await timeline.run(0)
  t.strictSame(told, ['done acted'])
})

t.test('a safe effect is retried with backoff, up to the limit', async (t) => {
  const attempts: number[] = []
  const { timeline, told, start } = stage(async (_, { attempt }) => {
    attempts.push(attempt)
    throw new Error('no luck')
  })
  start('safe')
  await timeline.run(0)
  t.strictSame(attempts, [1])
  await timeline.run(60_000)
  t.strictSame(attempts, [1, 2, 3, 4].slice(0, limits.effectAttempts))
  t.strictSame(told, ['exhausted no luck'])
})

t.test('a once effect has one attempt', async (t) => {
  let attempts = 0
  const { timeline, told, start } = stage(async () => {
    attempts++
    throw new Error('no luck')
  })
  start('once')
  await timeline.run(60_000)
  t.equal(attempts, 1)
  t.strictSame(told, ['exhausted no luck'])
})

t.test('a refusal is not retried; a temporary failure is', async (t) => {
  let attempts = 0
  const { timeline, told, start } = stage(async () => {
    if (++attempts === 1) throw new ServiceError('unavailable', 'later')
    throw new ServiceError('conflict', 'never')
  })
  start('safe')
  await timeline.run(60_000)
  t.equal(attempts, 2)
  t.strictSame(told, ['refused never'])
})

t.test('without a lease no effect starts', async (t) => {
  const { timeline, told, start } = stage(
    async () => void t.fail('begun'),
    () => false,
  )
  start('safe')
  await timeline.run(60_000)
  t.strictSame(told, [])
})

t.test('an aborted effect reports nothing and is not retried; others go on', async (t) => {
  let attempts = 0
  const { timeline, told, runner, start } = stage(async (_, { signal }) => {
    if (++attempts === 1) await once(signal, 'abort')
    return { type: 'acted' }
  })
  start('safe')
  runner.abort('a:1:0')
  start('safe')
  await timeline.run(60_000)
  t.strictSame(told, ['done acted'])
  t.equal(attempts, 2)
})

t.test('once stopped, nothing is reported and running effects are aborted', async (t) => {
  let signal: AbortSignal | undefined
  const { timeline, told, runner, start } = stage(async (_, context) => {
    signal = context.signal
  })
  start('safe')
  runner.stop()
  await timeline.run(60_000)
  t.ok(signal?.aborted)
  t.strictSame(told, [])
})

t.test('an effect without a handler is exhausted, not lost', async (t) => {
  const { timeline, told, start } = stage(async () => undefined)
  start('once', 'unheard-of')
  await timeline.run(0)
  t.strictSame(told, ['exhausted no handler for effect unheard-of'])
})

t.test('one that is aborted while the lease is in doubt does not begin', async (t) => {
  const asked = new EventEmitter()
  const confirmed = once(asked, 'confirmed').then(() => true)
  const { timeline, told, runner, start } = stage(
    async () => ({ type: 'acted' }),
    () => confirmed,
  )
  start('safe')
  await timeline.run(0)
  runner.abort('a:1:0')
  asked.emit('confirmed')
  await timeline.run(1_000)
  t.strictSame(told, [])

  start('safe')
  await timeline.run(0)
  t.strictSame(told, ['done acted'])
})
