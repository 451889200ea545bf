/** Whether anything of a page takes the next key: an element, or the page by its listeners. */
import { nextTask } from '../drawing.ts'

export interface KeyWatch {
  /** What became of the key; undefined if this document has received none. */
  fate: 'taken' | 'unused' | undefined
  changed: boolean
  stop(): void
}

let current: KeyWatch | undefined

export function watchKeys(): void {
  current?.stop()
  const hadNone = /^(body|html)?$/.test(document.activeElement?.localName ?? '')
  const watch: KeyWatch = {
    ...{ fate: undefined, changed: false },
    stop() {
      observer.disconnect()
      removeEventListener('keydown', note)
    },
  }
  const observer = new MutationObserver(() => (watch.changed = true))
  const everything = { subtree: true, childList: true, attributes: true, characterData: true }
  observer.observe(document, everything)
  // The last listener: by then the page has refused the key's own effect, or not.
  const note = (event: KeyboardEvent) => {
    if (event.isTrusted) watch.fate ??= hadNone && !event.defaultPrevented ? 'unused' : 'taken'
  }
  addEventListener('keydown', note)
  current = watch
}

/** A key that another document has received, or that was stopped on its way, counts as taken. */
export async function keyFate(): Promise<'taken' | 'unused'> {
  await nextTask()
  const watch = current
  watch?.stop()
  current = undefined
  return watch?.fate === 'unused' && !watch.changed ? 'unused' : 'taken'
}
