/** Finds the name that was probably meant. */

/** The one that fewest edits, and at most that many, turn into the given name; undefined if none. */
export function nearestName(
  name: string,
  names: readonly string[],
  editsMost: number,
): string | undefined {
  const [first] = names
    .map((one) => ({ one, edits: editsBetween(name, one) }))
    .filter(({ edits }) => edits <= editsMost)
    .toSorted((a, b) => a.edits - b.edits)
  return first?.one
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other
 * (optimal string alignment distance).
 */
export function editsBetween(a: string, b: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next.push(
        Math.min(
          last[column]! + 1,
          next[column - 1]! + 1,
          last[column - 1]! + (isSame ? 0 : 1),
          isSwap && row > 1 && column > 1 ? before[column - 2]! + 1 : Infinity,
        ),
      )
    }
    before = last
    last = next
  }
  return last[b.length]!
}
