/** Objects in JSON. Pure. */

export type JsonRecord = Readonly<Record<string, unknown>>

/** Neither null nor a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
