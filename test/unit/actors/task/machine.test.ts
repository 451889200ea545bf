// Goal: a task goes from its order to one true end, each step numbered and recorded once, and never
// repeats what it may have done; its machine alone, no runtime.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { taskView } from '../../../../actors/task/machine/view.ts'
import { taskEnds, taskStates } from '../../../../proto/task/task.ts'
import { persistSnapshot, restoreSnapshot } from '../../../../runtime/actor/cell/machine.ts'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { taskMachine } from '../../../../actors/task/machine/machine.ts'
import {
  act,
  acted,
  decided,
  done,
  failure,
  observed,
  order,
  prepared,
  refusalOf,
  sessionId,
  startMs,
  Story,
  turn,
} from '../../../helpers/tasks/story.ts'
import { taskRunLimits } from '../../../../actors/task/limits.ts'

t.test('it queues, prepares, observes, decides, acts, and observes again', async (t) => {
  const queued = Story.begin()
  t.equal(queued.state, 'queued')
  t.same(queued.wanted, ['publish', 'enter'])
  const waiting = queued.hears({ type: 'entered' })
  t.equal(waiting.state, 'queued', 'another has the turn')
  const preparing = waiting.hears({ type: 'session.turn', turn })
  t.equal(preparing.state, 'preparing')
  t.same(preparing.wanted, ['prepare', 'attend'])
  const observing = preparing.hears(prepared)
  t.equal(observing.state, 'observing')
  const deciding = observing.hears(observed())
  t.same([deciding.state, deciding.wanted], ['deciding', ['decide']])
  const acting = deciding.hears(decided({ acts: [act()] }))
  t.equal(acting.state, 'acting')
  t.match(acting.last.requested, [{ kind: 'act', retry: 'once', params: { step: 1, index: 0 } }])
  const again = acting.hears(acted())
  t.equal(again.state, 'observing')
  t.same(again.wanted, ['publish', 'observe'])
  t.match(again.steps, [
    {
      n: 1,
      task_id: 'tsk_01',
      page: { url: 'https://shop.test/' },
      reason: 'I see a button.',
      actions: [{ tool: 'click', outcome: 'done', text: '+ e2', ms: 5 }],
      tokens: { input: 1_000, output: 50 },
      ms: { observe: 20, decide: 100, act: 5 },
    },
  ])
})

t.test('one without a session says so, and names the one it makes', async (t) => {
  const own = Story.begin({ sessionId: undefined })
  t.equal(own.context.sessionId, 'ses_01')
  t.match(own.states, [{ n: 1, state: 'acquiring' }])
  t.match(taskView(own.last.snapshot as never), { state: 'acquiring', ownsSession: true })
})

t.test('it completes with its result, after its last acts', async (t) => {
  const leaving = Story.deciding().hears(
    decided({
      acts: [act()],
      then: { kind: 'done', success: true, result: { success: true, result: 'milk' } },
    }),
    acted(),
  )
  t.equal(leaving.state, 'leaving')
  t.same(leaving.context.deadlines, {})
  const over = leaving.hears({ type: 'left' })
  t.equal(over.state, 'completed')
  t.match(taskView(over.last.snapshot as never), {
    state: 'completed',
    end: 'done',
    result: { success: true, result: 'milk' },
    steps: 1,
    endedAtMs: startMs + 1_000,
  })
  t.match(over.states.at(-1), {
    state: 'completed',
    status: 'COMPLETED',
    result: { result: 'milk' },
  })
  t.same(
    over.states.map(({ n, state }) => [n, state]),
    [
      [1, 'queued'],
      [2, 'observing'],
      [3, 'completed'],
    ],
  )
})

t.test('every field of a record is in the table of proto/README.md', async (t) => {
  const readme = readFileSync(join(packageRoot, 'proto', 'README.md'), 'utf8')
  const [, table = ''] = /## Records of tasks\n([^]*?)\n## /.exec(readme) ?? []
  const then = { kind: 'ask', question: 'Which?' } as const
  const asking = Story.deciding().hears(decided({ acts: [act()], then }), acted())
  const told = [asking, Story.deciding({ maxSteps: 1 }).hears(decided(), { type: 'left' })]
  const records = [...told, Story.deciding().hears(done(), { type: 'left' })].flatMap((one) => {
    return one.records
  })
  // The picture is added where it is taken, and not every model has a price.
  const fields = new Set([
    'screenshot',
    'cost_usd',
    ...records.flatMap((record) => Object.keys(record)),
  ])
  for (const field of ['question', 'result', 'error']) t.ok(fields.has(field), field)
  const missing = [...fields].filter((field) => !new RegExp(`\\| .*\`${field}\\W`).test(table))
  t.same(missing, [])
})

t.test('giving up is a completion too, without success', async (t) => {
  const over = Story.deciding({ finalCheck: true }).hears(done(false), { type: 'left' })
  t.match(over.context.outcome, { end: 'done', result: { success: false } })
})

t.test(
  'acts are done one after the other, and the rest is dropped once the page has changed',
  async (t) => {
    const acts = [act(), act({ tool: 'type' }), act({ tool: 'press_key' })]
    const first = Story.deciding().hears(decided({ acts }))
    t.match(first.last.requested, [{ params: { index: 0 } }])
    const second = first.hears(acted())
    t.match(second.last.requested, [{ kind: 'act', params: { index: 1 } }])
    const moved = second.hears(acted({ tool: 'type' }, true))
    t.equal(moved.state, 'observing')
    t.same(
      moved.steps[0]?.actions.map(({ tool, outcome }) => [tool, outcome]),
      [
        ['click', 'done'],
        ['type', 'done'],
        ['press_key', 'dropped'],
      ],
    )
  },
)

t.test('an end declared together with failed acts is not accepted', async (t) => {
  const then = { kind: 'done', success: true, result: {} } as const
  const story = Story.deciding().hears(
    decided({ acts: [act()], then }),
    acted({ outcome: 'failed', text: 'covered' }),
  )
  t.equal(story.state, 'observing')
})

t.test('an act with an unknown outcome is not repeated: the page is read', async (t) => {
  const acting = Story.deciding().hears(decided({ acts: [act(), act()] }))
  const story = acting.hears({ type: 'effect.unknown', effectId: 'e', kind: 'act' })
  t.equal(story.state, 'observing')
  t.match(story.steps, [{ actions: [{ outcome: 'unknown' }, { outcome: 'dropped' }] }])
  t.equal(story.asked.filter(({ kind }) => kind === 'act').length, 1)
})

t.test('an act that only looks may be repeated', async (t) => {
  const story = Story.deciding().hears(decided({ acts: [act({ tool: 'find', repeat: 'safe' })] }))
  t.match(story.last.requested, [{ kind: 'act', retry: 'safe' }])
})

t.test('an impossible act has failed, and the task goes on', async (t) => {
  const error = { type: 'internal', message: 'no way' }
  const story = Story.deciding()
    .hears(decided({ acts: [act()] }))
    .hears({ type: 'effect.failed', effectId: 'e', kind: 'act', error })
  t.equal(story.state, 'observing')
  t.match(story.steps, [{ actions: [{ outcome: 'failed', text: 'no way' }] }])
})

t.test('refused acts are in the record too', async (t) => {
  const refused = [{ tool: 'evaluate', given: { a: 1 }, why: 'there is no such tool' }]
  const story = Story.deciding().hears(decided({ refused }))
  t.equal(story.state, 'observing')
  t.match(story.steps, [
    { actions: [{ tool: 'evaluate', outcome: 'refused', text: 'there is no such tool' }] },
  ])
})

t.test('after a take-over it reads the page before it decides', async (t) => {
  const story = Story.deciding()
  t.equal(story.hears({ type: 'recovered', epoch: 2 }).state, 'observing')
  t.equal(story.hears({ type: 'forgotten' }).state, 'observing')
  const acting = story.hears(decided({ acts: [act()] }))
  t.equal(acting.hears({ type: 'recovered', epoch: 2 }).state, 'acting', 'it will be told of it')
})

// Every state before the end in which it can rest, and how it is reached.
const rests: Readonly<Record<string, () => Story>> = {
  queued: () => Story.begin(),
  preparing: () => Story.begin().hears({ type: 'entered', turn }),
  observing: () => Story.begin().hears({ type: 'entered', turn }, prepared),
  deciding: () => Story.deciding(),
  acting: () => Story.deciding().hears(decided({ acts: [act(), act()] })),
  checking: () => Story.deciding({ finalCheck: true }).hears(done()),
  waiting: () => Story.deciding().hears(failure('rate_limited')),
  paused: () => Story.deciding().hears({ type: 'pause' }),
  asking: () => Story.deciding().hears(decided({ then: { kind: 'ask', question: 'Which?' } })),
}

const gone = { type: 'session.ended', sessionId, reason: 'node_lost', message: 'The host is gone.' }
for (const [state, reach] of Object.entries(rests)) {
  t.test(`in ${state}: cancel, time, the session’s end and nothing else of its kind`, async (t) => {
    const story = reach()
    t.equal(story.state, state)
    t.match(story.hears({ type: 'cancel' }).end, { state: 'cancelled', end: 'cancelled' })
    t.match(story.hears({ type: 'deadline.max' }).end, { state: 'timed_out', end: 'timeout' })
    const lost = story.hears(gone)
    t.match(lost.end, {
      state: 'failed',
      end: ['queued'].includes(state) ? 'session_unavailable' : 'session_ended',
      error: /The host is gone/,
    })
    t.ok(lost.context.isSessionGone)
    t.equal(story.hears({ ...gone, sessionId: 'ses_other' }).state, state)
    const stopped = story.hears({ type: 'cancel' })
    const passing = ['enter', 'prepare', 'observe', 'decide', 'act', 'check', 'attend'] as const
    for (const kind of passing) {
      t.notOk(stopped.isWanted(kind), `${kind} is not wanted any more`)
    }
    t.ok(stopped.isWanted('publish') && stopped.isWanted('leave'))
    t.equal(stopped.hears({ type: 'cancel' }).last.snapshot, stopped.last.snapshot, 'once')
    const numbers = stopped.hears({ type: 'left' }).steps.map(({ n }) => n)
    t.same(
      numbers,
      numbers.map((_, i) => i + 1),
    )
  })
}

t.test('stopped in the middle of a step, it records what is known of the step', async (t) => {
  const story = Story.deciding()
    .hears(decided({ acts: [act(), act(), act()] }), acted())
    .hears({ type: 'cancel' })
  t.same(
    story.steps[0]?.actions.map(({ outcome }) => outcome),
    ['done', 'unknown', 'dropped'],
  )
})

t.test('an end is final, whatever comes after it', async (t) => {
  const over = Story.deciding().hears(done(), { type: 'left' })
  for (const event of [{ type: 'cancel' }, gone, { type: 'deadline.max' }, { type: 'pause' }]) {
    t.equal(over.hears(event).last.snapshot, over.last.snapshot, event.type)
  }
  t.equal(refusalOf(over, { type: 'pause' }), 'conflict')
  t.equal(refusalOf(over, { type: 'cancel' }), undefined)
})

t.test('a session that cannot be had ends it with the reason', async (t) => {
  const error = { type: 'queue_full', message: 'No browser is free.' }
  const story = Story.begin().hears({ type: 'effect.failed', effectId: 'e', kind: 'enter', error })
  t.match(story.end, { end: 'session_unavailable', error: 'No browser is free.' })
  const ended = { type: 'session_ended', message: 'The session has ended (idle).' }
  const late = Story.deciding()
    .hears(decided())
    .hears({ type: 'effect.failed', effectId: 'e', kind: 'observe', error: ended })
  t.match(late.end, { end: 'session_ended', error: /idle/ })
})

t.test('a page that did not open is reported to the model once', async (t) => {
  const story = Story.begin().hears(
    { type: 'entered', turn },
    { ...prepared, notice: 'The page did not open.' },
    observed(),
  )
  t.same(story.context.notices, ['The page did not open.'])
  t.same(story.hears(decided()).context.notices, [])
})

t.test('secrets are dropped at its end', async (t) => {
  const story = Story.deciding({ sealedSecrets: 'v1.ofTheKey.sealed' })
  const view = ({ last }: Story) => taskView(last.snapshot as never)
  t.notMatch(JSON.stringify(view(story)), 'sealed')
  t.equal(view(story).sealKey, 'ofTheKey', 'which must be kept until it is over')
  const over = story.hears(done(), { type: 'left' })
  t.notOk('sealedSecrets' in over.context.order)
  t.equal(view(over).sealKey, undefined)
})

t.test('the results of a step’s actions are bounded together', async (t) => {
  const acts = [act(), act(), act()]
  const text = '\u4e2d'.repeat(taskRunLimits.stepTextBytes / 5)
  const story = Story.deciding()
    .hears(decided({ acts }))
    .hears(acted({ text }), acted({ text }), acted({ text }))
  const [step] = story.steps
  t.same(
    step?.actions.map(({ outcome }) => outcome),
    ['done', 'done', 'done'],
  )
  const { acts: told } = story.context.history.steps[0]!
  t.ok(Buffer.byteLength(told.join('')) < taskRunLimits.stepTextBytes * 1.1)
})

t.test('a result is in the log once', async (t) => {
  const then = { kind: 'done', success: true, result: { success: true, result: 'RESULT' } } as const
  for (const finalCheck of [true, false]) {
    const story = Story.deciding({ finalCheck }).hears(decided({ then }), failure('network'))
    t.equal(JSON.stringify(story.context).split('RESULT').length - 1, 1)
  }
})

for (const [state, reach] of Object.entries(rests)) {
  t.test(`${state} survives being stored in the log`, async (t) => {
    const { last } = reach()
    const stored = JSON.parse(JSON.stringify(persistSnapshot(taskMachine, last.snapshot)))
    const back = restoreSnapshot(taskMachine, stored)
    t.equal(back.value, state)
    t.same(back.context, last.snapshot.context)
  })
}

t.test(
  'every state in which it can rest is a public one, and every end has its own cause',
  async (t) => {
    const passing = ['preparing', 'turning', 'between', 'gone']
    const machine = Object.keys(taskMachine.root.states).filter((one) => !passing.includes(one))
    t.same([...machine, 'acquiring'].sort(), [...taskStates].sort())
    t.ok(taskEnds.length > 0 && order.timeoutMs > 0)
  },
)
