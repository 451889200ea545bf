/**
 * Extracts facts about many elements from the debugger's description of a document, which is faster
 * than asking for each. Pure.
 */
export interface DescribedNode {
  readonly backendNodeId: number
  readonly localName?: string
  readonly attributes?: readonly string[]
  readonly frameId?: string
  readonly shadowRootType?: string
  readonly children?: readonly DescribedNode[]
  readonly shadowRoots?: readonly DescribedNode[]
  readonly contentDocument?: DescribedNode
}

export interface NodeDescriptions {
  /** Elements that are clickable by their type, with or without listeners. */
  readonly native: ReadonlySet<number>
  readonly closedRoots: readonly number[]
}

const nativeNames = new Set(['button', 'input', 'select', 'textarea', 'summary', 'canvas'])

export function nodeDescriptionsOf(document: DescribedNode): NodeDescriptions {
  const native = new Set<number>()
  const closedRoots: number[] = []
  const nodes = [document]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const { backendNodeId, localName = '', attributes = [] } = node
    const isLink = localName === 'a' && attributes.includes('href')
    if (isLink || nativeNames.has(localName)) native.add(backendNodeId)
    if (node.shadowRootType === 'closed') closedRoots.push(backendNodeId)
    for (const below of node.children ?? []) nodes.push(below)
    for (const below of node.shadowRoots ?? []) nodes.push(below)
    if (node.contentDocument) nodes.push(node.contentDocument)
  }
  return { native, closedRoots }
}
