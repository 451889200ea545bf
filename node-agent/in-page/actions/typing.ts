/** Puts text into fields; a label stands for its field. */
import type { AnyElement } from '../any-element.ts'
import { documentOf } from '../dom.ts'
import { nextTask } from '../drawing.ts'
import { describeElement, isInside, ownsFrame } from '../targeting/hits.ts'

export type Field =
  /** What it had before, and has after an insertion if no keys follow. */
  | { readonly is: 'text'; readonly before: string; readonly after?: FieldState | undefined }
  /** An editor of the page's own, which takes text in its own way; nothing was done yet. */
  | { readonly is: 'editor'; readonly before: string }
  /** The field has a picker, or its cursor cannot be set, so its value is assigned as a whole. */
  | { readonly is: 'set' }
  | { readonly is: 'refused'; readonly why: string }

export const fieldOf = (element: AnyElement) =>
  element.localName === 'label' && element.control ? element.control : element

/** What a field has: its value, or the text of an editor. */
const textInField = (field: AnyElement): string => field.value ?? field.innerText

const pickedTypes = ['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']
const pressedTypes = ['button', 'checkbox', 'hidden', 'image', 'radio', 'reset', 'submit']

function kindOf(field: AnyElement): Field {
  const { localName: name, type = '' } = field
  if (name === 'select') return { is: 'refused', why: 'is a select: use select_option' }
  if (name === 'input') {
    if (pickedTypes.includes(type)) return { is: 'set' }
    if (type === 'file') return { is: 'refused', why: 'takes files: use upload' }
    if (pressedTypes.includes(type)) {
      return { is: 'refused', why: `is a ${type}, not a text field: use click` }
    }
  }
  if (name === 'input' || name === 'textarea' || field.isContentEditable) {
    return { is: 'text', before: textInField(field) }
  }
  const why = 'is not a text field; click it first and use press, or pick another'
  return { is: 'refused', why }
}

/** Places the cursor, and selects what will be replaced. False if the cursor cannot be set. */
function placeCursor(field: AnyElement, append: boolean): boolean {
  field.focus()
  if (field.localName !== 'input' && field.localName !== 'textarea') {
    const selection = documentOf(field).getSelection()
    selection?.selectAllChildren(field)
    if (append) selection?.collapseToEnd()
    return true
  }
  const { value = '' } = field
  if (!append) field.select?.()
  else if (field.selectionEnd === null) return false
  else field.setSelectionRange?.(value.length, value.length)
  return true
}

/** The way of the events of real input. */
const asInput = { bubbles: true, composed: true, cancelable: true }

/** Some pages wait for key events, so they get those of one key around each insertion. */
function insertAt(field: Element, key: string, text: string): void {
  const { ownerDocument } = field
  const tell = (kind: 'keydown' | 'keyup') =>
    field.dispatchEvent(new KeyboardEvent(kind, { ...asInput, key }))
  tell('keydown')
  ownerDocument.execCommand('insertText', false, text)
  tell('keyup')
}

export interface FieldState {
  readonly text: string
  /** An editor has lines and spaces of its own making. */
  readonly isEditor: boolean
  /** Its text is not shown. */
  readonly hides: boolean
  /** What has the keyboard, if something else. */
  readonly keyboard?: string | undefined
}

/** After the page has handled the text; undefined if the field is not there any more. */
export async function fieldState(this: AnyElement): Promise<FieldState | undefined> {
  await nextTask()
  const field = fieldOf(this)
  if (!field.isConnected) return undefined
  const focused = focusedIn(documentOf(field))
  const moved = focused && !isInside(focused, field) && focused.localName !== 'body'
  return {
    text: textInField(field),
    isEditor: isEditor(field),
    hides: field.type === 'password',
    keyboard: moved ? describeElement(focused) : undefined,
  }
}

const isEditor = (field: AnyElement): boolean => field.value === undefined

/**
 * Inserts a text like a paste. `typed`: keys will follow, so that nothing is to be deleted.
 * `evenEditors`: without the real input that editors want.
 */
export async function insertText(
  this: AnyElement,
  append: boolean,
  inserted: string,
  typed: boolean,
  evenEditors = true,
): Promise<Field> {
  const field = fieldOf(this)
  const kind = kindOf(field)
  if (kind.is !== 'text') return kind
  if (isEditor(field) && !evenEditors) return { is: 'editor', before: kind.before }
  if (!placeCursor(field, append)) return { is: 'set' }
  const text = field.localName === 'input' ? inserted.replace(/\n+/g, ' ') : inserted
  if (text !== '') insertAt(field, [...text].at(-1)!, text)
  else if (!append && !typed) documentOf(field).execCommand('delete')
  return typed ? kind : { ...kind, after: await fieldState.call(this) }
}

/** Pastes into an editor. */
export function pasteInEditor(this: AnyElement, text: string): void {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  fieldOf(this).dispatchEvent(new ClipboardEvent('paste', { ...asInput, clipboardData }))
}

/** An example of what fields with a picker take. */
const exampleValues: Readonly<Record<string, string>> = {
  color: '#rrggbb',
  date: '2026-01-31',
  'datetime-local': '2026-01-31T13:30',
  month: '2026-01',
  number: '3.5',
  time: '13:30',
  week: '2026-W05',
}

/** Assigns the value as a picker would; returns an example if the field does not take the text. */
export function setValue(this: AnyElement, text: string, append: boolean): string | undefined {
  const field = fieldOf(this)
  const { value: before = '', type = '' } = field
  const value = (append ? before : '') + text
  field.focus()
  field.value = value
  if (field.value !== value.trim() && !(value === '' || type === 'range')) {
    field.value = before
    return exampleValues[type]
  }
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
  return undefined
}

/** `null` as a text for a document without an origin. */
export function originOf(this: Element): string | undefined {
  return documentOf(this).defaultView?.origin
}

/** The element that has the focus, in shadow roots too. */
export function focusedIn(document: Document): Element | null {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  return at
}

/**
 * Inserts a short text character by character at the focus, which may move between the boxes of a
 * code, but never into a frame. Real keys would go to any frame that has taken the focus meanwhile.
 * False if a part was not inserted.
 */
export async function insertEach(this: Element, text: string): Promise<boolean> {
  for (const key of text) {
    const at = focusedIn(documentOf(this))
    if (!at || ownsFrame(at)) return false
    insertAt(at, key, key)
    await nextTask()
  }
  return true
}
