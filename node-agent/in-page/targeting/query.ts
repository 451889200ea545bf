/** The elements of the top document that match a selector of an OS-control route. */
import { nextFrames } from '../drawing.ts'

export * from '../drawing.ts'

export type QueryLook =
  | { readonly found: 'invalid' }
  | { readonly found: 'few'; readonly matches: number }
  | { readonly found: 'unseen'; readonly matches: number }
  | { readonly found: 'here'; readonly x: number; readonly y: number; readonly steady: boolean }

export type FileInputLook =
  | { readonly found: 'invalid' }
  | { readonly found: 'few'; readonly matches: number }
  | { readonly found: 'other' }
  | { readonly found: 'here'; readonly multiple: boolean }

/** Undefined for invalid CSS. */
export function allMatches(selector: string): NodeListOf<HTMLElement> | undefined {
  try {
    return document.querySelectorAll<HTMLElement>(selector)
  } catch {
    return undefined
  }
}

export const matchAt = (selector: string, index: number) => allMatches(selector)?.[index]

/** The centre of its first visible box: a link over several lines is hit on its first line. */
export function centreInView(element: Element) {
  for (const box of element.getClientRects()) {
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
    if (left < right && top < bottom) return { x: (left + right) / 2, y: (top + bottom) / 2 }
  }
  return undefined
}

/**
 * Scrolls the element into view. Compares with a later frame, because the element or page may move;
 * a hidden page draws no frames.
 */
export async function lookAtMatch(
  selector: string,
  index: number,
  frameMs: number,
): Promise<QueryLook> {
  const all = allMatches(selector)
  if (!all) return { found: 'invalid' }
  const matches = all.length
  const element = all[index]
  if (!element) return { found: 'few', matches }
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const before = centreInView(element)
  await nextFrames(frameMs)
  const now = centreInView(element)
  if (!now) return { found: 'unseen', matches }
  return { found: 'here', ...now, steady: now.x === before?.x && now.y === before.y }
}

export function lookAtFileInput(selector: string, index: number): FileInputLook {
  const all = allMatches(selector)
  if (!all) return { found: 'invalid' }
  const element = all[index]
  if (!element) return { found: 'few', matches: all.length }
  if (!(element instanceof HTMLInputElement) || element.type !== 'file') return { found: 'other' }
  return { found: 'here', multiple: element.multiple || element.webkitdirectory }
}
