/** Draws a machine as a mermaid state diagram from its configuration. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/**
 * Flat machines only: states and the states that their events lead to; what happens within a state
 * is left out.
 */
export function mermaidOf(machine: AnyStateMachine): string {
  const states = Object.values(machine.root.states) as AnyStateNode[]
  const arrows = states.flatMap((state) => arrowsFrom(state))
  const ends = states.filter((state) => arrowsFrom(state).length === 0)
  return [
    'stateDiagram-v2',
    `  [*] --> ${initialOf(machine)}`,
    ...arrows.map(({ from, to, events }) => `  ${from} --> ${to}${labelOf(events)}`),
    ...ends.map((state) => `  ${state.key} --> [*]`),
  ].join('\n')
}

interface Arrow {
  readonly from: string
  readonly to: string
  readonly events: readonly string[]
}

function arrowsFrom(state: AnyStateNode): Arrow[] {
  const events = new Map<string, string[]>()
  for (const [event, transitions] of state.transitions) {
    for (const target of transitions.flatMap((transition) => transition.target ?? [])) {
      events.set(target.key, [...(events.get(target.key) ?? []), event])
    }
  }
  const named = [...events].map(([to, names]) => ({ to, events: [...new Set(names)] }))
  const always = (state.always ?? []).flatMap((transition) => transition.target ?? [])
  const unnamed = [...new Set(always)].map(({ key: to }) => ({ to, events: [] }))
  return [...named, ...unnamed].map((arrow) => ({ from: state.key, ...arrow }))
}

function initialOf(machine: AnyStateMachine): string {
  return machine.root.initial.target?.[0]?.key ?? ''
}

function labelOf(events: readonly string[]): string {
  return events.length === 0 ? '' : `: ${events.join(', ')}`
}
