/** Formats numbers and days for sentences. */
export const countPhrase = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
/** For example `3 May 2026`. */
export const longDayText = (time: string | number): string => dayFormat.format(new Date(time))

/** For example `No task was`, `1 task was` or `5 tasks were`, to be followed by a participle. */
export const countWere = (n: number, one: string, many?: string): string =>
  n === 0 ? `No ${one} was` : `${countPhrase(n, one, many)} ${n === 1 ? 'was' : 'were'}`

/** For example `none was`, `1 was` or `5 were`. */
export const andWere = (n: number): string =>
  n === 0 ? 'none was' : `${n.toLocaleString('en-GB')} ${n === 1 ? 'was' : 'were'}`

const shortFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
/** For example `3 May 2026`, with the month abbreviated to three letters. */
export const shortDay = (time: string | number): string => shortFormat.format(new Date(time))
/** For example `23 Sep – 22 Nov 2026`. */
export const shortRange = (from: string, to: string): string =>
  shortFormat.formatRange(new Date(from), new Date(to))

/** For example `a`, `a and b` or `a, b and c`. */
export function joinList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** For example `in_progress` → `In progress`. */
export function humanize(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const sumOf = (values: readonly number[]): number =>
  values.reduce((all, one) => all + one, 0)

/** The note of a figure that the records do not have. */
export const notRecorded = 'not recorded'

/** For example `; 2 more closed on days that are not recorded`, to be added to a note. */
export const undatedText = (n: number, participle: string): string =>
  n === 0
    ? ''
    : `; ${n} more ${participle} on ${n === 1 ? 'a day that is' : 'days that are'} not recorded`
