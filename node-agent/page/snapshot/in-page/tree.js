/*
 * The tree as it is rendered: shadow roots (closed ones too, once known), slots and frames of this
 * origin take the place of what they replace. The files of this folder run as one function in an
 * isolated world, which the page's scripts can neither see nor change.
 */

/** Closed roots by their hosts; only the debugger can find them. */
const closedRoots = new WeakMap()
/** The height of a host when it was checked for a closed root and had none. */
const askedHeights = new WeakMap()
/** Elements with click listeners of their own, as reported by the debugger. */
const listening = new WeakSet()

const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'link', 'meta', 'base'])
const hosts = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(
    ' ',
  ),
)

const rootOf = (element) => element.shadowRoot ?? closedRoots.get(element)

/** The document in a frame of this origin. */
function documentIn(frame) {
  try {
    return frame.contentDocument
  } catch {
    // A frame of another origin is read by the agent through its own session.
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
 * An element may have a closed root if it is a custom element, or if it takes space although it is
 * empty. A host with children that are not rendered is recognised by its children.
 */
function mayHideRoot(element, rect) {
  const name = element.localName
  const component = name.includes('-')
  if (!component && !(hosts.has(name) && rect.height > 0 && isEmpty(element))) return false
  return rootOf(element) ? false : isToBeAsked(element, rect.height)
}

const isEmpty = ({ firstChild }) =>
  firstChild === null || (firstChild.nextSibling === null && firstChild.data?.trim() === '')

/** Checks again only if the height has changed. */
function isToBeAsked(element, height) {
  if (askedHeights.get(element) === height) return false
  askedHeights.set(element, height)
  return true
}

/** The numbers of elements, which stay the same as long as the document exists. */
const numbers = new WeakMap()
const elements = new Map()
/** The frame element of each document, to explain stale refs. */
const framesOf = new WeakMap()
let lastNumber = 0

function numberOf(element) {
  const known = numbers.get(element)
  if (known !== undefined) return known
  numbers.set(element, ++lastNumber)
  elements.set(lastNumber, new WeakRef(element))
  return lastNumber
}

/** Forgets removed elements, and the oldest ones if there are still too many. */
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

/** The state of a number: `here`, `unknown`, `removed`, `navigated` or `frame_gone`. */
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
