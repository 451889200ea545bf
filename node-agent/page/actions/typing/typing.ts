/** Keyboard actions: filling fields and pressing keys. */
import { ServiceError } from '../../../../proto/errors.ts'
import { isOfDomains } from '../../../../runtime/lib/network/domains.ts'
import { truncateText } from '../../../../runtime/lib/text/clean.ts'
import { inPage } from '../../tabs/in-page.ts'
import type { Field, FieldState } from '../../../in-page/actions/typing.ts'
import type { PreparedAction, ActionContext, ActionNote } from '../acting.ts'
import { awaitActionable, forTyping, type ActionTarget } from '../../targeting/actionable.ts'
import { isElementGone, type ElementHandle } from '../../targeting/element.ts'
import type { Tab } from '../../tabs/tab.ts'
import { isSameText, writeInEditor } from './editors.ts'
import { keysOf } from './keys.ts'
import { pageLimits } from '../../limits.ts'

export interface TypeOptions {
  readonly text: string
  readonly append: boolean
  readonly submit: boolean
  /** If set, the field must be in a document of one of these domains. */
  readonly origins?: readonly string[] | undefined
}

const { fieldState, insertEach, insertText, keyFate, originOf, setValue, watchKeys } = inPage

export async function typeText(
  context: ActionContext,
  wanted: ActionTarget,
  typing: TypeOptions,
): Promise<PreparedAction> {
  const { element, matches } = await awaitActionable(context, wanted, forTyping)
  if (typing.origins) await refuseOrigin(element, wanted, typing.origins)
  return {
    matches,
    effect: typing.submit ? 'drawn' : 'awaited',
    async run() {
      const { inserted, keys } = partsOf(typing)
      const { append, origins } = typing
      const evenEditors = origins !== undefined
      const field = await element.call(insertText, append, inserted, keys !== '', evenEditors)
      if (field.is === 'refused') throw refusedError(`${wanted.target} ${field.why}.`)
      if (field.is === 'set') await set(element, wanted, typing)
      else if (field.is === 'editor') await writeInEditor(context, element, field.before, typing)
      else if (keys !== '' && typing.origins) await insert(element, wanted, keys)
      else if (keys !== '') await context.keyboard.type(context.tab, keys, 0)
      const note = await typedNote(element, wanted, typing, field)
      element.release()
      if (typing.submit) await context.keyboard.shortcut(context.tab, ['Enter'])
      return note
    },
  }
}

/** What the field has now, if that is not what was typed. */
async function typedNote(
  element: ElementHandle,
  { target }: ActionTarget,
  { text, append, origins }: TypeOptions,
  field: Field,
): Promise<ActionNote> {
  // A text that led elsewhere, or to a dialog, was taken.
  const read = () =>
    element.call(fieldState).catch((error: unknown) => {
      if (element.tab.dialog || isElementGone(error)) return undefined
      throw error
    })
  const wasInserted = field.is === 'text' && 'after' in field
  const now = wasInserted ? field.after : await read()
  if (!now) return undefined
  const before = 'before' in field ? field.before : ''
  if (field.is === 'set' ? wasSet(now.text, text) : wasTyped(now, append ? before + text : text)) {
    return undefined
  }
  const moved = now.keyboard === undefined ? '' : ` The focus is now in ${now.keyboard}.`
  if (now.hides || origins) return `${target} did not accept the text as typed.${moved}`
  const verb = field.is !== 'set' && now.text === before ? 'still' : 'now'
  const value = JSON.stringify(truncateText(now.text, pageLimits.snapshotValueChars))
  return `The value of ${target} is ${verb} ${value}.${moved}`
}

/** Lines become spaces in fields of one line. */
function wasTyped({ text, isEditor }: FieldState, wanted: string): boolean {
  if (isEditor) return isSameText(text, wanted)
  const spaced = (value: string) => value.replace(/\s+/g, ' ')
  return spaced(text) === spaced(wanted)
}

/** Fields with a picker write values in their own way; something may have been before it. */
const wasSet = (value: string, text: string) =>
  value.toLowerCase().endsWith(text.trim().toLowerCase())

/** An element never changes its document, so the check still holds when the text is inserted. */
async function refuseOrigin(
  element: ElementHandle,
  { target }: ActionTarget,
  origins: readonly string[],
): Promise<void> {
  const origin = (await element.call(originOf)) ?? 'null'
  if (URL.canParse(origin) && isOfDomains(new URL(origin), origins)) return
  element.release()
  const where = origin === 'null' ? 'a document without an origin' : `a document of ${origin}`
  const message = `${target} is in ${where}; this text can be typed only on ${origins.join(', ')}.`
  throw new ServiceError('origin_not_allowed', message, { origin })
}

async function insert(
  element: ElementHandle,
  { target }: ActionTarget,
  text: string,
): Promise<void> {
  if (await element.call(insertEach, text)) return
  const message = `The page moved the focus away from ${target}; only a part was typed.`
  throw new ServiceError('conflict', message)
}

async function set(
  element: ElementHandle,
  { target }: ActionTarget,
  { text, append }: TypeOptions,
): Promise<void> {
  const form = await element.call(setValue, text, append)
  if (form !== undefined) throw refusedError(`${target} requires a text like ${form}.`)
}

/**
 * Short texts are typed as keys, since some pages take codes digit by digit. Longer ones are
 * inserted at once, like a paste. So are texts with newlines and tabs: Enter would submit, and Tab
 * would leave the field.
 */
function partsOf({ text }: TypeOptions): { readonly inserted: string; readonly keys: string } {
  const plain = text.replace(/\r\n?/g, '\n')
  const asKeys = plain.length <= pageLimits.strokedChars && !/[\n\t]/.test(plain)
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
  const acts = writes || (keys.length === 1 && editingKeys.has(keys[0]!.toLowerCase()))
  if (acts) await tab.evaluate(watchKeys)
  return {
    async run() {
      if (writes) await keyboard.type(tab, keys[0]!, 0)
      else await keyboard.shortcut(tab, keys)
      return acts ? keyNote(tab, key) : undefined
    },
  }
}

/** Keys that do nothing where there is nothing to write or to press. */
const editingKeys = new Set(['enter', 'space', 'backspace', 'delete'])

async function keyNote(tab: Tab, key: string): Promise<ActionNote> {
  const fate = await tab.evaluate(keyFate).catch((error: unknown) => {
    if (tab.dialog || tab.ended || isElementGone(error)) return 'taken' as const
    throw error
  })
  if (fate === 'taken') return undefined
  return `No element had the focus, so ${key} went to the page, which did not use it.`
}

function refusedError(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'target' })
}
