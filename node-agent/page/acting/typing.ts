/** What the keyboard does: fills a field, presses keys. */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { Move, Stage } from './acting.ts'
import { actionable, forTyping, type Wanted } from './actionable.ts'
import type { Element } from './element.ts'
import { keysOf } from './keys.ts'

export interface Typing {
  readonly text: string
  readonly append: boolean
  readonly submit: boolean
}

type Field =
  | { readonly is: 'text'; readonly lines: boolean }
  /** It has a picker, and no text that a keyboard could write whole. */
  | { readonly is: 'set' }
  | { readonly is: 'refused'; readonly why: string }

/** Puts the cursor where the text goes; a label stands for its field. */
const prepare = `function (append) {
  const field = this.localName === 'label' && this.control ? this.control : this
  const name = field.localName
  if (name === 'select') return { is: 'refused', why: 'is a select: use select_option' }
  if (name === 'input') {
    const picked = ['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']
    if (picked.includes(field.type)) return { is: 'set' }
    if (field.type === 'file') return { is: 'refused', why: 'takes files: use upload' }
    const pressed = ['button', 'checkbox', 'hidden', 'image', 'radio', 'reset', 'submit']
    if (pressed.includes(field.type)) {
      return { is: 'refused', why: 'is a ' + field.type + ', not a text field: use click' }
    }
  }
  const own = name === 'input' || name === 'textarea'
  if (!own && !field.isContentEditable) {
    return { is: 'refused', why: 'is not a text field; click it first and use press, or pick another' }
  }
  field.focus()
  if (own) {
    const end = field.value.length
    if (!append) field.select()
    else try { field.setSelectionRange(end, end) } catch { /* Numbers have no cursor to set. */ }
  } else {
    const selection = field.ownerDocument.getSelection()
    selection.selectAllChildren(field)
    if (append) selection.collapseToEnd()
  }
  return { is: 'text', lines: name !== 'input' }
}`

/** As a picker would; answers what such a field takes when the text is not of that form. */
const setValue = `function (text, append) {
  const field = this.localName === 'label' && this.control ? this.control : this
  const value = (append ? field.value : '') + text
  field.focus()
  const before = field.value
  field.value = value
  if (field.value !== value.trim() && !(value === '' || field.type === 'range')) {
    field.value = before
    return { color: '#rrggbb', date: '2026-01-31', 'datetime-local': '2026-01-31T13:30',
      month: '2026-01', time: '13:30', week: '2026-W05' }[field.type]
  }
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
}`

export async function type(stage: Stage, wanted: Wanted, typing: Typing): Promise<Move> {
  const { element, matches } = await actionable(stage, wanted, forTyping)
  return {
    matches,
    effect: typing.submit ? 'drawn' : 'told',
    async run() {
      const field = await element.call<Field>(prepare, typing.append)
      if (field.is === 'refused') throw refused(`${wanted.target} ${field.why}.`)
      if (field.is === 'set') await set(element, wanted, typing)
      else await write(stage, typing, field.lines)
      element.release()
      if (typing.submit) await stage.keyboard.shortcut(stage.tab, ['Enter'])
    },
  }
}

async function set(element: Element, { target }: Wanted, { text, append }: Typing): Promise<void> {
  const form = await element.call<string | undefined>(setValue, text, append)
  if (form !== undefined) throw refused(`${target} takes a text like ${form}.`)
}

/**
 * A short text is keys, for some pages take a code digit by digit. Of a longer one all but the last
 * character is inserted at once, and the last is a key, for pages that wait for one. New lines and
 * tabs are always text: Enter would submit, and Tab would leave.
 */
async function write({ tab, keyboard }: Stage, typing: Typing, lines: boolean): Promise<void> {
  const text = lines ? typing.text.replace(/\r\n?/g, '\n') : typing.text.replace(/[\r\n]+/g, ' ')
  if (text === '') {
    if (!typing.append) await keyboard.shortcut(tab, ['Delete'])
    return
  }
  const characters = [...text]
  const keys = text.length <= limits.strokedChars ? characters : characters.slice(-1)
  const inserted = characters.slice(0, characters.length - keys.length).join('')
  if (inserted !== '') await tab.deliver('Input.insertText', { text: inserted })
  for (const part of keys.join('').split(/([\n\t]+)/)) {
    if (/^[\n\t]/.test(part)) await tab.deliver('Input.insertText', { text: part })
    else if (part !== '') await keyboard.type(tab, part, 0)
  }
}

/** Whether a key accepts the dialog that is open; undefined for one that does nothing to it. */
export function answersDialog(key: string): boolean | undefined {
  return { Enter: true, Escape: false }[key]
}

export async function press({ tab, keyboard }: Stage, key: string): Promise<Move> {
  const keys = keysOf(key)
  // One that writes is written as it is: `A` is a capital without Shift.
  const writes = keys.length === 1 && [...keys[0]!].length === 1
  return {
    run: () => (writes ? keyboard.type(tab, keys[0]!, 0) : keyboard.shortcut(tab, keys)),
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'target' })
}
