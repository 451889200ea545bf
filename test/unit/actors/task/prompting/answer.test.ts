/**
 * Goal: whatever a model answers, the task gets a decision that can be carried out, or a message
 * with which the model is asked again. Method: answers made by hand, then generated.
 */
import fc from 'fast-check'
import t from 'tap'
import { parseAnswer } from '../../../../../actors/task/prompting/answer/answer.ts'
import { emptyHistory } from '../../../../../actors/task/prompting/history.ts'
import { pageToolsByName } from '../../../../../actors/task/prompting/tools.ts'
import type { PromptBrief } from '../../../../../actors/task/prompting/decision.ts'
import {
  answerOf,
  briefOf,
  decided,
  faultIn,
  observationOf,
} from '../../../../helpers/tasks/brief.ts'
import { taskRunLimits } from '../../../../../actors/task/limits.ts'

type Calls = Parameters<typeof answerOf>[0]
const decide = (calls: Calls, brief: Partial<PromptBrief> = {}, text = '') =>
  decided(parseAnswer(answerOf(calls, text), briefOf(brief)))
const whyOf = (calls: Calls, brief: Partial<PromptBrief> = {}) =>
  decide(calls, brief).refused.map(({ why }) => why)

t.test('calls become acts of the catalogue, with the line of their target', async (t) => {
  const { acts, note, then, refused } = decide([
    ['type', { note: 'There is a search.', target: 'e1', text: 'hat' }],
    ['click', { note: 'It is sent.', target: 'e2', double: 'false' }],
  ])
  t.equal(note, 'There is a search. It is sent.')
  t.match(acts, [
    { command: 'type', input: { target: 'e1', text: 'hat' }, element: 'e1 textbox "Search"' },
    { command: 'click', input: { target: 'e2', double: false }, element: 'e2 button "Go"' },
  ])
  t.same(acts[0]!.given, { target: 'e1', text: 'hat' }, 'without the note')
  t.same([acts[0]!.repeat, then, refused], ['once', { kind: 'go_on' }, []])
})

t.test('typical mistakes of smaller models are read as they were meant', async (t) => {
  const [byLine, byName, ...others] = decide([
    ['click', { target: '[e2]' }],
    ['functions.click', { target: 'e2 button "Go"', button: null }],
    ['select_option', { target: 'e1', values: 'Red' }],
    ['scroll', { pages: '2' }],
    ['screenshot', ''],
    ['tab_select', { tab: '*T1' }],
    ['click', JSON.stringify(JSON.stringify({ target: 'ref=e4' }))],
  ]).acts
  t.match([byLine, byName], [{ input: { target: 'e2' } }, { input: { target: 'e2' } }])
  t.match(others, [
    { input: { values: ['Red'] } },
    { input: { pages: 2 } },
    { command: 'screenshot' },
    { input: { tab: 'T1' } },
    { input: { target: 'e4' } },
  ])
})

t.test('a name in quotes cannot imitate the end of a line', async (t) => {
  const text = `e5 button "a e6 link b, Pay now" e7 link "x"\ne15 button "other"`
  const [act] = decide([['click', { target: 'e5' }]], { observation: observationOf({ text }) }).acts
  t.equal(act!.element, 'e5 button "a e6 link b, Pay now"')
})

t.test('the line of a ref that find has returned is known too', async (t) => {
  const acts = ['find text: tie → done: e40 link "x"\n e40 button "Tie"']
  const history = { ...emptyHistory, steps: [{ n: 1, page: '', note: '', acts }] }
  t.equal(decide([['click', { target: 'e40' }]], { history }).acts[0]!.element, 'e40 button "Tie"')
})

t.test('impossible calls are refused with what is possible', async (t) => {
  t.match(whyOf([['evaluate', { expression: '1' }]]), [/no such tool; there are .*click/])
  t.match(whyOf([['os_click', { x: 1, y: 1 }]]), [/no such tool/])
  t.match(whyOf([['mouse_click', { x: 1, y: 1 }]]), [/no such tool/], 'the page has text')
  t.match(whyOf([['ask_human', { question: 'Why?' }]]), [/no such tool/], 'no person is there')
  t.match(whyOf([['screenshot', {}]], { mayLook: false }), [/no such tool/])
  t.match(whyOf([['type', { target: 'e1', text: 'x', origins: ['evil.example'] }]]), [
    'it does not know origins; it takes target, text, append, submit',
  ])
  t.match(whyOf([['click', {}]]), ['it needs target'])
  t.match(whyOf([['click', { target: 'e1', button: 'top' }]]), [/^button invalid/])
  t.match(whyOf([['browser_navigate', {}]]), [/^url must be given, or send go instead/])
})

t.test('evaluate is not a tool, nor is anything of the desktop', async (t) => {
  const commands = [...pageToolsByName.values()].map(({ command }) => command.name as string)
  for (const never of ['evaluate', 'keyboard_type', 'keyboard_shortcut', 'clipboard_read']) {
    t.notOk(commands.includes(never), never)
  }
})

t.test('done is accepted alone or last, and only when all before it was usable', async (t) => {
  const done = ['done', { success: true, answer: 'A hat for 12.' }] as const
  const click = ['click', { target: 'e2' }] as const
  const end = { kind: 'done', success: true, result: { success: true, result: 'A hat for 12.' } }
  t.same(decide([done]).then, end)
  t.match(decide([click, done]), { acts: [{ command: 'click' }], then: end })
  const early = decide([done, click])
  t.match(early, { acts: [{ command: 'click' }], then: { kind: 'go_on' } })
  t.match(early.refused, [{ tool: 'done', why: 'done must be the last call' }])
  const blind = decide([['evaluate', {}], done])
  t.match(blind, {
    then: { kind: 'go_on' },
    refused: [{}, { tool: 'done', why: /call before it/ }],
  })
  t.match(whyOf([['done', { success: true }]]), ['it needs answer'])
  const failed = { success: false, result: 'No hats.' }
  const sad = decide([['done', { success: 'false', answer: 'No hats.' }]])
  t.same(sad.then, { kind: 'done', success: false, result: failed })
})

t.test('on the last step only done is accepted', async (t) => {
  t.same(whyOf([['click', { target: 'e2' }]], { isLast: true }), ['only done is left'])
})

t.test('a person is asked where allowed, and facts are kept', async (t) => {
  const { facts, then } = decide(
    [
      ['remember', { fact: 'The hat costs 12.' }],
      ['ask_human', { question: 'Which colour?' }],
    ],
    { mayAsk: true },
  )
  t.same([facts, then], [['The hat costs 12.'], { kind: 'ask', question: 'Which colour?' }])
})

t.test('an answer without a usable call is asked for once more', async (t) => {
  const ask = (calls: Calls) =>
    faultIn(parseAnswer(answerOf(calls, 'I would click Go.'), briefOf()))
  t.match(ask([]), { kind: 'malformed', notice: /had no tool call.*Tools: .*click/ })
  for (const text of [
    '{"target": "e1"',
    '[]',
    '7',
    'null',
    `"${'x'.repeat(taskRunLimits.callChars)}"`,
  ]) {
    t.match(ask([['click', text]]), { kind: 'malformed', notice: /click was no use/ })
  }
  const deep = '['.repeat(30_000) + ']'.repeat(30_000)
  t.match(ask([['click', `{"target": ${deep}}`]]).notice, /nested too deeply/)
  const mixed = decide([
    ['click', '{'],
    ['click', { target: 'e1' }],
  ])
  t.match(mixed, { acts: [{ command: 'click' }], refused: [{ tool: 'click', given: {} }] })
})

t.test('a call repeated under one id is one call, two similar calls are two', async (t) => {
  const answer = answerOf([['click', { target: 'e1' }]])
  const twice = { ...answer, calls: [answer.calls[0]!, answer.calls[0]!] }
  t.equal(decided(parseAnswer(twice, briefOf())).acts.length, 1)
  const nameless = { ...answer, calls: [1, 2].map(() => ({ ...answer.calls[0]!, id: '' })) }
  t.equal(decided(parseAnswer(nameless, briefOf())).acts.length, 2)
  t.equal(decide(Array(2).fill(['click', { target: 'e1' }])).acts.length, 2)
})

t.test('of many calls the first are done, and of long ones those that fit', async (t) => {
  const many = decide(Array(500).fill(['click', { target: 'e1' }]))
  t.equal(many.acts.length, taskRunLimits.answerCalls)
  t.match(many.refused, [{ why: /10 calls at most; 90 more/ }])
  const file = { target: 'e1', name: 'a.txt', content: '€'.repeat(4_000) }
  const long = decide(Array(5).fill(['upload', file]))
  t.match([long.acts.length, long.refused.length], [2, 3])
})

t.test('a note is the text beside its calls, not its reasoning', async (t) => {
  const click: Calls = [['click', { target: 'e1' }]]
  t.equal(decide(click, {}, '<think>Hm.\nHm!</think>I\u202E go on.').note, 'I go on.')
  t.equal(decide(click, {}, '<think>Hm, cut').note, '')
  t.equal(decide([['click', { target: 'e1', note: 'Here.' }]], {}, 'Words').note, 'Here.')
})

t.test('positions are accepted on pages that are pictures', async (t) => {
  const observation = observationOf({ visual: true })
  const calls: Calls = [
    ['mouse_click', { x: '30', y: 40 }],
    ['mouse_drag', { startX: 0, startY: 0, endX: 50, endY: 10 }],
  ]
  t.match(decide(calls, { observation }).acts, [
    { command: 'mouse_click', input: { x: 30, y: 40, button: 'left' } },
    { command: 'drag_and_drop', input: { endX: 50 } },
  ])
})

const names = [
  ...pageToolsByName.keys(),
  'done',
  'remember',
  'ask_human',
  'evaluate',
  '',
  '__proto__',
]
const strings = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('e1', 'e4', '<secret>a</secret>'),
)
const fields = fc.dictionary(
  fc.constantFrom(
    'target',
    'text',
    'url',
    'note',
    'success',
    'result',
    'answer',
    'pages',
    '__proto__',
  ),
  fc.oneof(strings, fc.jsonValue(), fc.boolean()),
)
const call = fc.tuple(
  fc.oneof(fc.constantFrom(...names), fc.string()),
  fc.oneof(
    fields.map((given) => JSON.stringify(given)),
    fc.string(),
    fc.json(),
  ),
)

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)])
}

t.test('no answer makes it throw, and its result is bounded', async (t) => {
  const outputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const property = fc.property(
    fc.array(call, { maxLength: 20 }),
    strings,
    fc.boolean(),
    (calls, text, has) => {
      const brief = briefOf({ mayAsk: true, ...(has && { outputSchema }) })
      const reading = parseAnswer(answerOf(calls, text), brief)
      if (reading.kind === 'fault') return reading.fault.notice.length <= taskRunLimits.noticeChars
      const { acts, refused, note, facts } = reading.decision
      return (
        acts.length + facts.length <= taskRunLimits.answerCalls &&
        refused.length <= taskRunLimits.answerCalls + 1 &&
        note.length <= taskRunLimits.noteChars + 1 &&
        acts.every(({ tool, command }) => pageToolsByName.get(tool)?.command.name === command) &&
        textsIn(reading).every((text) => Buffer.from(text).toString() === text)
      )
    },
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }))
})
