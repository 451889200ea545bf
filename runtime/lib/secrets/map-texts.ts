/** All texts of plain data, including keys, each replaced by what `textOf` makes of it; numbers by `numberOf`. */
export function mapTexts<T>(
  value: T,
  textOf: (text: string) => string,
  numberOf: (value: number) => unknown = (number) => number,
): T {
  return mapped(value) as T

  function mapped(one: unknown): unknown {
    if (typeof one === 'string') return textOf(one)
    if (Array.isArray(one)) return one.map(mapped)
    if (typeof one === 'number') return numberOf(one)
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) return one
    const entries = Object.entries(one).map(([key, inner]) => [textOf(key), mapped(inner)])
    return Object.fromEntries(entries) as unknown
  }
}
