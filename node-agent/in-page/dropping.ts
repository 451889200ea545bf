/** Whether the page takes files that are dragged onto an element. */

/**
 * Waits for the pointer to come over the element's document with files, and returns whether the page
 * would take them: that it prevents what the browser does with a file by itself, which is to open it.
 */
export function takesDraggedFiles(this: Element, withinMs: number): Promise<boolean> {
  const view = this.ownerDocument.defaultView!
  return new Promise((resolve) => {
    const heard = (event: Event) => {
      // After the page's own handlers, wherever they are.
      view.setTimeout(() => resolve(event.defaultPrevented))
    }
    view.addEventListener('dragover', heard, { capture: true, once: true })
    view.setTimeout(() => {
      view.removeEventListener('dragover', heard, true)
      resolve(false)
    }, withinMs)
  })
}
