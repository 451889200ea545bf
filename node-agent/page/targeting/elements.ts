/** Elements by CSS selector: their positions, and setting files on file inputs. */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { pollUntil } from '../../../runtime/lib/poll-until.ts'
import type { Point } from '../../input/input-device.ts'
import type { Tab } from '../tabs/tab.ts'

export interface ElementQuery {
  readonly selector: string
  /** The index among the matches, from 0. */
  readonly index: number
  readonly timeoutMs: number
}

type Look =
  | { readonly found: 'invalid' }
  | { readonly found: 'few'; readonly matches: number }
  | { readonly found: 'unseen'; readonly matches: number }
  | { readonly found: 'here'; readonly x: number; readonly y: number; readonly steady: boolean }

/**
 * Scrolls the element into view and returns the centre of its first visible box: a link over
 * several lines is hit on its first line, not between them. Compares with a later frame, because
 * the element or page may move; a hidden page draws no frames.
 */
const lookFor = `async (selector, index) => {
  let all
  try { all = document.querySelectorAll(selector) } catch { return { found: 'invalid' } }
  const matches = all.length
  const element = all[index]
  if (!element) return { found: 'few', matches }
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const middle = () => {
    for (const box of element.getClientRects()) {
      const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth)
      const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight)
      if (left < right && top < bottom) return { x: (left + right) / 2, y: (top + bottom) / 2 }
    }
  }
  const before = middle()
  await new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve))
    setTimeout(resolve, ${limits.selectorPollMs})
  })
  const now = middle()
  if (!now) return { found: 'unseen', matches }
  return { found: 'here', ...now, steady: now.x === before?.x && now.y === before?.y }
}`

/**
 * The centre of the element in CSS pixels of the page; waits until it is visible and does not move.
 * An element that keeps moving is taken where it was last.
 */
export async function locateElement(tab: Tab, wanted: ElementQuery): Promise<Point> {
  const { selector, index } = wanted
  const look = await pollUntil<Look>(
    tab.clock,
    timesOf(wanted),
    () => tab.evaluate<Look>(lookFor, selector, index),
    (seen) => seen.found === 'invalid' || (seen.found === 'here' && seen.steady),
  )
  switch (look.found) {
    case 'here':
      return { x: look.x, y: look.y }
    case 'invalid':
      throw invalidError(selector)
    case 'few':
      throw tooFewError(wanted, look.matches)
    case 'unseen': {
      const message = `${describeQuery(wanted)} is there, but nothing of it is to be seen: it is hidden.`
      throw new ServiceError('element_not_found', message, { matches: look.matches })
    }
  }
}

const fileInput = `(selector, index) => {
  let all
  try { all = document.querySelectorAll(selector) } catch { return { found: 'invalid' } }
  const element = all[index]
  if (!element) return { found: 'few', matches: all.length }
  if (!(element instanceof HTMLInputElement) || element.type !== 'file') return { found: 'other' }
  return { found: 'here', multiple: element.multiple || element.webkitdirectory }
}`

type InputLook =
  | { readonly found: 'invalid' }
  | { readonly found: 'few'; readonly matches: number }
  | { readonly found: 'other' }
  | { readonly found: 'here'; readonly multiple: boolean }

/** Sets files of this host on a file input, visible or not, as if they had been chosen. */
export async function setFiles(
  tab: Tab,
  wanted: ElementQuery,
  paths: readonly string[],
): Promise<void> {
  const { selector, index } = wanted
  const look = await pollUntil<InputLook>(
    tab.clock,
    timesOf(wanted),
    () => tab.evaluate<InputLook>(fileInput, selector, index),
    ({ found }) => found !== 'few',
  )
  if (look.found === 'invalid') throw invalidError(selector)
  if (look.found === 'few') throw tooFewError(wanted, look.matches)
  if (look.found === 'other')
    throw badSelectorError(`${describeQuery(wanted)} is not a file input.`)
  if (paths.length > 1 && !look.multiple)
    throw badSelectorError(`${describeQuery(wanted)} takes one file only.`)
  const objectId = await tab.handle(
    '(selector, index) => document.querySelectorAll(selector)[index]',
    ...[selector, index],
  )
  if (objectId === undefined) throw tooFewError(wanted, 0)
  try {
    await tab.send('DOM.setFileInputFiles', { files: [...paths], objectId })
  } finally {
    await tab.send('Runtime.releaseObject', { objectId })
  }
}

const timesOf = ({ timeoutMs }: ElementQuery) => ({
  everyMs: limits.selectorPollMs,
  withinMs: timeoutMs,
})

function describeQuery({ selector, index }: ElementQuery): string {
  return index === 0 ? selector : `Match ${index} of ${selector}`
}

function badSelectorError(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'selector' })
}

function invalidError(selector: string): ServiceError {
  return badSelectorError(`selector is no valid CSS: ${JSON.stringify(selector)}.`)
}

function tooFewError({ selector, index, timeoutMs }: ElementQuery, matches: number): ServiceError {
  const message =
    `${selector} matched ${matches} elements within ${timeoutMs} ms, ` +
    `and ${index + 1} were needed.`
  return new ServiceError('element_not_found', message, { matches })
}
