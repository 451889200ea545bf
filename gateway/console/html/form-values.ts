/** Fields of a form as values of a request's body. */
type Body = Readonly<Record<string, unknown>>

/** Text that is no number stays text, so that the route says what is wrong with it. */
export const numberIn = (text: string | undefined): number | string | undefined =>
  text === undefined ? undefined : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

/** Items that are separated by commas or lines. */
const listIn = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter(Boolean)

/** Undefined for an empty list. */
export const anyIn = (text: string): readonly string[] | undefined => {
  const items = listIn(text)
  return items.length === 0 ? undefined : items
}

/** Without what is undefined; undefined if nothing is left. */
export function someOf(of: Body): Body | undefined {
  const given = Object.entries(of).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** Undefined for the value that is the default, so that a body has only what differs. */
export const unlessUsual = <T>(value: T, usual: T): T | undefined =>
  value === usual ? undefined : value
