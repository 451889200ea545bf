// Goal: claims of success are checked, and the person who watches a task is asked and obeyed.
import t from 'tap'
import {
  act,
  acted,
  decided,
  done,
  failure,
  observed,
  prepared,
  refusalOf,
  Story,
  turn,
} from '../../../helpers/tasks/story.ts'

t.test('a claim is checked against the goal; the model is told what is missing', async (t) => {
  const checking = Story.deciding({ finalCheck: true }).hears(done())
  t.same([checking.state, checking.wanted], ['checking', ['publish', 'check']])
  const usage = { inputTokens: 5, cachedTokens: 0, outputTokens: 1 }
  const verdict = (accomplished: boolean) => ({
    type: 'checked',
    verdict: { accomplished, missing: accomplished ? '' : 'no milk in the cart' },
    usage,
  })
  t.match(checking.hears(verdict(true)).end, { end: 'done', result: { success: true } })
  const again = checking.hears(verdict(false))
  t.equal(again.state, 'observing')
  t.match(again.context.notices, [/no milk in the cart/])
  const last = again.hears(observed(), done(), verdict(false))
  t.match(last.end, { end: 'done', result: { success: false, result: /no milk in the cart/ } })
  t.match(checking.hears(failure('network')).end, { end: 'done', result: { success: true } })
})

t.test('a question waits for its answer, which the model reads', async (t) => {
  const asking = Story.deciding().hears(decided({ then: { kind: 'ask', question: 'Which?' } }))
  const questionId = `${asking.context.id}.q1`
  t.match(asking.context.question, { id: questionId, kind: 'question', text: 'Which?' })
  t.match(asking.states.at(-1), { state: 'asking', question: { id: questionId } })
  const asked = { tool: 'ask_human', input: { question: 'Which?' }, outcome: 'done' }
  t.match(asking.steps.at(-1)?.actions, [asked], 'and whoever reads its steps sees that it asked')
  const other = { type: 'answer', questionId: 'tsk_of_another.q1', text: 'x' }
  t.equal(refusalOf(asking, other), 'conflict')
  const empty = { type: 'answer', questionId }
  t.equal(refusalOf(asking, empty), 'bad_request')
  const answered = asking.hears({ type: 'answer', questionId, text: 'The blue one' })
  t.equal(answered.state, 'observing')
  t.equal(answered.context.question, null)
  t.match(answered.context.notices, [/Which\?[^]*The blue one/])
})

const paying = { humanIntervention: true } as const
const pay = decided({ acts: [act({ gate: 'payment', element: 'e1 button "Pay"' }), act()] })

t.test('an act of a named class waits for a person', async (t) => {
  const asking = Story.deciding(paying).hears(pay)
  t.equal(asking.state, 'asking')
  t.notOk(asking.wanted.includes('act'))
  t.match(asking.context.question, { kind: 'confirmation', action: 'payment', text: /Pay/ })
  const questionId = asking.context.question!.id
  const allowed = asking.hears({ type: 'answer', questionId, approve: true })
  t.equal(allowed.state, 'acting')
  t.match(allowed.last.requested.at(-1), { kind: 'act', params: { index: 0 } })
  t.equal(allowed.hears(acted()).state, 'acting', 'the next one is of no such class')
  const word = { type: 'answer', questionId, approve: false, text: 'too dear' }
  const forbidden = asking.hears(word)
  t.equal(forbidden.state, 'observing')
  t.match(forbidden.steps[0]?.actions, [
    { outcome: 'refused', text: /does not allow[^]*too dear/ },
    { outcome: 'dropped' },
  ])
  t.notOk(forbidden.asked.some(({ kind }) => kind === 'act'))
  const dropped = asking.hears({ type: 'cancel' })
  t.match(dropped.steps[0]?.actions, [{ outcome: 'dropped' }, { outcome: 'dropped' }])
})

t.test('each act of the class needs its own answer', async (t) => {
  const both = decided({ acts: [act({ gate: 'payment' }), act({ gate: 'payment' })] })
  const first = Story.deciding(paying).hears(both)
  const questionId = first.context.question!.id
  const second = first.hears({ type: 'answer', questionId, approve: true }, acted())
  t.equal(second.state, 'asking')
  t.not(second.context.question!.id, questionId)
})

t.test('without a named class, or without a person, no act waits', async (t) => {
  t.equal(Story.deciding({ ...paying, confirm: ['deletion'] }).hears(pay).state, 'acting')
  t.equal(Story.deciding().hears(pay).state, 'acting')
})

t.test('a pause stops acts that are not started, and ends with a fresh look', async (t) => {
  const paused = Story.deciding().hears({ type: 'pause' })
  t.equal(paused.state, 'paused')
  t.notOk(paused.isWanted('decide'))
  t.equal(paused.hears({ type: 'resume' }).state, 'observing')
  const acting = Story.deciding()
    .hears(decided({ acts: [act(), act()] }))
    .hears({ type: 'pause' })
  t.equal(acting.state, 'acting')
  const after = acting.hears(acted())
  t.equal(after.state, 'paused')
  t.match(after.steps[0]?.actions, [{ outcome: 'done' }, { outcome: 'dropped' }])
  const early = Story.begin().hears({ type: 'pause' }, { type: 'entered', turn }, prepared)
  t.equal(early.state, 'paused')
  t.match(
    early.hears({ type: 'resume' }).states.map(({ state }) => state),
    ['queued', 'observing', 'paused', 'observing'],
  )
})
