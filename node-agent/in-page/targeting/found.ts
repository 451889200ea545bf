/** Elements that a search has found for a call that was sent along with it, by the key of both. */
const found = new Map<number, Element>()

export function keepFound(key: number, element: Element): void {
  found.set(key, element)
}

export function takeFound(key: number): Element | undefined {
  const element = found.get(key)
  found.delete(key)
  return element
}
