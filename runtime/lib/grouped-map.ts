/** Values with ids, grouped by tenant or by session, as lists need them. */
export class GroupedMap<V extends { readonly id: string }> {
  readonly #groups = new Map<string, Map<string, V>>()

  /** Oldest first: ids sort by creation. */
  of(group: string): V[] {
    const found = [...(this.#groups.get(group)?.values() ?? [])]
    return found.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Values of all groups, in no particular order. */
  *all(): Iterable<V> {
    for (const group of this.#groups.values()) yield* group.values()
  }

  count(group: string): number {
    return this.#groups.get(group)?.size ?? 0
  }

  /** The groups that have a value. */
  groups(): Iterable<string> {
    return this.#groups.keys()
  }

  set(group: string, value: V): void {
    const there = this.#groups.get(group) ?? new Map<string, V>()
    this.#groups.set(group, there.set(value.id, value))
  }

  delete(group: string, id: string): void {
    const there = this.#groups.get(group)
    there?.delete(id)
    if (there?.size === 0) this.#groups.delete(group)
  }
}
