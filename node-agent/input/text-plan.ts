/** How a text gets into a field: by strokes where there are keys, else by the clipboard. Pure. */
import { limits } from '../../proto/limits.ts'
import type { KeyLayout, KeyPlace } from './key-layout.ts'
import { keysymOfCharacter } from './key-names.ts'

export interface Stroke extends KeyPlace {
  readonly character: string
}

export type TextStep =
  | { readonly kind: 'strokes'; readonly strokes: readonly Stroke[] }
  | { readonly kind: 'paste'; readonly text: string }

/** What a reader takes for one character stays whole: a letter with its marks, a joined emoji. */
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** One step for each character. */
export function characterSteps(text: string, layout: KeyLayout): TextStep[] {
  return Array.from(graphemes.segment(text.replaceAll('\r\n', '\n')), ({ segment }) => {
    const strokes: Stroke[] = []
    for (const character of segment) {
      const place = layout.get(keysymOfCharacter(character))
      if (!place) return { kind: 'paste', text: segment }
      strokes.push({ ...place, character })
    }
    return { kind: 'strokes', strokes }
  })
}

/**
 * The fewest steps. A paste costs far more than a stroke, so the few characters with keys that lie
 * between two without are pasted along, but for Enter and Tab: those are keys, not characters.
 */
export function fewestSteps(steps: readonly TextStep[]): TextStep[] {
  const fewest: TextStep[] = []
  let pasted = ''
  let strokes: Stroke[] = []
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
    if (pasted !== '' && strokes.length <= limits.pasteBridgeChars && strokes.every(isText)) {
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

const isText = ({ character }: Stroke) => !/[\n\r\t]/.test(character)
