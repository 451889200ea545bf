/**
 * Runs in the page's own world. Shadow roots that the page attaches are open, so that what is in them can be
 * hidden, and each is told by an event of the document: nothing else would tell of one that an element gets
 * which is there already.
 */
export function openRoots(eventType: string): void {
  Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
    apply: (attach, host, [init, ...rest]: [ShadowRootInit, ...unknown[]]) => {
      const root = Reflect.apply(attach, host, [{ ...init, mode: 'open' }, ...rest]) as ShadowRoot
      document.dispatchEvent(new Event(eventType))
      return root
    },
  })
}
