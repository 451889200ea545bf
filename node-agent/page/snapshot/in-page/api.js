/* What the agent asks for. */

/** The number of an element that the agent points at by other means. */
const number = (element) => numberOf(element)

const elementOf = (known) => elements.get(known)?.deref()

const askable = () => hostsToAsk

/** Takes in elements that listen for clicks, and the closed roots that some of them are in. */
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

const size = () => document.getElementsByTagName('*').length
