/**
 * The policy's vocabulary. A move reads the view and returns the calls it would make, or none where
 * it does not apply: its work is done already, or what it needs is not there.
 */
import { defined } from '../../../../proto/defined.ts'
import type { View } from './view.ts'

export interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}
export type Move = (view: View) => readonly Call[]

/** A text, or where to read it; undefined while it is not there yet. */
export type Words = string | ((view: View) => string | undefined)

const none: readonly Call[] = []
const call = (name: string, input: Call['arguments']): readonly Call[] => [
  { name, arguments: input },
]
const wordsOf = (words: Words, view: View) => (typeof words === 'string' ? words : words(view))

/** The first group of a pattern found on the page. */
export const read =
  (pattern: RegExp): Words =>
  (view) =>
    pattern.exec(view.page)?.[1]

/** What was remembered in an earlier step. */
export const recall =
  (pattern: RegExp): Words =>
  (view) =>
    pattern.exec(view.soFar)?.[1]

/** An element that only the words around it identify, such as a ref in a certain line. */
export type Aim = string | ((view: View) => string | undefined)

/** The first element like this in the first line that has these words. */
export const inLine =
  (words: string | RegExp, begins: string): Aim =>
  (view) => {
    const line = view.page.split('\n').find((text) => {
      return typeof words === 'string' ? text.includes(words) : words.test(text)
    })
    return line?.match(new RegExp(`\\b(e\\d+) ${escape(begins)}`))?.[1]
  }

/** The first element like this after these words. */
export const after =
  (words: string, begins: string): Aim =>
  (view) => {
    const at = view.page.indexOf(words)
    if (at === -1) return undefined
    return view.page.slice(at).match(new RegExp(`\\b(e\\d+) ${escape(begins)}`))?.[1]
  }

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * An element that can be used now; a ref or an address such as `region "Done"` is taken unchanged.
 */
function aim(at: Aim, view: View): string | undefined {
  if (typeof at === 'function') return at(view)
  const thing = view.thing(at)
  return thing && !/ disabled\b/.test(thing.says) ? thing.ref : undefined
}

export const click =
  (at: Aim, times = 1): Move =>
  (view) => {
    const target = aim(at, view)
    return target === undefined ? none : Array.from({ length: times }, () => clickCall(target))
  }

const clickCall = (target: string): Call => ({ name: 'click', arguments: { target } })

/**
 * Unless the field has the text already; `shows` is how the field shows it where that differs from
 * the text.
 */
export const fill =
  (at: string, words: Words, { shows, submit }: { shows?: string; submit?: true } = {}): Move =>
  (view) => {
    const text = wordsOf(words, view)
    const target = aim(at, view)
    if (text === undefined || target === undefined) return none
    if (view.thing(at)!.says.includes(`: ${shows ?? text}`)) return none
    return call('type', { target, text, ...(submit && { submit }) })
  }

/** A checkbox, radio button or switch that is not in the wanted state. */
export const check =
  (at: string, wanted = true): Move =>
  (view) => {
    const thing = view.thing(at)
    if (!thing || / disabled\b/.test(thing.says)) return none
    return / (checked|on)\b/.test(thing.says) === wanted ? none : [clickCall(thing.ref)]
  }

export const choose =
  (at: string, ...values: readonly string[]): Move =>
  (view) => {
    const thing = view.thing(at)
    if (!thing || thing.says.includes(`: ${values.join(', ')} (`)) return none
    return call('select_option', { target: thing.ref, values })
  }

export const hover =
  (at: Aim): Move =>
  (view) => {
    const target = aim(at, view)
    return target === undefined ? none : call('hover', { target })
  }

export const drag =
  (from: Aim, to: string): Move =>
  (view) => {
    const target = aim(from, view)
    return target === undefined ? none : call('drag', { from: target, to: aim(to, view) ?? to })
  }

export const upload =
  (at: string, name: string, content: string): Move =>
  (view) => {
    const target = aim(at, view)
    return target === undefined ? none : call('upload', { target, name, content })
  }

/** At a position, where that is offered: on pages that are a picture. */
export const clickAt =
  (x: number, y: number): Move =>
  (view) => {
    return view.tools.has('mouse_click') ? call('mouse_click', { x, y }) : none
  }

export const press = (key: string, times = 1): Move => {
  return () => Array.from({ length: times }, () => ({ name: 'press_key', arguments: { key } }))
}
export const scroll = (pages: number): Move => {
  return () => call('scroll', { pages })
}
export const waitFor = (text: string): Move => {
  return () => call('wait_for', { text })
}
export const answerDialog = (accept: boolean, text?: string): Move => {
  return () => call('handle_dialog', { accept, ...defined({ text }) })
}
export const selectTab =
  (title: string): Move =>
  (view) => {
    const tab = view.tabs.find((one) => one.title === title)
    return tab ? call('tab_select', { tab: tab.id }) : none
  }

/** The goal is reached; the answer may be read from the page. */
export const done =
  (words: Words): Move =>
  (view) => {
    const answer = wordsOf(words, view)
    return answer === undefined ? none : call('done', { success: true, answer })
  }

/** The same, with an answer in a requested shape. */
export const doneWith =
  (result: (view: View) => Readonly<Record<string, unknown>>): Move =>
  (view) =>
    call('done', { success: true, result: result(view) })

/** When the page contains this. */
export const on =
  (pattern: RegExp, ...moves: readonly Move[]): Move =>
  (view) =>
    pattern.test(view.page) ? first(moves, view) : none

export const unless =
  (pattern: RegExp, ...moves: readonly Move[]): Move =>
  (view) =>
    pattern.test(view.page) ? none : first(moves, view)

/** When it has been remembered. */
export const knowing =
  (pattern: RegExp, move: Move): Move =>
  (view) =>
    pattern.test(view.soFar) ? move(view) : none

/** When the title contains this. */
export const titled =
  (title: string, ...moves: readonly Move[]): Move =>
  (view) =>
    view.title === title ? first(moves, view) : none

/** All moves that apply, in one answer. */
export const together =
  (...moves: readonly Move[]): Move =>
  (view) =>
    moves.flatMap((move) => move(view))

/** First remembers what is read here, so that it is known after the page is left. */
export const remembering =
  (words: Words, move: Move): Move =>
  (view) => {
    const fact = wordsOf(words, view)
    return fact === undefined ? none : [...call('remember', { fact }), ...move(view)]
  }

/** The first move that applies. */
export function first(moves: readonly Move[], view: View): readonly Call[] {
  for (const move of moves) {
    const calls = move(view)
    if (calls.length > 0) return calls
  }
  return none
}
