/** Where words of a page are: in its elements, and on the screen. */
import { isSeen, spotsIn, type Spot } from './boxes.ts'

export * from './boxes.ts'

export const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Elements whose text nobody sees, or that have it as their value. */
export const wordless = /^(script|style|noscript|template|textarea|option|title)$/

/** The innermost elements that have a text in them, in lower case; in open shadow roots too. */
export function holdersOf(root: Document | ShadowRoot, wanted: string): readonly Element[] {
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
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    if (shadowRoot) found.push(...holdersOf(shadowRoot, wanted))
  }
  return found
}

/** Visible elements first, then those that say nothing else, then those in the same case. */
export function rankOf(element: Element, wanted: string): number {
  const said = squeezed(element.textContent ?? '')
  const isWhole = said.toLowerCase() === wanted.toLowerCase()
  return (isSeen(element) ? 4 : 0) + (isWhole ? 2 : 0) + (said.includes(wanted) ? 1 : 0)
}

/** The elements of this frame that stand for the words, all equally well. */
export function bestHolders(wanted: string): readonly Element[] {
  const words = squeezed(wanted)
  const found = holdersOf(document, words.toLowerCase())
  const ranks = found.map((element) => rankOf(element, words))
  const best = Math.max(...ranks)
  return found.filter((_, i) => ranks[i] === best)
}

export const countHolders = (wanted: string): number => bestHolders(wanted).length

export const firstHolder = (wanted: string): Element | undefined => bestHolders(wanted)[0]

/** A character of an element's text; its node is missing for the space between two blocks. */
export interface Letter {
  readonly node?: Text
  readonly offset: number
}

export interface Wording {
  /** With single spaces, as it is seen. */
  readonly text: string
  /** One for each character. */
  readonly letters: readonly Letter[]
}

/** The nearest element that begins a line of its own. */
export function blockAround(node: Node): Element | null {
  let at = node.parentElement
  while (at && /^(inline|contents)/.test(getComputedStyle(at).display)) at = at.parentElement
  return at
}

/** The text of an element with the place of each character. */
export function wordingOf(element: Element): Wording {
  const letters: Letter[] = []
  let text = ''
  let block: Element | null = null
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT)
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

/** In the same case if possible; -1 if the words are not there. */
export function indexOfWords(text: string, words: string, from = 0): number {
  const exact = text.indexOf(words, from)
  if (exact >= 0) return exact
  const lower = text.toLowerCase()
  // Some letters have more than one in lower case, so that places would not fit.
  return lower.length === text.length ? lower.indexOf(words.toLowerCase(), from) : -1
}

/** From one character (inclusive) to another (exclusive). */
export function rangeOf(element: Element, { letters }: Wording, from: number, to: number): Range {
  const range = element.ownerDocument.createRange()
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

/** Where words of an element are in view; none if it does not have them. */
export function spotsOfWords(element: Element, words: string): readonly Spot[] {
  const wording = wordingOf(element)
  const wanted = squeezed(words)
  const at = indexOfWords(wording.text, wanted)
  if (at === -1) return []
  const range = rangeOf(element, wording, at, at + wanted.length)
  return spotsIn([...range.getClientRects()])
}
