/**
 * Which traces a host removes when all together are too large: the oldest of the tenant that uses
 * most, so that one tenant cannot push the traces of others out.
 */
export interface KeptTrace {
  readonly name: string
  readonly tenant: string
  bytes: number
  /** Of its last line. */
  atMs: number
}

/** In the order of their removal, until `most` bytes are left. */
export function removedForRoom(traces: Iterable<KeptTrace>, most: number): KeptTrace[] {
  const byTenant = new Map<string, { bytes: number; readonly oldestLast: KeptTrace[] }>()
  let bytes = 0
  for (const trace of [...traces].toSorted((a, b) => b.atMs - a.atMs)) {
    const its = byTenant.get(trace.tenant) ?? { bytes: 0, oldestLast: [] }
    its.bytes += trace.bytes
    its.oldestLast.push(trace)
    byTenant.set(trace.tenant, its)
    bytes += trace.bytes
  }
  const removed: KeptTrace[] = []
  while (bytes > most) {
    const largest = [...byTenant.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a))
    const oldest = largest.oldestLast.pop()
    if (!oldest) break
    largest.bytes -= oldest.bytes
    bytes -= oldest.bytes
    removed.push(oldest)
  }
  return removed
}
