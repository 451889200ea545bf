/** Plans how a text is typed: by keystrokes where there are keys, otherwise by pasting. Pure. */
import type { KeyLayout, KeyPlace } from './key-layout.ts'
import { keysymOfCharacter } from '../key-names.ts'
import { inputLimits } from '../limits.ts'

export interface CharacterStroke extends KeyPlace {
  readonly character: string
}

export type TextStep =
  | { readonly kind: 'strokes'; readonly strokes: readonly CharacterStroke[] }
  | { readonly kind: 'paste'; readonly text: string }

/**
 * Keeps what readers see as one character together, for example a letter with its marks or a joined
 * emoji.
 */
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** One step per character. */
export function characterSteps(text: string, layout: KeyLayout): TextStep[] {
  return Array.from(graphemes.segment(text.replaceAll('\r\n', '\n')), ({ segment }) => {
    const strokes: CharacterStroke[] = []
    for (const character of segment) {
      const place = layout.get(keysymOfCharacter(character))
      if (!place) return { kind: 'paste', text: segment }
      strokes.push({ ...place, character })
    }
    return { kind: 'strokes', strokes }
  })
}

/**
 * Merges steps to as few as possible. A paste costs far more than a stroke, so a few typeable
 * characters between two that are not are pasted along, except Enter and Tab, which must be keys.
 */
export function fewestSteps(steps: readonly TextStep[]): TextStep[] {
  const fewest: TextStep[] = []
  let pasted = ''
  let strokes: CharacterStroke[] = []
  const endStrokes = () => {
    if (strokes.length > 0) fewest.push({ kind: 'strokes', strokes })
    strokes = []
  }
  const endPaste = () => {
    if (pasted !== '') fewest.push({ kind: 'paste', text: pasted })
    pasted = ''
  }
  for (const step of steps) {
    if (step.kind === 'strokes') {
      strokes.push(...step.strokes)
      continue
    }
    if (pasted !== '' && strokes.length <= inputLimits.pasteBridgeChars && strokes.every(isText)) {
      pasted += strokes.map(({ character }) => character).join('')
      strokes = []
    } else {
      endPaste()
      endStrokes()
    }
    pasted += step.text
  }
  endPaste()
  endStrokes()
  return fewest
}

const isText = ({ character }: CharacterStroke) => !/[\n\r\t]/.test(character)
