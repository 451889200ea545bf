/**
 * Text for editors that keep a document of their own (Slate, Lexical, ProseMirror, Quill, CodeMirror):
 * they take what comes as real input and undo what changes their elements otherwise. Of the ways in,
 * some take one and some another, so each is judged by what the editor has afterwards.
 */
import { sleep } from '../../../../runtime/lib/clock.ts'
import { inPage } from '../../tabs/in-page.ts'
import type { FieldState } from '../../../in-page/actions/typing.ts'
import type { ElementHandle } from '../../targeting/element.ts'
import { isElementGone } from '../../targeting/element.ts'
import type { ActionContext } from '../acting.ts'
import { pageLimits } from '../../limits.ts'

const { fieldState, insertText, pasteInEditor } = inPage

interface EditorText {
  readonly text: string
  readonly append: boolean
}

type Way = () => Promise<unknown>

/** Ends with the first way that the editor has taken; the caller tells what it has in the end. */
export async function writeInEditor(
  context: ActionContext,
  element: ElementHandle,
  before: string,
  { text, append }: EditorText,
): Promise<void> {
  const { tab, keyboard } = context
  const plain = text.replace(/\r\n?/g, '\n')
  const wanted = append ? before + plain : plain
  if (wanted === before) return
  const settle = () => sleep(tab.clock, pageLimits.editorSettlesMs)
  for (const write of waysOf(context, element, plain)) {
    await element.call(insertText, append, '', true)
    // The focus: editors notice it with a delay, and may then set a selection of their own.
    await settle()
    // By keys, as its user would: editors do not notice every selection that is made otherwise.
    await keyboard.shortcut(tab, ['Control', append ? 'End' : 'a'])
    await settle()
    await write()
    const now = await takenBy(element, wanted)
    if (now === undefined || isSameText(now, wanted)) return
    // What was there before would be lost with what was inserted in part.
    if (append && !isSameText(now, before)) return
  }
}

/**
 * A short text as keys, which pages may count. Lines are pasted first, because of a text that is
 * inserted some editors make something else.
 */
function waysOf(
  { tab, keyboard }: ActionContext,
  element: ElementHandle,
  text: string,
): readonly Way[] {
  const remove = () => keyboard.shortcut(tab, ['Delete'])
  const insert = () => tab.deliver('Input.insertText', { text })
  const paste = async () => {
    // Slate looks at the selection ten times a second, and pastes where it last was.
    await sleep(tab.clock, pageLimits.selectionSeenMs)
    await element.call(pasteInEditor, text)
  }
  const lines = text.split('\n')
  const type = async () => {
    for (const [index, line] of lines.entries()) {
      // Enter alone sends what is in the editor of a chat.
      if (index > 0) await keyboard.shortcut(tab, ['Shift', 'Enter'])
      await keyboard.type(tab, line, 0)
    }
  }
  if (text === '') return [remove, remove]
  if (lines.length > 1) return [paste, insert, type]
  return text.length <= pageLimits.strokedChars ? [type, paste] : [insert, paste, type]
}

/** What the editor has; it may take a moment. Undefined if the text led elsewhere, or to a dialog. */
async function takenBy(element: ElementHandle, wanted: string): Promise<string | undefined> {
  try {
    let now: FieldState | undefined
    for (let look = 0; look < pageLimits.editorLooks; look++) {
      now = await element.call(fieldState)
      if (!now || isSameText(now.text, wanted)) break
      await sleep(element.tab.clock, pageLimits.editorSettlesMs)
    }
    return now?.text
  } catch (error) {
    if (element.tab.dialog || isElementGone(error)) return undefined
    throw error
  }
}

/** Editors make lines and spaces of their own, and put invisible characters where they have no text. */
export const isSameText = (text: string, wanted: string): boolean =>
  visible(text) === visible(wanted)
const visible = (text: string): string => text.replace(/[\s\p{Cf}]+/gu, '')
