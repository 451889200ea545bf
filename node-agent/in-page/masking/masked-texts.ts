/** What of this document a mask hides, as texts: answers must not have them either. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, nodesIn, nodeTypeOf, shadowRootOf } from '../dom.ts'
import { allMatches } from '../targeting/matching.ts'
import { patternsHere, selectorsHere, type PageMask } from './mask-rules.ts'

const textsMax = 500
const charsMax = 1_000
const strongChars = 8
/** Attributes that are read aloud or shown. */
const toldBy = ['alt', 'aria-label', 'aria-valuetext', 'placeholder', 'title', 'value']

/** The texts of the elements that the selectors select, hidden parts included; the first `textsMax`. */
export function maskedTexts(mask: PageMask): readonly string[] {
  const selectors = selectorsHere(mask)
  if (selectors.length === 0) return []
  const texts = new Set<string>()
  for (const element of allMatches(selectors.join(', '))) {
    add(texts, element.textContent ?? '')
    collect(element, texts)
    if (texts.size >= textsMax) break
  }
  return [...texts]
}

function collect(node: Node, texts: Set<string>): void {
  if (texts.size >= textsMax) return
  if (nodeTypeOf(node) === Node.TEXT_NODE) return addPart(texts, (node as Text).data)
  if (nodeTypeOf(node) === Node.ELEMENT_NODE) ofElement(node as AnyElement, texts)
  for (const child of nodesIn(node)) collect(child, texts)
}

function ofElement(element: AnyElement, texts: Set<string>): void {
  for (const name of toldBy) add(texts, attributeOf(element, name) ?? '')
  if (element.localName !== 'select') add(texts, element.value ?? '')
  const shadow = shadowRootOf(element)
  if (shadow) collect(shadow, texts)
}

/** A label beside a value is no secret, and a word that answers may have anywhere. */
function addPart(texts: Set<string>, text: string): void {
  if (/\p{N}/u.test(text) || text.trim().length >= strongChars) add(texts, text)
}

function add(texts: Set<string>, text: string): void {
  const words = text.replace(/\s+/g, ' ').trim()
  if (words.length > 0 && words.length <= charsMax) texts.add(words)
}

/** True if the document shows text that a pattern hides: a PDF would have it under the black. */
export function showsMasked(mask: PageMask): boolean {
  const roots = allMatches('*').flatMap((element) => shadowRootOf(element) ?? [])
  const texts = [
    document.body?.innerText ?? '',
    ...roots.map(({ textContent }) => textContent ?? ''),
  ]
  return patternsHere(mask).some((pattern) => texts.some((text) => text.search(pattern) >= 0))
}
