/** What a person can see, and what scrolling would bring back. */
import { styleOf } from '../dom.ts'
import { elementAbove } from '../targeting/hits.ts'

/** A part of a document, in its own coordinates. */
export interface View {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly scrolledX: number
  readonly scrolledY: number
  readonly fromRight: boolean
}

export interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
  readonly plain: boolean
}

/** By the text of a computed colour. */
const colours = new Map<string, Colour>()
/** Backdrops of the elements of one walk. */
const backdrops = new Map<Element, string | null>()

export const forgetBackdrops = () => backdrops.clear()

/** The visible area of a document. */
export function viewOf(document: Document): View {
  const view = document.defaultView!
  return {
    left: 0,
    top: 0,
    right: view.innerWidth,
    bottom: view.innerHeight,
    scrolledX: view.scrollX,
    scrolledY: view.scrollY,
    fromRight: styleOf(document.documentElement).direction === 'rtl',
  }
}

/** The visible area of a document in a frame, which has its box in the outer view. */
export function viewIn(document: Document, outer: View, rect: DOMRect): View {
  const own = viewOf(document)
  return {
    ...own,
    left: Math.max(0, outer.left - rect.left),
    top: Math.max(0, outer.top - rect.top),
    right: Math.min(own.right, outer.right - rect.left),
    bottom: Math.min(own.bottom, outer.bottom - rect.top),
  }
}

export const transparent = /^rgba\(.*, 0\)$|^transparent$/

/** Clipped to a pixel or less, as texts for screen readers are. */
export function isClippedAway(style: CSSStyleDeclaration, rect: DOMRect): boolean {
  if (rect.width > 1 && rect.height > 1) return false
  if (rect.width === 0 && rect.height === 0) return style.overflowY === 'hidden'
  return style.overflowX !== 'visible' || /rect\(|inset/.test(style.clip + style.clipPath)
}

/** Clip paths that leave nothing visible, for any element size. */
const clippedToNothing = /^inset\((5\d|[6-9]\d|\d{3,})(\.\d+)?%|^circle\(0(px|%)?[ )]/

/** Made invisible with all its content by a style that keeps its space. */
export function isVeiled(style: CSSStyleDeclaration, display: string): boolean {
  if (Number(style.opacity) < 0.05) return true
  if (style.filter !== 'none' && /opacity\(0(\.0\d*)?\)/.test(style.filter)) return true
  if (display === 'inline') return false
  if (style.contentVisibility === 'hidden') return true
  if (style.clipPath !== 'none' && clippedToNothing.test(style.clipPath)) return true
  if (style.transform === 'none') return false
  const { m11, m12, m21, m22 } = new DOMMatrixReadOnly(style.transform)
  return Math.abs(m11 * m22 - m12 * m21) < 0.001
}

/**
 * Positioned where scrolling cannot reach. Right-to-left pages scroll to the left of their origin.
 */
export function isOffPage(
  element: Element,
  rect: DOMRect,
  view: View,
  style: CSSStyleDeclaration,
): boolean {
  if (rect.width === 0 && rect.height === 0) return false
  if (style.position === 'fixed' && (rect.left >= view.right || rect.top >= view.bottom)) {
    return true
  }
  const right = rect.right + view.scrolledX
  const bottom = rect.bottom + view.scrolledY
  const rightMin = view.fromRight ? -5000 : 0
  if (bottom > 0 && right > rightMin) return false
  const { x, y } = reachAround(element)
  return bottom + y <= 0 || right + x <= rightMin
}

/**
 * The colour behind an element's text if it is certain: that of the nearest ancestor with a
 * background, unless an element in between may be positioned over other content.
 */
export function backdropOf(element: Element, style: CSSStyleDeclaration): string | null {
  const known = backdrops.get(element)
  if (known !== undefined) return known
  const { backgroundColor } = style
  let found = null
  if (style.backgroundImage !== 'none') found = null
  else if (!transparent.test(backgroundColor)) found = backgroundColor
  else if (element.parentElement && style.position === 'static') {
    found = backdropOf(element.parentElement, styleOf(element.parentElement))
  }
  backdrops.set(element, found)
  return found
}

export function colourOf(text: string): Colour {
  const known = colours.get(text)
  if (known) return known
  const [red = 0, green = 0, blue = 0, alpha = 1] = text.match(/[\d.]+/g)?.map(Number) ?? []
  const colour = { red, green, blue, alpha, plain: text.startsWith('rgb') }
  if (colours.size < 1000) colours.set(text, colour)
  return colour
}

export const isLike = (one: Colour, other: Colour) =>
  one.plain &&
  other.plain &&
  Math.abs(one.red - other.red) +
    Math.abs(one.green - other.green) +
    Math.abs(one.blue - other.blue) <
    12

/** Transparent letters are visible only by a background clipped to them, a shadow or a stroke. */
function isInkless(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.textShadow !== 'none' || style.webkitTextStrokeWidth !== '0px') return false
  for (let at: Element | null = element, up = 0; at && up < 4; at = at.parentElement, up++) {
    if (styleOf(at).backgroundClip === 'text') return false
  }
  return true
}

/** Text in the colour of its background, transparent, too small, or moved out of its box. */
export function isUnreadable(element: Element, style: CSSStyleDeclaration): boolean {
  const { fontSize, textIndent, webkitTextFillColor: ink } = style
  if (parseFloat(fontSize) < 2 || parseFloat(textIndent) < -500) return true
  const colour = colourOf(ink)
  if (colour.plain && colour.alpha < 0.05) return isInkless(element, style)
  const backdrop = backdropOf(element, style)
  return backdrop !== null && (backdrop === ink || isLike(colourOf(backdrop), colour))
}

export const meets = (rect: DOMRect, view: View) =>
  rect.bottom > view.top &&
  rect.top < view.bottom &&
  rect.right > view.left &&
  rect.left < view.right

/** Elements with boxes of their own, although they are inline. */
export const replaced = new Set(
  'img canvas iframe frame video audio svg input button select textarea object embed'.split(' '),
)

export function isScrollable(element: Element, style: CSSStyleDeclaration): boolean {
  if (element.localName === 'body' || element.localName === 'html') return false
  return /auto|scroll/.test(style.overflowY) && element.scrollHeight - element.clientHeight > 20
}

/** The part of the view that a scroller leaves to its content, or undefined if it is none. */
export function clipOf(style: CSSStyleDeclaration, rect: DOMRect, view: View): View | undefined {
  const { overflowY } = style
  if (overflowY === 'visible') return undefined
  const scrolls = /auto|scroll/.test(overflowY === 'hidden' ? style.overflowX : overflowY)
  if (!scrolls || rect.width === 0 || rect.height === 0) return undefined
  return {
    ...view,
    left: Math.max(view.left, rect.left),
    top: Math.max(view.top, rect.top),
    right: Math.min(view.right, rect.right),
    bottom: Math.min(view.bottom, rect.bottom),
  }
}

/** Scrolled out before the beginning of what is seen. */
export const isBefore = (rect: DOMRect, view: View) =>
  rect.bottom <= view.top || (rect.right <= view.left && rect.top < view.bottom)

/** How far content can reach beyond an edge and still be scrolled to. */
export interface ScrollReach {
  readonly x: number
  readonly y: number
}

/** The sum for all scrollers around an element, in one walk. */
let reaches = new WeakMap<Element, ScrollReach>()

export function forgetReaches(): void {
  reaches = new WeakMap()
}

const noReach: ScrollReach = { x: 0, y: 0 }

/** Beyond the left and the top edge of all scrollers around the element, added up. */
function reachAround(element: Element): ScrollReach {
  const above = elementAbove(element)
  if (!above) return noReach
  const known = reaches.get(above)
  if (known) return known
  const [own, outer] = [reachOf(above), reachAround(above)]
  const reach = { x: own.x + outer.x, y: own.y + outer.y }
  reaches.set(above, reach)
  return reach
}

/** Lists that grow upwards, as chats do, and right-to-left ones begin at their other edge. */
function reachOf(scroller: Element): ScrollReach {
  const { localName, ownerDocument } = scroller
  const isPage =
    localName === 'html' || (localName === 'body' && ownerDocument.compatMode !== 'CSS1Compat')
  const tall = scroller.scrollHeight - scroller.clientHeight
  const wide = scroller.scrollWidth - scroller.clientWidth
  if (isPage || (tall <= 0 && wide <= 0)) return noReach
  const style = styleOf(scroller)
  const { scrollLeft, scrollTop } = scroller
  if (!/auto|scroll/.test(style.overflowX + style.overflowY)) return { x: scrollLeft, y: scrollTop }
  const flex = style.display.endsWith('flex') ? style.flexDirection : ''
  const leftwards = (style.direction === 'rtl') !== (flex === 'row-reverse')
  return {
    x: scrollLeft + (leftwards ? wide : 0),
    y: scrollTop + (flex === 'column-reverse' ? tall : 0),
  }
}
