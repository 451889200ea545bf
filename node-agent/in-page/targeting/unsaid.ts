/**
 * Which elements have text in them that their `textContent` lacks: what style sheets generate, and what
 * is in shadow roots. A search leaves out elements without the word, and must not leave out these.
 */
import type { AnyElement } from '../any-element.ts'
import { documentOf, firstIn, matches } from '../dom.ts'
import { learnGenerated, mayGenerate } from '../snapshot/text.ts'
import { shadowIn } from '../snapshot/tree.ts'

let leading = new WeakSet<Node>()
/** Documents in which all of these are known. */
let searched = new WeakSet<Document>()

/** Before a walk. */
export function forgetLeading(): void {
  leading = new WeakSet()
  searched = new WeakSet()
}

/** To the element, from all around it, also around the shadow root that it is in. */
function leadTo(element: Element): void {
  for (let at: Node | null = element; at && !leading.has(at);) {
    leading.add(at)
    at = at.parentNode ?? (at as ShadowRoot).host
  }
}

function leadToAll(root: Document | ShadowRoot): void {
  learnGenerated(root)
  for (const element of root.querySelectorAll('*')) {
    const shadow = shadowIn(element)
    if (shadow || mayGenerate(element)) leadTo(element)
    if (shadow) leadToAll(shadow)
  }
}

/** Elements whose names are not in their text, or that show the position of others. */
const telling =
  'h1,h2,h3,h4,h5,h6,input,select,textarea,iframe,img,[alt],[title],[placeholder],[aria-label],' +
  '[aria-labelledby],[aria-valuetext]'

export function mayHave(element: AnyElement, word: string): boolean {
  const inside = documentOf(element)
  if (!searched.has(inside)) {
    searched.add(inside)
    leadToAll(inside)
  }
  return (
    leading.has(element) ||
    (element.textContent ?? '').toLowerCase().includes(word) ||
    matches(element, telling) ||
    firstIn(element, telling) !== null
  )
}
