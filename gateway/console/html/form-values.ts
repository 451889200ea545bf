/** Converts form fields to values of a request body. */
type Body = Readonly<Record<string, unknown>>

/** Text that is not a number is passed on unchanged, so that the route reports the error. */
export const numberIn = (text: string | undefined): number | string | undefined =>
  text === undefined ? undefined : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

/** Items that are separated by commas or lines. */
const listIn = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter(Boolean)

/** Undefined for an empty list. */
export const nonEmptyListIn = (text: string): readonly string[] | undefined => {
  const items = listIn(text)
  return items.length === 0 ? undefined : items
}

/** Removes undefined fields; undefined if nothing is left. */
export function definedFields(of: Body): Body | undefined {
  const given = Object.entries(of).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** Undefined for the default value, so that a body contains only what differs from the defaults. */
export const unlessDefault = <T>(value: T, standard: T): T | undefined =>
  value === standard ? undefined : value
