/** The event listeners that the debugger reports. */
import { kindOfEvent, listenerKinds } from '../../in-page/snapshot/listeners/kinds.ts'

/** What each element listens for that the pointer causes. */
export function listenerKindsIn(
  listeners: readonly { readonly type: string; readonly backendNodeId?: number }[],
): Map<number, number> {
  const found = new Map<number, number>()
  for (const { type, backendNodeId: id } of listeners) {
    const kind = kindOfEvent(type)
    if (id !== undefined && kind !== 0) found.set(id, (found.get(id) ?? 0) | kind)
  }
  return found
}

/** Of a link or a button, clicks go without saying. */
export const isExpected = (kinds: number) =>
  (kinds & ~(listenerKinds.click | listenerKinds.hover)) === 0
