/** What a condition for waiting looks at. */
import { shadowRootOf } from '../dom.ts'

const withPlainSpaces = (text: string) => text.replace(/\s+/g, ' ').toLowerCase()

/** Also searches open shadow roots; a text may span several elements. */
export function hasText(wanted: string): boolean {
  return isTextIn(document, [document.body ?? document.documentElement], wanted)
}

function isTextIn(
  root: Document | ShadowRoot,
  elements: readonly (Element | null)[],
  wanted: string,
): boolean {
  const textOf = (element: Element | null) =>
    element && 'innerText' in element ? String(element.innerText) : ''
  if (elements.some((element) => withPlainSpaces(textOf(element)).includes(wanted))) return true
  return [...root.querySelectorAll('*')].some((element) => {
    const shadow = shadowRootOf(element)
    return shadow !== null && isTextIn(shadow, [...shadow.children], wanted)
  })
}

/** Resolves at the next mutation of the document, or after a while without one. */
export function nextMutation(mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      observer.disconnect()
      resolve()
    }
    const observer = new MutationObserver(done)
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    })
    setTimeout(done, mostMs)
  })
}
