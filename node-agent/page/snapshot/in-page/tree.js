/*
 * The tree as it is drawn: shadow roots, closed ones too once they are known, slots and frames of
 * this origin stand in for what they replace. The files of this folder run as one function in a
 * world of their own, which the page's scripts can neither see nor change.
 */

/** Closed roots, which only the debugger can find, by their hosts. */
const closedRoots = new WeakMap()
/** How high a host was when it was asked for a closed root and had none. */
const askedHeights = new WeakMap()
/** Elements with a listener for clicks of their own, as the debugger told. */
const listening = new WeakSet()

const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'link', 'meta', 'base'])
const hosts = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(
    ' ',
  ),
)

const rootOf = (element) => element.shadowRoot ?? closedRoots.get(element)

/** The document inside a frame of this origin. */
function documentIn(frame) {
  try {
    return frame.contentDocument
  } catch {
    // Of another origin: the agent reads it there.
    return null
  }
}

function childrenOf(element) {
  if (element.localName === 'slot') {
    const assigned = element.assignedNodes()
    if (assigned.length > 0) return assigned
  }
  return (rootOf(element) ?? element).childNodes
}

/**
 * An element may have a closed root when its name is a component's, or when it takes room without
 * having anything in it. One whose children are not drawn shows in its children.
 */
function mayHideRoot(element, rect) {
  const name = element.localName
  const component = name.includes('-')
  if (!component && !(hosts.has(name) && rect.height > 0 && isEmpty(element))) return false
  return rootOf(element) ? false : isToBeAsked(element, rect.height)
}

const isEmpty = ({ firstChild }) =>
  firstChild === null || (firstChild.nextSibling === null && firstChild.data?.trim() === '')

/** Asked again only when it looks otherwise than when it had none. */
function isToBeAsked(element, height) {
  if (askedHeights.get(element) === height) return false
  askedHeights.set(element, height)
  return true
}

/** Numbers of elements: an element keeps its own for as long as its document lives. */
const numbers = new WeakMap()
const elements = new Map()
/** Which frame a document is in, to say later what became of it. */
const framesOf = new WeakMap()
let lastNumber = 0

function numberOf(element) {
  const known = numbers.get(element)
  if (known !== undefined) return known
  numbers.set(element, ++lastNumber)
  elements.set(lastNumber, new WeakRef(element))
  return lastNumber
}

/** Forgets elements that are no more, when there are many. */
function tidy(rememberedMax) {
  if (elements.size <= rememberedMax) return
  for (const [number, weak] of elements) {
    if (!weak.deref()?.isConnected) elements.delete(number)
  }
  for (const number of elements.keys()) {
    if (elements.size <= rememberedMax) break
    elements.delete(number)
  }
}

/** What became of a number: `here`, `unknown`, `removed`, `navigated` or `frame_gone`. */
function fateOf(number) {
  const weak = elements.get(number)
  if (!weak) return 'unknown'
  const element = weak.deref()
  if (!element) return 'removed'
  if (!element.ownerDocument.defaultView) {
    const frame = framesOf.get(element.ownerDocument)?.deref()
    return frame?.isConnected ? 'navigated' : 'frame_gone'
  }
  return element.isConnected ? 'here' : 'removed'
}
