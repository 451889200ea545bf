/* Reading a page: starts a walk, determines the visible area, and returns the result. */

/** Elements without area cannot be clicked. Inline elements may have several boxes. */
const hasArea = (element, rect) =>
  (rect.width > 0 && rect.height > 0) || element.getClientRects().length > 0

/** Elements that are the labels of fields, whose names already contain their text. */
function labelTargets(root) {
  const targets = new Set()
  for (const field of root.querySelectorAll?.('[aria-labelledby]') ?? []) {
    if (!/^(input|select|textarea)$/.test(field.localName)) continue
    for (const id of field.getAttribute('aria-labelledby').split(/\s+/)) {
      const label = id && root.getElementById?.(id)
      if (label) targets.add(label)
    }
  }
  return targets
}

/** The visible area of a document, in its own coordinates. */
function viewOf(document) {
  const view = document.defaultView
  return {
    left: 0,
    top: 0,
    right: view.innerWidth,
    bottom: view.innerHeight,
    scrolledX: view.scrollX,
    scrolledY: view.scrollY,
    fromRight: getComputedStyle(document.documentElement).direction === 'rtl',
  }
}

function viewIn(document, outer, rect) {
  const own = viewOf(document)
  return {
    ...own,
    left: Math.max(0, outer.left - rect.left),
    top: Math.max(0, outer.top - rect.top),
    right: Math.min(own.right, outer.right - rect.left),
    bottom: Math.min(own.bottom, outer.bottom - rect.top),
  }
}

/** Called before each walk. Numbers continue after those of the tab's other documents. */
function begin(firstNumber, rememberedMax) {
  lastNumber = Math.max(lastNumber, firstNumber)
  backdrops.clear()
  tidy(rememberedMax)
}

/** The longest word of a name, since punctuation may differ. */
const longestWord = (text) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']).reduce((best, word) =>
    word.length > best.length ? word : best,
  )

/** Elements whose names are not in their text, or that show the position of others. */
const telling =
  'h1, h2, h3, h4, h5, h6, input, select, textarea, iframe, img, [aria-label], [title], [placeholder]'

const mayHave = (element, word) =>
  element.textContent.toLowerCase().includes(word) ||
  element.matches(telling) ||
  element.querySelector(telling) !== null

/** Reads the page, or the content of an element, as lines. */
function read({ within, firstNumber, rememberedMax, ...options }) {
  begin(firstNumber, rememberedMax)
  const walk = new Walk(options)
  const top = within ?? document.body ?? document.documentElement
  if (top) walk.start(top, viewOf(top.ownerDocument))
  hostsToAsk = walk.hosts
  return {
    lines: walk.lines,
    frames: walk.frames,
    hosts: walk.hosts.length,
    skipped: walk.skipped,
    drawn: Math.min(100, Math.round((100 * walk.drawn) / (innerWidth * innerHeight))) || 0,
    late: walk.late,
    lastNumber,
    url: location.href,
    loading: document.readyState === 'loading',
  }
}

/** Elements of the last walk that may have a closed root. */
let hostsToAsk = []
