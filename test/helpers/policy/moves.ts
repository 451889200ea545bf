/**
 * The policy's vocabulary. A move looks at what is shown and gives the calls it would make, or none
 * where it does not apply: its work is done already, or what it needs is not there.
 */
import type { View } from './view.ts'

export interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}
export type Move = (view: View) => readonly Call[]

/** A text, or where to read it; undefined while it is not there to be read. */
export type Words = string | ((view: View) => string | undefined)

const none: readonly Call[] = []
const call = (name: string, input: Call['arguments']): readonly Call[] => [
  { name, arguments: input },
]
const wordsOf = (words: Words, view: View) => (typeof words === 'string' ? words : words(view))

/** What a pattern finds on the page, in its first group. */
export const read =
  (pattern: RegExp): Words =>
  (view) =>
    pattern.exec(view.page)?.[1]

/** What was remembered in an earlier step. */
export const recall =
  (pattern: RegExp): Words =>
  (view) =>
    pattern.exec(view.soFar)?.[1]

/** What only a look into the words around a thing can tell, as a ref in a certain line. */
export type Aim = string | ((view: View) => string | undefined)

/** The first thing like this in the first line that has these words. */
export const inLine =
  (words: string | RegExp, begins: string): Aim =>
  (view) => {
    const line = view.page.split('\n').find((text) => {
      return typeof words === 'string' ? text.includes(words) : words.test(text)
    })
    return line?.match(new RegExp(`\\b(e\\d+) ${escape(begins)}`))?.[1]
  }

/** The first thing like this after these words. */
export const after =
  (words: string, begins: string): Aim =>
  (view) => {
    const at = view.page.indexOf(words)
    if (at === -1) return undefined
    return view.page.slice(at).match(new RegExp(`\\b(e\\d+) ${escape(begins)}`))?.[1]
  }

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A thing that can be used now; a ref or an address as `region "Done"` is taken as it is. */
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

/** Unless the field says it already; `shows` is how it says it where that is not the text. */
export const fill =
  (at: string, words: Words, { shows, submit }: { shows?: string; submit?: true } = {}): Move =>
  (view) => {
    const text = wordsOf(words, view)
    const target = aim(at, view)
    if (text === undefined || target === undefined) return none
    if (view.thing(at)!.says.includes(`: ${shows ?? text}`)) return none
    return call('type', { target, text, ...(submit && { submit }) })
  }

/** A checkbox, radio button or switch that is not as it should be. */
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

/** At a place, where that is offered: on pages that are a picture. */
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
  return () => call('handle_dialog', { accept, ...(text !== undefined && { text }) })
}
export const selectTab =
  (title: string): Move =>
  (view) => {
    const tab = view.tabs.find((one) => one.title === title)
    return tab ? call('tab_select', { tab: tab.id }) : none
  }

/** The goal is reached; what is said of it may be read from the page. */
export const done =
  (words: Words): Move =>
  (view) => {
    const answer = wordsOf(words, view)
    return answer === undefined ? none : call('done', { success: true, answer })
  }

/** The same where a shape was asked for. */
export const doneWith =
  (result: (view: View) => Readonly<Record<string, unknown>>): Move =>
  (view) =>
    call('done', { success: true, result: result(view) })

/** Where the page says so. */
export const on =
  (pattern: RegExp, ...moves: readonly Move[]): Move =>
  (view) =>
    pattern.test(view.page) ? first(moves, view) : none

export const unless =
  (pattern: RegExp, ...moves: readonly Move[]): Move =>
  (view) =>
    pattern.test(view.page) ? none : first(moves, view)

/** Where it has been remembered. */
export const knowing =
  (pattern: RegExp, move: Move): Move =>
  (view) =>
    pattern.test(view.soFar) ? move(view) : none

/** Where the title says so. */
export const titled =
  (title: string, ...moves: readonly Move[]): Move =>
  (view) =>
    view.title === title ? first(moves, view) : none

/** All that apply, in one answer. */
export const together =
  (...moves: readonly Move[]): Move =>
  (view) =>
    moves.flatMap((move) => move(view))

/** First keeps in mind what is read here: pages that are left live on in what is remembered. */
export const remembering =
  (words: Words, move: Move): Move =>
  (view) => {
    const fact = wordsOf(words, view)
    return fact === undefined ? none : [...call('remember', { fact }), ...move(view)]
  }

/** The first that applies. */
export function first(moves: readonly Move[], view: View): readonly Call[] {
  for (const move of moves) {
    const calls = move(view)
    if (calls.length > 0) return calls
  }
  return none
}
