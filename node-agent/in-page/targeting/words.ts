/** Locates words of a page: the elements that contain them, and their boxes on the screen. */
import { documentOf, shadowRootOf, styleOf } from '../dom.ts'
import { hasSize, isSeen, type Spot, spotsIn } from './boxes.ts'

export const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Elements whose text is not displayed, or is their value. */
const wordless = /^(script|style|noscript|template|textarea|option|title)$/

/**
 * The innermost elements that contain a text (in lower case), including those in open shadow roots.
 */
function holdersOf(root: Document | ShadowRoot, wanted: string): readonly Element[] {
  const found: Element[] = []
  const look = (element: Element): boolean => {
    if (wordless.test(element.localName)) return false
    if (
      !squeezed(element.textContent ?? '')
        .toLowerCase()
        .includes(wanted)
    )
      return false
    if ([...element.children].filter(look).length === 0) found.push(element)
    return true
  }
  for (const child of root.children) look(child)
  for (const element of root.querySelectorAll('*')) {
    const shadow = shadowRootOf(element)
    if (shadow) found.push(...holdersOf(shadow, wanted))
  }
  return found
}

/**
 * Lower is better: visible elements first, then elements without other text, then matching case.
 */
function rankOf(element: Element, wanted: string): number {
  const said = squeezed(element.textContent ?? '')
  const isWhole = said.toLowerCase() === wanted.toLowerCase()
  return (isSeen(element) ? 4 : 0) + (isWhole ? 2 : 0) + (said.includes(wanted) ? 1 : 0)
}

/** The best-ranked elements of this frame that contain the words. */
function bestHolders(wanted: string): readonly Element[] {
  const words = squeezed(wanted)
  const found = holdersOf(document, words.toLowerCase())
  const ranks = found.map((element) => rankOf(element, words))
  const best = Math.max(...ranks)
  return found.filter((_, i) => ranks[i] === best)
}

export const countHolders = (wanted: string): number => bestHolders(wanted).length

export const firstHolder = (wanted: string): Element | undefined => bestHolders(wanted)[0]

/** A character of an element's text; its node is absent for the space between two blocks. */
export interface Letter {
  readonly node?: Text
  readonly offset: number
}

export interface Wording {
  /** The text as displayed, with single spaces. */
  readonly text: string
  /** One entry for each character of `text`. */
  readonly letters: readonly Letter[]
}

/** The nearest ancestor that starts a line of its own. */
function blockAround(node: Node): Element | null {
  let at = node.parentElement
  while (at && /^(inline|contents)/.test(styleOf(at).display)) at = at.parentElement
  return at
}

/** The text of an element, with the position of each character. */
export function wordingOf(element: Element): Wording {
  const letters: Letter[] = []
  let text = ''
  let block: Element | null = null
  const walker = documentOf(element).createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    if (wordless.test(node.parentElement?.localName ?? '')) continue
    const own = blockAround(node)
    if (own !== block && text !== '' && !text.endsWith(' ')) {
      text += ' '
      letters.push({ offset: 0 })
    }
    block = own
    for (let offset = 0; offset < node.data.length; offset++) {
      const character = node.data[offset]!
      const space = /\s/.test(character)
      if (space && (text === '' || text.endsWith(' '))) continue
      text += space ? ' ' : character
      letters.push({ node, offset })
    }
  }
  return { text, letters }
}

/** Matches the case if possible; -1 if the words are not found. */
export function indexOfWords(text: string, words: string, from = 0): number {
  const exact = text.indexOf(words, from)
  if (exact >= 0) return exact
  const lower = text.toLowerCase()
  // Some letters become longer in lower case, so that the positions would not fit.
  return lower.length === text.length ? lower.indexOf(words.toLowerCase(), from) : -1
}

/** From one character (inclusive) to another (exclusive). */
export function rangeOf(element: Element, { letters }: Wording, from: number, to: number): Range {
  const range = documentOf(element).createRange()
  const told = letters.slice(from, to).filter(({ node }) => node)
  const [first, last] = [told[0], told.at(-1)]
  if (!first?.node || !last?.node) {
    range.selectNodeContents(element)
    range.collapse(true)
    return range
  }
  range.setStart(first.node, first.offset)
  range.setEnd(last.node, last.offset + 1)
  return range
}

/** A box in pixels of the frame's view. */
export interface WordBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Each occurrence of words in this frame that is in view; one box for each line that it is on. */
export function placesOfWords(wanted: string, max: number): readonly WordBox[] {
  const words = squeezed(wanted)
  const boxes: WordBox[] = []
  for (const element of holdersOf(document, words.toLowerCase())) {
    if (!isSeen(element)) continue
    const wording = wordingOf(element)
    let at = indexOfWords(wording.text, words)
    while (at !== -1 && boxes.length < max) {
      const range = rangeOf(element, wording, at, at + words.length)
      boxes.push(...[...range.getClientRects()].filter(isInView).map(boxOfRect))
      at = indexOfWords(wording.text, words, at + words.length)
    }
  }
  return boxes.slice(0, max)
}

const isInView = (rect: DOMRect): boolean =>
  hasSize(rect) &&
  rect.right > 0 &&
  rect.bottom > 0 &&
  rect.left < innerWidth &&
  rect.top < innerHeight

const boxOfRect = ({ x, y, width, height }: DOMRect): WordBox => ({ x, y, width, height })

/** Points in view within the words of an element; empty if it does not contain them. */
export function spotsOfWords(element: Element, words: string): readonly Spot[] {
  const wording = wordingOf(element)
  const wanted = squeezed(words)
  const at = indexOfWords(wording.text, wanted)
  if (at === -1) return []
  const range = rangeOf(element, wording, at, at + wanted.length)
  return spotsIn([...range.getClientRects()])
}
