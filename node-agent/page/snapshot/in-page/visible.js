/* What a person can see. */

const clear = /^rgba\(.*, 0\)$|^transparent$/

/** Cut to nothing, the way texts for screen readers are. */
function isClippedAway(style, rect) {
  if (rect.width > 1 && rect.height > 1) return false
  if (rect.width === 0 && rect.height === 0) return style.overflowY === 'hidden'
  return style.overflowX !== 'visible' || /rect\(|inset/.test(style.clip + style.clipPath)
}

/** Where no scrolling leads. Pages from right to left scroll to the left of their origin. */
function isOffPage(rect, view) {
  if (rect.width === 0 && rect.height === 0) return false
  const right = rect.right + view.scrolledX
  const bottom = rect.bottom + view.scrolledY
  return bottom <= 0 || right <= (view.fromRight ? -5000 : 0)
}

/** Of the elements of one walk. */
const backdrops = new Map()

/**
 * The colour behind an element's text, where that is certain: of an ancestor that paints one,
 * unless something lies between that can be in front of other things.
 */
function backdropOf(element, style) {
  const known = backdrops.get(element)
  if (known !== undefined) return known
  const { backgroundColor } = style
  let found = null
  if (style.backgroundImage !== 'none') found = null
  else if (!clear.test(backgroundColor)) found = backgroundColor
  else if (element.parentElement && style.position === 'static') {
    found = backdropOf(element.parentElement, getComputedStyle(element.parentElement))
  }
  backdrops.set(element, found)
  return found
}

/** Written in the colour of what is behind it, or too small to be. */
const isUnreadable = (element, style) =>
  style.fontSize === '0px' || style.color === backdropOf(element, style)

const meets = (rect, view) =>
  rect.bottom > view.top &&
  rect.top < view.bottom &&
  rect.right > view.left &&
  rect.left < view.right
