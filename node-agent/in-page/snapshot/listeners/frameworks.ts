/**
 * Listeners that only frameworks know, because they listen once for all: React, jQuery, Solid and
 * Svelte keep them as properties of elements, which only the page's own world sees. This runs there,
 * and tells our world by an event at each such element, since objects cannot pass from one world to
 * the other, but what an event happened at can. The page can falsify it; then a ref is missing or
 * leads to an element that does nothing.
 */
import { kindOfEvent, listenerKinds } from './kinds.ts'

/** A selector that matches more elements than this says nothing about them. */
export const delegatedMax = 500

export class HandlerSearch {
  readonly kinds = new Map<Node, number>()
  elementsLeft: number

  constructor(elementsMax: number) {
    this.elementsLeft = elementsMax
  }

  /** Also in open shadow roots and in frames of this origin. */
  search(root: Document | ShadowRoot): void {
    this.look(root)
    const found = root.querySelectorAll('*')
    for (let at = 0; at < found.length && this.elementsLeft-- > 0; at++) {
      const element = found[at]!
      this.look(element)
      if (element.shadowRoot) this.search(element.shadowRoot)
      if (element.localName !== 'iframe' && element.localName !== 'frame') continue
      const inner = (element as HTMLIFrameElement).contentDocument
      if (inner) this.search(inner)
    }
  }

  add(element: Node, kinds: number): void {
    if (kinds !== 0) this.kinds.set(element, (this.kinds.get(element) ?? 0) | kinds)
  }

  look(node: Node): void {
    for (const key of Object.keys(node)) {
      const value: unknown = Reflect.get(node, key)
      if (/^__react(Props|EventHandlers)\$/.test(key)) this.add(node, kindsOfProps(value))
      else if (/^_reactListening|^__reactContainer\$|^_reactRootContainer$/.test(key))
        this.add(node, listenerKinds.delegates)
      else if (/^(\$\$|__)[a-z]+$/.test(key) && isHandler(value))
        this.add(node, kindOfEvent(key.slice(2)))
      else if (/^jQuery\d+$/.test(key)) this.jquery(node, value)
    }
  }

  /** Its newer versions keep an element's handlers with it, the first one in a cache by number. */
  jquery(node: Node, value: unknown): void {
    const cache = memberOf(memberOf(globalThis, 'jQuery'), 'cache')
    const events = memberOf(
      typeof value === 'number' ? memberOf(cache, String(value)) : value,
      'events',
    )
    if (!isObjectLike(events)) return
    for (const [type, handlers] of Object.entries(events)) {
      if (!Array.isArray(handlers)) continue
      for (const handler of handlers) {
        const kind = kindOfEvent(String(memberOf(handler, 'origType') ?? type))
        const selector = memberOf(handler, 'selector')
        const isForOthers = typeof selector === 'string' && this.delegate(node, selector, kind)
        this.add(node, isForOthers ? listenerKinds.delegates : kind)
      }
    }
  }

  /** False if it is not known which elements are meant. */
  delegate(node: Node, selector: string, kind: number): boolean {
    const found = selectedIn(node as Element | Document, selector)
    if (found && found.length <= delegatedMax) for (const one of found) this.add(one, kind)
    return found !== undefined
  }
}

/** jQuery has selectors that are its own, such as `li:first`. */
export function selectedIn(node: Element | Document, selector: string): Element[] | undefined {
  try {
    return [...node.querySelectorAll(selector)]
  } catch {
    const find = memberOf(memberOf(globalThis, 'jQuery'), 'find')
    return typeof find === 'function' ? (find(selector, node) as Element[]) : undefined
  }
}

export const isObjectLike = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** With its arguments, if it is a list. */
export const isHandler = (value: unknown) => typeof value === 'function' || Array.isArray(value)

export const memberOf = (value: unknown, key: string): unknown =>
  isObjectLike(value) ? Reflect.get(value, key) : undefined

/** Of properties such as `onClick`. */
export function kindsOfProps(props: unknown): number {
  if (!isObjectLike(props)) return 0
  let kinds = 0
  for (const [key, value] of Object.entries(props)) {
    if (!/^on[A-Z]/.test(key) || typeof value !== 'function') continue
    kinds |= kindOfEvent(
      key
        .slice(2)
        .replace(/Capture$/, '')
        .toLowerCase(),
    )
  }
  return kinds
}

/** Called at the document, in the page's own world. Returns the first error, if there was one. */
export function tellHandlers(this: Document, eventName: string, elementsMax: number): string {
  try {
    this.dispatchEvent(new UIEvent(eventName, { detail: 0 }))
    const search = new HandlerSearch(elementsMax)
    search.search(this)
    for (const [node, detail] of search.kinds) {
      node.dispatchEvent(new UIEvent(eventName, { detail, composed: true }))
    }
    return ''
  } catch (error) {
    // The page may have put anything there, also what throws when it is looked at.
    return String(error)
  }
}
