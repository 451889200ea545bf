/**
 * Goal: a task may take hundreds of steps while its prompt and its log stay small. Method: steps of
 * the largest size, one after the other; tokens counted.
 */
import { pack } from 'msgpackr'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { briefOf as taskBriefOf } from '../../../../../actors/task/step/brief.ts'
import {
  emptyHistory,
  historyText,
  rememberFact,
  rememberStep,
} from '../../../../../actors/task/prompting/history.ts'
import { promptOf } from '../../../../../actors/task/prompting/prompt.ts'
import type { PastStep } from '../../../../../actors/task/prompting/history.ts'
import type { TaskHistory } from '../../../../../actors/task/prompting/decision.ts'
import type { StepAction } from '../../../../../proto/task/task.ts'
import { observationOf } from '../../../../helpers/tasks/brief.ts'
import { act, acted, decided, observed, startMs, Story } from '../../../../helpers/tasks/story.ts'

const historyBytes = 24_000

const words = (text: string, times: number) => Array(times).fill(text).join(' ')

const click = (n: number): StepAction => ({
  tool: 'click',
  input: { target: `e${n}` },
  element: `e${n} link "Product ${n}"`,
  outcome: 'done',
  text: words(`+ e${n + 1} text "something new"`, 100),
  ms: 3,
})

const step = (
  n: number,
  actions: readonly StepAction[],
  facts: readonly string[] = [],
): PastStep => ({
  n,
  observation: { url: `https://shop.example/page/${n}`, title: `Page ${n}` },
  decision: { note: words(`On page ${n} there are more of them.`, 40), facts },
  actions,
})

const after = (steps: readonly PastStep[]): TaskHistory => steps.reduce(rememberStep, emptyHistory)

t.test('over 200 steps neither prompt nor log grows', async (t) => {
  let history: TaskHistory = emptyHistory
  const tokens: number[] = []
  const bytes: number[] = []
  for (let n = 1; n <= 200; n++) {
    const read = { ...click(n), tool: 'read_text', text: words(`line ${n}`, 2_000) }
    const facts = [`Product ${n} costs ${n}, and it is shipped in ${n % 7} days.`]
    history = rememberStep(history, step(n, [click(n), click(n), read], facts))
    tokens.push(countTokens(historyText(history)))
    bytes.push(pack(history).length)
  }
  const worst = Math.max(...bytes)
  t.ok(worst <= historyBytes, `${worst} bytes at most`)
  const [early, late] = [tokens.slice(100, 120), tokens.slice(180)].map(
    (some) => some!.reduce((sum, one) => sum + one, 0) / some!.length,
  )
  t.ok(
    late! < early! * 1.1,
    `${Math.round(early!)} tokens about step 110, ${Math.round(late!)} at 190`,
  )
})

t.test(
  'in a task of 200 steps each prompt is bounded, whatever its pages and acts contain',
  async (t) => {
    let story = Story.deciding({ maxSteps: 300, timeoutMs: 3_600_000 })
    const tokens: number[] = []
    for (let n = 1; n <= 200; n++) {
      const text = words(`line ${n} of what it says`, 300)
      story = story.hears(
        decided({
          note: words(`Product ${n} is next.`, 30),
          facts: [`${n} costs ${n}.`],
          acts: [act()],
        }),
        acted({ input: { target: `e${n}` }, text }),
        observed(),
      )
      if (n % 10 > 0) continue
      const brief = taskBriefOf(story.context, observationOf({ text }), startMs)
      const { user } = promptOf(brief, { nonce: 'k3v9', question: `q${n}` })
      tokens.push(countTokens(user.map((part) => ('text' in part ? part.text : '')).join()))
    }
    t.equal(story.context.steps, 200)
    const worst = Math.max(...tokens)
    t.ok(worst < 10_000, `${tokens[0]} tokens after 10 steps, ${worst} at most`)
  },
)

t.test('a step of the largest size leaves room for the others', async (t) => {
  const input = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`field${n}`, words('x', 250)]),
  )
  const large = Array(11).fill({ ...click(1), input, element: words('name', 50) }) as StepAction[]
  const facts = Array(10)
    .fill(0)
    .map((_, n) => words(`fact ${n}`, 100))
  const history = after(Array.from({ length: 40 }, (_, n) => step(n, large, facts)))
  const bytes = pack(history).length
  t.ok(bytes <= historyBytes, `${bytes} bytes`)
})

t.test('a step’s result is given once in full, then in short, then in a line', async (t) => {
  const text = words('All that the page says.', 200)
  const read = { ...click(1), tool: 'read_text', input: {}, element: undefined, text }
  const first = step(1, [read as unknown as StepAction])
  t.match(historyText(after([first])), text)
  const second = historyText(after([first, step(2, [click(2)])]))
  t.match(second, /Step 1 on https.*\n {2}read_text → done: All that the page says\..*…\nStep 2/)
  t.notMatch(second, text)
  const late = historyText(after(Array.from({ length: 12 }, (_, n) => step(n + 1, [click(n + 1)]))))
  t.match(late, /^1: On page 1 there are more of them\. .*\n2: /)
})

t.test('facts outlast the steps they are from, the same one is kept once', async (t) => {
  const told = step(1, [], ['The code is 4711.'])
  const steps = Array.from({ length: 100 }, (_, n) => step(n + 2, [click(n)]))
  const history = after([told, told, ...steps])
  t.same(history.facts, ['The code is 4711.'])
  t.match(historyText(history), /^Kept in sight:\n- The code is 4711\.\n/)
})

t.test('a person’s answers stay in the prompt', async (t) => {
  const history = rememberFact(after([step(1, [click(1)])]), 'Asked: Which size? The person: M')
  const later = Array.from({ length: 50 }, (_, n) => step(n + 2, [click(n)])).reduce(
    rememberStep,
    history,
  )
  t.match(historyText(later), '- Asked: Which size? The person: M\n')
})

t.test('an action is described with its outcome', async (t) => {
  const typed: StepAction = {
    tool: 'type',
    input: { target: 'e1', text: '<secret>pin</secret>', submit: true },
    element: 'e1 textbox "PIN"',
    outcome: 'failed',
    text: 'It is covered.',
    ms: 1,
  }
  t.match(
    historyText(after([step(1, [typed])])),
    '\n  type e1 textbox "PIN" text: <secret>pin</secret> submit: true → failed: It is covered.',
  )
})
