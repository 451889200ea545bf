/** Calls of the functions that are installed in a document. */
import type { PageReader } from './reader.ts'

export const reader = () => (globalThis as unknown as { readonly troupe: PageReader }).troupe

export const callFateOf = (number: number, documentId: string) =>
  reader().id === documentId ? reader().fateOf(number) : 'navigated'

/** Undefined also for an element of an inner frame. */
export const callOwnElement = (number: number, documentId: string) => {
  const known = reader()
  if (known.id !== documentId || known.fateOf(number) !== 'here') return undefined
  const element = known.elementOf(number)
  return element?.ownerDocument === document ? element : undefined
}

export const callElementOf = (number: number) => reader().elementOf(number)

export const callReadLines = (...args: Parameters<PageReader['readLines']>) =>
  reader().readLines(...args)

export const callExtractText = (...args: Parameters<PageReader['extractText']>) =>
  reader().extractText(...args)

export const callRecordListeners = (...found: Parameters<PageReader['recordListeners']>) =>
  reader().recordListeners(...found)

export const callOpenRoots = (...roots: readonly ShadowRoot[]) => reader().openRoots(...roots)

export const callHostsToAsk = () => reader().hostsToAsk()

export const callSize = () => reader().size()
