/* What a person can see. */

const clear = /^rgba\(.*, 0\)$|^transparent$/

/** Clipped to a pixel or less, as texts for screen readers are. */
function isClippedAway(style, rect) {
  if (rect.width > 1 && rect.height > 1) return false
  if (rect.width === 0 && rect.height === 0) return style.overflowY === 'hidden'
  return style.overflowX !== 'visible' || /rect\(|inset/.test(style.clip + style.clipPath)
}

/** Clip paths that leave nothing visible, for any element size. */
const clippedToNothing = /^inset\((5\d|[6-9]\d|\d{3,})(\.\d+)?%|^circle\(0(px|%)?[ )]/

/** Made invisible with all its content by a style that keeps its space. */
function isVeiled(style, display) {
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
function isOffPage(rect, view, style) {
  if (rect.width === 0 && rect.height === 0) return false
  if (style.position === 'fixed' && (rect.left >= view.right || rect.top >= view.bottom)) {
    return true
  }
  const right = rect.right + view.scrolledX
  const bottom = rect.bottom + view.scrolledY
  return bottom <= 0 || right <= (view.fromRight ? -5000 : 0)
}

/** Backdrops of the elements of one walk. */
const backdrops = new Map()

/**
 * The colour behind an element's text if it is certain: that of the nearest ancestor with a
 * background, unless an element in between may be positioned over other content.
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

/** Red, green, blue and alpha, by the text of a computed colour. */
const colours = new Map()

function colourOf(text) {
  const known = colours.get(text)
  if (known) return known
  const [red = 0, green = 0, blue = 0, alpha = 1] = text.match(/[\d.]+/g)?.map(Number) ?? []
  const colour = { red, green, blue, alpha, plain: text.startsWith('rgb') }
  if (colours.size < 1000) colours.set(text, colour)
  return colour
}

const isLike = (one, other) =>
  one.plain &&
  other.plain &&
  Math.abs(one.red - other.red) +
    Math.abs(one.green - other.green) +
    Math.abs(one.blue - other.blue) <
    12

/** Transparent letters are visible only by a background clipped to them, a shadow or a stroke. */
function isInkless(element, style) {
  if (style.textShadow !== 'none' || style.webkitTextStrokeWidth !== '0px') return false
  for (let at = element, up = 0; at && up < 4; at = at.parentElement, up++) {
    if (getComputedStyle(at).backgroundClip === 'text') return false
  }
  return true
}

/** Text in the colour of its background, transparent, too small, or moved out of its box. */
function isUnreadable(element, style) {
  const { fontSize, textIndent, webkitTextFillColor: ink } = style
  if (parseFloat(fontSize) < 2 || parseFloat(textIndent) < -500) return true
  const colour = colourOf(ink)
  if (colour.plain && colour.alpha < 0.05) return isInkless(element, style)
  const backdrop = backdropOf(element, style)
  return backdrop !== null && (backdrop === ink || isLike(colourOf(backdrop), colour))
}

/** The visible area of a box, in pixels. */
const areaIn = (rect, view) =>
  Math.max(0, Math.min(rect.right, view.right) - Math.max(rect.left, view.left)) *
  Math.max(0, Math.min(rect.bottom, view.bottom) - Math.max(rect.top, view.top))

const meets = (rect, view) =>
  rect.bottom > view.top &&
  rect.top < view.bottom &&
  rect.right > view.left &&
  rect.left < view.right
