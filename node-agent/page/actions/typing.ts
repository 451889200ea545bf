/** Keyboard actions: filling fields and pressing keys. */
import { ServiceError } from '../../../proto/errors.ts'
import { isOfDomains } from '../../../runtime/lib/network/domains.ts'
import { pageFunctions } from '../../../runtime/browser-host/page-functions.ts'
import * as typingCode from '../../in-page/actions/typing.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forTyping, type ActionTarget } from '../targeting/actionable.ts'
import type { ElementHandle } from '../targeting/element.ts'
import { keysOf } from './keys.ts'
import { pageLimits } from '../limits.ts'

export interface TypeOptions {
  readonly text: string
  readonly append: boolean
  readonly submit: boolean
  /** If set, the field must be in a document of one of these domains. */
  readonly origins?: readonly string[] | undefined
}

const { insertEach, insertText, originOf, setValue } = pageFunctions(typingCode)

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
      const field = await element.call(insertText, typing.append, inserted, keys !== '')
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
  const origin = (await element.call(originOf)) ?? 'null'
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
  if (await element.call(insertEach, text)) return
  const message = `The page took the keyboard away from ${target}; only a part was typed.`
  throw new ServiceError('conflict', message)
}

async function set(
  element: ElementHandle,
  { target }: ActionTarget,
  { text, append }: TypeOptions,
): Promise<void> {
  const form = await element.call(setValue, text, append)
  if (form !== undefined) throw refusedError(`${target} takes a text like ${form}.`)
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
  return {
    run: () => (writes ? keyboard.type(tab, keys[0]!, 0) : keyboard.shortcut(tab, keys)),
  }
}

function refusedError(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'target' })
}
