/* Functions that the agent calls. */

const elementOf = (known) => elements.get(known)?.deref()

const askable = () => hostsToAsk

/** Records elements that listen for clicks, and the closed roots that contain them. */
function listen(...found) {
  for (const element of found) {
    if (element.nodeType !== 1) continue
    listening.add(element)
    let root = element.getRootNode()
    while (root.host) {
      if (root.mode === 'closed') closedRoots.set(root.host, root)
      root = root.host.getRootNode()
    }
  }
}

function openRoots(...roots) {
  for (const root of roots) closedRoots.set(root.host, root)
}

/**
 * Estimates the size of a description of the document: elements and characters, including frames.
 */
function size(of = document) {
  const frames = [...of.querySelectorAll('iframe, frame')].map(documentIn).filter(Boolean)
  return frames.reduce(
    (sum, inner) => {
      const { elements, chars } = size(inner)
      return { elements: sum.elements + elements, chars: sum.chars + chars }
    },
    {
      elements: of.getElementsByTagName('*').length,
      chars: of.documentElement?.outerHTML.length ?? 0,
    },
  )
}
