/** Sizes as people read them. */
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** For example `512 B`, `1.5 KiB` or `12.0 GiB`. */
export function sizeWord(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024
    unit++
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}
