/** Keyboard input for a browser without a display; keys go to the visible page. */
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import { modifierBit, pageKeyOfName, withShift, strokeOf, type PageKey } from './page-keys.ts'
import type { Tab } from '../tabs/tab.ts'
import { pageLimits } from '../limits.ts'

/** Modifiers with which a key types no character. */
const commandBits = modifierBit['Alt']! | modifierBit['Control']! | modifierBit['Meta']!
const shiftBit = modifierBit['Shift']!

/** A text that is inserted at once, or a single key. */
type Piece = { readonly text: string } | { readonly stroke: PageKey; readonly modifiers: number }

export class PageKeyboard {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Presses keys in order and releases them in reverse, even after a failure. */
  async shortcut(tab: Tab, names: readonly string[], holdMs = 0): Promise<void> {
    const keys = names.map(pageKeyOfName)
    if (tab.dialog && (await answerDialogByKey(tab, keys))) return
    const down: PageKey[] = []
    let modifiers = 0
    try {
      for (const given of keys) {
        modifiers |= modifierBit[given.key] ?? 0
        const key = modifiers & shiftBit ? withShift(given) : given
        down.unshift(key)
        await press(tab, key, modifiers)
      }
      if (holdMs > 0) await sleep(this.#clock, holdMs)
    } finally {
      for (const key of down) {
        modifiers &= ~(modifierBit[key.key] ?? 0)
        await release(tab, key, modifiers)
      }
    }
  }

  async type(tab: Tab, text: string, delayMs: number): Promise<void> {
    const pieces = piecesOf(text, delayMs === 0)
    if (delayMs > 0) {
      for (const piece of pieces) {
        await this.#write(tab, piece)
        await sleep(this.#clock, delayMs)
      }
      return
    }
    // The browser keeps keys in order, so they are sent without waiting for each answer. Inserted
    // text takes another path, so the keys before it must have arrived.
    let onTheirWay: Promise<void>[] = []
    const arrived = async () => {
      const strokes = onTheirWay
      onTheirWay = []
      const failed = (await Promise.allSettled(strokes)).find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
    }
    for (const piece of pieces) {
      if ('text' in piece || onTheirWay.length >= pageLimits.pageStrokesAtOnce) await arrived()
      if ('text' in piece) await this.#write(tab, piece)
      else onTheirWay.push(this.#write(tab, piece))
    }
    await arrived()
  }

  async #write(tab: Tab, piece: Piece): Promise<void> {
    if ('text' in piece) return tab.deliver('Input.insertText', { text: piece.text })
    const { stroke, modifiers } = piece
    await Promise.all([press(tab, stroke, modifiers), release(tab, stroke, modifiers)])
  }
}

function piecesOf(text: string, merge: boolean): Piece[] {
  const pieces: Piece[] = []
  for (const character of text.replace(/\r\n?/g, '\n')) {
    const stroke = strokeOf(character)
    const last = pieces.at(-1)
    if (stroke) pieces.push({ stroke: stroke.key, modifiers: stroke.shift ? shiftBit : 0 })
    else if (merge && last && 'text' in last) pieces.splice(-1, 1, { text: last.text + character })
    else pieces.push({ text: character })
  }
  return pieces
}

function press(tab: Tab, { key, code, keyCode, text }: PageKey, modifiers: number): Promise<void> {
  const writes = text !== undefined && (modifiers & commandBits) === 0
  return tab.deliver('Input.dispatchKeyEvent', {
    type: writes ? 'keyDown' : 'rawKeyDown',
    ...{ key, code, windowsVirtualKeyCode: keyCode, modifiers },
    ...(writes && { text, unmodifiedText: text }),
  })
}

/** A page with a dialog accepts no keys, and releases pressed ones itself. */
async function release(tab: Tab, { key, code, keyCode }: PageKey, modifiers: number) {
  if (tab.dialog) return
  await tab.deliver('Input.dispatchKeyEvent', {
    type: 'keyUp',
    ...{ key, code, windowsVirtualKeyCode: keyCode, modifiers },
  })
}

/** Without a display no dialog is visible; still, Enter and Escape answer it. */
async function answerDialogByKey(tab: Tab, keys: readonly PageKey[]): Promise<boolean> {
  if (keys.length !== 1) return false
  const accepts = keys[0]!.key === 'Enter' || keys[0]!.key === ' '
  if (!accepts && keys[0]!.key !== 'Escape') return false
  await tab.answer(accepts)
  return true
}
