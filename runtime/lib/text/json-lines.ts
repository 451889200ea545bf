/** Lines of JSON that a process has written which may have been killed. Pure. */

/** The values of the lines; those that are no JSON, because they were not finished, are left out. */
export function valuesOfLines<T>(lines: readonly string[]): T[] {
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as T]
    } catch {
      return []
    }
  })
}
