/** Selects text of fields, editors and pages. */
import type { AnyElement } from '../any-element.ts'
import { nodeTypeOf } from '../dom.ts'
import { indexOfWords, rangeOf, squeezed, wordingOf } from '../targeting/words.ts'
import { fieldOf, focusedIn } from './typing.ts'

/** Words, or a number of characters. */
export type TextPlace = string | number

export interface TextSpan {
  readonly text?: string | undefined
  readonly from?: TextPlace | undefined
  readonly to?: TextPlace | undefined
}

export type Selected =
  | { readonly is: 'done' }
  | { readonly is: 'missing'; readonly words: string }
  /** The field's type has no places in its text. */
  | { readonly is: 'whole' }

export type SpanFound = readonly [from: number, to: number] | { readonly missing: string }

/** From one character (inclusive) to another (exclusive). */
function spanIn(all: string, { text, from = 0, to = all.length }: TextSpan): SpanFound {
  if (text !== undefined) {
    const at = indexOfWords(all, text)
    return at === -1 ? { missing: text } : [at, at + text.length]
  }
  const begin = typeof from === 'number' ? Math.min(from, all.length) : indexOfWords(all, from)
  if (begin === -1) return { missing: String(from) }
  const after = typeof from === 'number' ? begin : begin + from.length
  if (typeof to === 'number') return [begin, Math.max(begin, Math.min(to, all.length))]
  const end = indexOfWords(all, to, after)
  return end === -1 ? { missing: to } : [begin, end + to.length]
}

function squeezedSpan({ text, from, to }: TextSpan): TextSpan {
  const squeeze = <T>(place: T) => (typeof place === 'string' ? squeezed(place) : place)
  return { text: squeeze(text), from: squeeze(from), to: squeeze(to) }
}

/** The field with the keyboard, or else all of the page. */
export function selectableElement(): Element {
  const focused = focusedIn(document) as AnyElement | null
  const isField = focused?.value !== undefined || focused?.isContentEditable
  return (isField ? focused : document.body) ?? document.documentElement
}

export const wholePage = (): Element => document.body ?? document.documentElement

export function selectIn(this: AnyElement, wanted: TextSpan): Selected {
  const field = fieldOf(this)
  const isField = field.localName === 'input' || field.localName === 'textarea'
  return isField ? selectInField(field, wanted) : selectInContent(this, squeezedSpan(wanted))
}

function selectInField(field: AnyElement, wanted: TextSpan): Selected {
  const { value = '' } = field
  const found = spanIn(value, wanted)
  if (!Array.isArray(found)) return { is: 'missing', words: (found as { missing: string }).missing }
  const [from, to] = found as readonly [number, number]
  const isWhole = from === 0 && to === value.length
  if (!isWhole && field.selectionEnd === null) return { is: 'whole' }
  field.focus()
  if (isWhole) field.select?.()
  else field.setSelectionRange?.(from, to)
  return { is: 'done' }
}

/** The keyboard goes to the editor around the text; elsewhere no field keeps it. */
function selectInContent(element: AnyElement, wanted: TextSpan): Selected {
  const wording = wordingOf(element)
  const found = spanIn(wording.text, wanted)
  if (!Array.isArray(found)) return { is: 'missing', words: (found as { missing: string }).missing }
  const range = rangeOf(element, wording, ...(found as readonly [number, number]))
  const { commonAncestorContainer: within } = range
  const around = (nodeTypeOf(within) === 1 ? within : within.parentElement) as AnyElement | null
  const { ownerDocument } = element
  const focused = focusedIn(ownerDocument) as AnyElement | null
  if (around?.isContentEditable) editorAround(around).focus()
  else if (focused && focused !== ownerDocument.body) focused.blur()
  ownerDocument.defaultView?.focus()
  around?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
  const selection = ownerDocument.getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
  return { is: 'done' }
}

function editorAround(inside: AnyElement): AnyElement {
  let at = inside
  while (at.parentElement?.isContentEditable) at = at.parentElement
  return at
}
