/** Keyboard actions: filling fields and pressing keys. */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { isOfDomains } from '../../../runtime/lib/network/domains.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forTyping, type ActionTarget } from '../targeting/actionable.ts'
import type { ElementHandle } from '../targeting/element.ts'
import { keysOf } from './keys.ts'

export interface TypeOptions {
  readonly text: string
  readonly append: boolean
  readonly submit: boolean
  /** If set, the field must be in a document of one of these domains. */
  readonly origins?: readonly string[] | undefined
}

type Field =
  | { readonly is: 'text' }
  /** The field has a picker, or its cursor cannot be set, so its value is assigned as a whole. */
  | { readonly is: 'set' }
  | { readonly is: 'refused'; readonly why: string }

/** Places the cursor and inserts the text like a paste; a label stands for its field. */
const prepare = `function (append, inserted, typed) {
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
    if (!append) field.select()
    else if (field.selectionEnd === null) return { is: 'set' }
    else field.setSelectionRange(field.value.length, field.value.length)
  } else {
    const selection = field.ownerDocument.getSelection()
    selection.selectAllChildren(field)
    if (append) selection.collapseToEnd()
  }
  const text = name === 'input' ? inserted.replace(/\\n+/g, ' ') : inserted
  if (text !== '') {
    // Some pages wait for key events, so they get those of the last character.
    const tell = (kind) => field.dispatchEvent(new KeyboardEvent(kind, {
      key: [...text].at(-1), bubbles: true, composed: true, cancelable: true,
    }))
    tell('keydown')
    document.execCommand('insertText', false, text)
    tell('keyup')
  } else if (!append && !typed) document.execCommand('delete')
  return { is: 'text' }
}`

/**
 * Assigns the value as a picker would; returns an example of the format if the text does not match
 * it.
 */
const setValue = `function (text, append) {
  const field = this.localName === 'label' && this.control ? this.control : this
  const value = (append ? field.value : '') + text
  field.focus()
  const before = field.value
  field.value = value
  if (field.value !== value.trim() && !(value === '' || field.type === 'range')) {
    field.value = before
    return { color: '#rrggbb', date: '2026-01-31', 'datetime-local': '2026-01-31T13:30',
      month: '2026-01', number: '3.5', time: '13:30', week: '2026-W05' }[field.type]
  }
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
}`

const originOf = 'function () { return this.ownerDocument.defaultView?.origin }'

/**
 * Inserts a short text character by character at the focus, which may move between the boxes of a
 * code, but never into a frame. Real keys would go to any frame that has taken the focus meanwhile.
 */
const insertEach = `async function (text) {
  const document = this.ownerDocument
  let count = 0
  for (const key of text) {
    let at = document.activeElement
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
    if (!at || /^(iframe|frame|fencedframe|object|embed)$/.test(at.localName)) break
    const tell = (kind) => at.dispatchEvent(
      new KeyboardEvent(kind, { key, bubbles: true, composed: true, cancelable: true }),
    )
    tell('keydown')
    document.execCommand('insertText', false, key)
    tell('keyup')
    count++
    await new Promise((resolve) => setTimeout(resolve))
  }
  return count === [...text].length
}`

export async function typeText(
  context: ActionContext,
  wanted: ActionTarget,
  typing: TypeOptions,
): Promise<PreparedAction> {
  const { element, matches } = await awaitActionable(context, wanted, forTyping)
  if (typing.origins) await refuseOrigin(element, wanted, typing.origins)
  return {
    matches,
    effect: typing.submit ? 'drawn' : 'told',
    async run() {
      const { inserted, keys } = partsOf(typing)
      const field = await element.call<Field>(prepare, typing.append, inserted, keys !== '')
      if (field.is === 'refused') throw refusedError(`${wanted.target} ${field.why}.`)
      if (field.is === 'set') await set(element, wanted, typing)
      else if (keys !== '' && typing.origins) await insert(element, wanted, keys)
      else if (keys !== '') await context.keyboard.type(context.tab, keys, 0)
      element.release()
      if (typing.submit) await context.keyboard.shortcut(context.tab, ['Enter'])
    },
  }
}

/** An element never changes its document, so the check still holds when the text is inserted. */
async function refuseOrigin(
  element: ElementHandle,
  { target }: ActionTarget,
  origins: readonly string[],
): Promise<void> {
  const origin = (await element.call<string | null>(originOf)) ?? 'null'
  if (URL.canParse(origin) && isOfDomains(new URL(origin), origins)) return
  element.release()
  const where = origin === 'null' ? 'a document of no origin' : `a document of ${origin}`
  const message = `${target} is in ${where}; this text may be typed only on ${origins.join(', ')}.`
  throw new ServiceError('origin_not_allowed', message, { origin })
}

async function insert(
  element: ElementHandle,
  { target }: ActionTarget,
  text: string,
): Promise<void> {
  if (await element.call<boolean>(insertEach, text)) return
  const message = `The page took the keyboard away from ${target}; only a part was typed.`
  throw new ServiceError('conflict', message)
}

async function set(
  element: ElementHandle,
  { target }: ActionTarget,
  { text, append }: TypeOptions,
): Promise<void> {
  const form = await element.call<string | undefined>(setValue, text, append)
  if (form !== undefined) throw refusedError(`${target} takes a text like ${form}.`)
}

/**
 * Short texts are typed as keys, since some pages take codes digit by digit. Longer ones are
 * inserted at once, like a paste. So are texts with newlines and tabs: Enter would submit, and Tab
 * would leave the field.
 */
function partsOf({ text }: TypeOptions): { readonly inserted: string; readonly keys: string } {
  const plain = text.replace(/\r\n?/g, '\n')
  const asKeys = plain.length <= limits.strokedChars && !/[\n\t]/.test(plain)
  return asKeys ? { inserted: '', keys: plain } : { inserted: plain, keys: '' }
}

/** Whether a key accepts or dismisses an open dialog; undefined for keys without effect. */
export function answersDialog(key: string): boolean | undefined {
  return { Enter: true, Escape: false }[key]
}

export async function pressKey(
  { tab, keyboard }: ActionContext,
  key: string,
): Promise<PreparedAction> {
  const keys = keysOf(key)
  // A single character is typed as it is: `A` is a capital letter without Shift.
  const writes = keys.length === 1 && [...keys[0]!].length === 1
  return {
    run: () => (writes ? keyboard.type(tab, keys[0]!, 0) : keyboard.shortcut(tab, keys)),
  }
}

function refusedError(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'target' })
}
