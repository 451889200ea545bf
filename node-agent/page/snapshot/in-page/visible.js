/* What a person can see. */

const clear = /^rgba\(.*, 0\)$|^transparent$/

/** Cut to nothing, the way texts for screen readers are. */
function isClippedAway(style, rect) {
  if (rect.width > 1 && rect.height > 1 && style.clipPath === 'none') return false
  const cut = style.overflowX !== 'visible' || style.overflowY !== 'visible'
  const small = rect.width <= 1 || rect.height <= 1
  return (
    (small && cut) ||
    (style.position === 'absolute' && style.clip === 'rect(0px, 0px, 0px, 0px)') ||
    /^inset\((50|100)%\)$/.test(style.clipPath)
  )
}

/** Where no scrolling leads. Pages from right to left scroll to the left of their origin. */
function isOffPage(rect, view) {
  if (rect.width === 0 && rect.height === 0) return false
  const right = rect.right + view.scrolledX
  const bottom = rect.bottom + view.scrolledY
  return bottom <= 0 || right <= (view.fromRight ? -5000 : 0)
}

/**
 * The colour behind an element's text, where that is certain: of an ancestor that paints one,
 * unless something lies between that can be in front of other things.
 */
function backdropOf(style, behind) {
  if (style.backgroundImage !== 'none') return undefined
  if (!clear.test(style.backgroundColor)) return style.backgroundColor
  return style.position === 'static' ? behind : undefined
}

const meets = (rect, view) =>
  rect.bottom > view.top &&
  rect.top < view.bottom &&
  rect.right > view.left &&
  rect.left < view.right
