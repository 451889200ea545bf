/**
 * Which files of sessions a host removes when all together are too large: the oldest of the tenant that uses
 * most, so that one tenant cannot push the files of others out.
 */
export interface KeptFile {
  readonly name: string
  readonly tenant: string
  bytes: number
  /** Of its last line. */
  atMs: number
  /** Of an agent that may have been killed while it wrote a line. */
  isLeft?: boolean
}

/** In the order of their removal, until `most` bytes are left. */
export function removedForRoom(files: Iterable<KeptFile>, most: number): KeptFile[] {
  const byTenant = new Map<string, { bytes: number; readonly oldestLast: KeptFile[] }>()
  let bytes = 0
  for (const file of [...files].toSorted((a, b) => b.atMs - a.atMs)) {
    const its = byTenant.get(file.tenant) ?? { bytes: 0, oldestLast: [] }
    its.bytes += file.bytes
    its.oldestLast.push(file)
    byTenant.set(file.tenant, its)
    bytes += file.bytes
  }
  const removed: KeptFile[] = []
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
