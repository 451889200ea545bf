/** The input of a prompt, with defaults for everything that a test does not care about. */
import type { ModelAnswer } from '../../../actors/task/models/model.ts'
import type {
  PromptBrief,
  Decision,
  Observation,
  ParsedAnswer,
} from '../../../actors/task/prompting/decision.ts'
import { emptyHistory } from '../../../actors/task/prompting/history.ts'

export const observationOf = (more: Partial<Observation> = {}): Observation => ({
  url: 'https://shop.example/hats',
  title: 'Hats',
  text: '# Hats\ne1 textbox "Search"\ne2 button "Go" e3 link "Help"\ne4 button "Save"',
  more: 0,
  tabs: [{ id: 'T1', url: 'https://shop.example/hats', title: 'Hats', selected: true }],
  visual: false,
  showsSecret: false,
  fingerprint: 'p1',
  ms: 5,
  ...more,
})

export const briefOf = (more: Partial<PromptBrief> = {}): PromptBrief => ({
  goal: 'Find a hat that costs less than 20.',
  history: emptyHistory,
  observation: observationOf(),
  notices: [],
  secretNames: [],
  mayAsk: false,
  mayLook: true,
  isLast: false,
  budgets: [],
  today: '2026-11-21',
  ...more,
})

/** Calls with their arguments, as objects or as the raw text. */
export function answerOf(
  calls: readonly (readonly [string, object | string])[],
  text = '',
): ModelAnswer {
  return {
    text,
    calls: calls.map(([name, given], at) => ({
      id: `call_${at}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
    model: 'test',
  }
}

export function decided(reading: ParsedAnswer): Decision {
  if (reading.kind === 'decision') return reading.decision
  throw new Error(`no decision: ${reading.fault.notice}`)
}

export function faultIn(reading: ParsedAnswer) {
  if (reading.kind === 'fault') return reading.fault
  throw new Error(`a decision: ${JSON.stringify(reading.decision)}`)
}
