/**
 * Functions that run in pages, as source: they find elements and check whether they can be acted
 * on. They run in an isolated world, so prototypes that the page has changed do not affect them.
 */
import { limits } from '../../../proto/limits.ts'

/**
 * Elements have boxes of their own, except with `display: contents`; then those of the children are
 * used.
 */
const boxes = `
  const boxesOf = (element) => {
    const own = [...element.getClientRects()].filter(({ width, height }) => width && height)
    if (own.length || !element.firstChild) return own
    if (getComputedStyle(element).display !== 'contents') return own
    const range = document.createRange()
    range.selectNodeContents(element)
    return [...range.getClientRects()].filter(({ width, height }) => width && height)
  }
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && boxesOf(element).length > 0`

/** All matches, including those in open shadow roots. */
const matches = `
  const matchesIn = (root, selector) => {
    const found = [...root.querySelectorAll(selector)]
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) found.push(...matchesIn(element.shadowRoot, selector))
    }
    return found
  }`

/** The number of matches in this frame; -1 for invalid CSS. */
export const countMatches = `(selector) => {
  ${matches}
  try { return matchesIn(document, selector).length } catch { return -1 }
}`

/** The first visible match, otherwise the first one. */
export const firstMatch = `(selector) => {
  ${boxes} ${matches}
  try {
    const found = matchesIn(document, selector)
    return found.find(isSeen) ?? found[0]
  } catch {}
}`

export const isOfThisFrame = 'function () { return this.ownerDocument === document }'

export const isVisibleInPage = `function () {
  ${boxes}
  return this.isConnected && isSeen(this)
}`

/**
 * Tests from the outermost root inwards, because from outside a closed root shows only its host.
 */
const hits = `
  const hitAt = (element, x, y) => {
    const roots = [element.getRootNode()]
    while (roots[0].host) roots.unshift(roots[0].host.getRootNode())
    let hit = null
    for (const [i, root] of roots.entries()) {
      hit = root.elementFromPoint(x, y)
      if (!hit || (roots[i + 1] && hit !== roots[i + 1].host)) break
    }
    return hit
  }
  const above = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null
  const isWithin = (node, element) => {
    for (let at = node; at; at = above(at)) if (at === element) return true
    return false
  }
  /**
   * Describes the element that lies over it: the outermost one that does not contain the target.
   */
  const named = (hit, element) => {
    let whole = hit
    for (let up = above(hit); up && !isWithin(element, up); up = above(up)) whole = up
    const classes = [...whole.classList].map((name) => '.' + name).join('')
    const id = whole.id ? '#' + whole.id : ''
    const text = (whole.innerText ?? '').trim().replace(/\\s+/g, ' ').slice(0, 60)
    return whole.localName + id + classes + (text ? ' "' + text + '"' : '')
  }`

/**
 * For each box in view its centre and its quarter points: a link over two lines is hit on its first
 * one, and a button that is half covered on its other half.
 */
const spots = `
  const spotsOf = (element) => boxesOf(element).flatMap((box) => {
    const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth)
    const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight)
    if (left >= right || top >= bottom) return []
    const at = (x, y) => ({ x: left + (right - left) * x, y: top + (bottom - top) * y })
    return [at(.5, .5), at(.25, .5), at(.75, .5), at(.5, .25), at(.5, .75)]
  }).slice(0, ${limits.spotsTried})`

export type ElementLook =
  | { readonly is: 'ready'; readonly x: number; readonly y: number }
  | { readonly is: 'covered'; readonly by: string }
  | { readonly is: 'option' | 'gone' | 'hidden' | 'disabled' | 'readonly' | 'outside' | 'moving' }

/** The conditions for an action. */
export interface ActionNeeds {
  /** The element is not disabled. */
  readonly enabled: boolean
  /** The element is not read-only. */
  readonly editable: boolean
  /** No other element lies over it. */
  readonly hit: boolean
  /** It is at the same place in two consecutive frames. */
  readonly rest: boolean
  /** The point may be out of view. */
  readonly anywhere?: boolean
}

/** The edges to scroll to in turn: an element covered at one may be free at another. */
export const scrollings = ['seldom', 'center', 'end', 'start'] as const
export type Scrolling = (typeof scrollings)[number]

/**
 * Scrolls the element into view if necessary, compares two frames, and says what prevents the
 * action. A hidden checkbox is represented by its label.
 */
export const lookAtElement = `async function (needs, scrolling) {
  ${boxes} ${hits} ${spots}
  if (!this.isConnected) return { is: 'gone' }
  const target = isSeen(this) ? this : [...(this.labels ?? [])].find(isSeen) ?? this
  if (this.localName === 'option' && !isSeen(this)) return { is: 'option' }
  if (!isSeen(target)) return { is: 'hidden' }
  const denied = this.matches(':disabled') || this.getAttribute('aria-disabled') === 'true'
  if (needs.enabled && denied) return { is: 'disabled' }
  if (needs.editable && (this.readOnly || this.getAttribute('aria-readonly') === 'true')) {
    return { is: 'readonly' }
  }
  const [first] = spotsOf(target)
  if (!first || scrolling !== 'seldom') {
    const block = scrolling === 'seldom' ? 'center' : scrolling
    target.scrollIntoView({ block, inline: 'center', behavior: 'instant' })
  }
  if (needs.rest) {
    const before = target.getBoundingClientRect()
    await new Promise((resolve) => {
      requestAnimationFrame(resolve)
      setTimeout(resolve, ${limits.selectorPollMs})
    })
    const now = target.getBoundingClientRect()
    const same = ['left', 'top', 'width', 'height'].every((side) => before[side] === now[side])
    if (!same) return { is: 'moving' }
  }
  const seen = spotsOf(target)
  if (seen.length === 0) return { is: 'outside' }
  if (!needs.hit) return { is: 'ready', ...seen[0] }
  for (const spot of seen) {
    const hit = hitAt(target, spot.x, spot.y)
    if (!hit) continue
    if (isWithin(hit, target) || hit.closest('label')?.control === this) {
      return { is: 'ready', ...spot }
    }
  }
  const hit = hitAt(target, seen[0].x, seen[0].y)
  return hit ? { is: 'covered', by: named(hit, target) } : { is: 'outside' }
}`

export type FrameLook =
  | { readonly is: 'ready'; readonly x: number; readonly y: number }
  | { readonly is: 'covered'; readonly by: string }
  | { readonly is: 'moved' | 'hidden' }

/**
 * For a frame's element: converts a point of the frame to the document around it, and checks
 * whether it is visible.
 */
export const lookThroughFrames = `function (x, y, needs) {
  ${boxes} ${hits}
  if (!this.isConnected || !isSeen(this)) return { is: 'hidden' }
  const box = this.getBoundingClientRect()
  const style = getComputedStyle(this)
  const px = (name) => parseFloat(style[name]) || 0
  const scaleX = box.width / this.offsetWidth, scaleY = box.height / this.offsetHeight
  const at = {
    x: box.left + (this.clientLeft + px('paddingLeft') + x) * scaleX,
    y: box.top + (this.clientTop + px('paddingTop') + y) * scaleY,
  }
  if (needs.anywhere) return { is: 'ready', ...at }
  if (at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) {
    scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' })
    return { is: 'moved' }
  }
  const hit = hitAt(this, at.x, at.y)
  if (needs.hit && hit !== this) {
    return hit ? { is: 'covered', by: named(hit, this) } : { is: 'moved' }
  }
  return { is: 'ready', ...at }
}`
