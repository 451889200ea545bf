/** Fills one field of a login form. */
import type { AnyElement } from '../any-element.ts'
import { fieldState, insertEach, insertText, setValue } from '../actions/typing.ts'
import { allMatches } from '../targeting/matching.ts'
import { veilField } from '../masking/veil.ts'

/** False if the field has something else afterwards; it shows dots before it has anything. */
export async function fillLoginField(this: AnyElement, value: string): Promise<boolean> {
  veilField.call(this)
  const { maxLength = -1 } = this as unknown as Partial<HTMLInputElement>
  if (maxLength === 1 && value.length > 1) {
    // The boxes of a code: each takes one character, and the page moves on to the next.
    for (const box of allMatches('input[maxlength="1"]')) veilField.call(box as AnyElement)
    await insertText.call(this, false, '', true)
    return insertEach.call(this, value)
  }
  const field = await insertText.call(this, false, value, false)
  const has = field.is === 'text' ? field.after?.text : undefined
  if (has === value) return true
  if (field.is === 'refused') return false
  setValue.call(this, value, false)
  return (await fieldState.call(this))?.text === value
}
