/**
 * Returns the fields that are not undefined, to be spread into an object whose fields are optional:
 * `{ id, ...defined({ url, title }) }`. A present field with the value undefined is a type error
 * (`exactOptionalPropertyTypes`), and it shows up in `Object.keys`.
 */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept: Partial<Fields> = {}
  for (const name of Object.keys(fields) as (keyof Fields)[]) {
    if (fields[name] !== undefined) kept[name] = fields[name]
  }
  return kept as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
}
