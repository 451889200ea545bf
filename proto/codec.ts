/**
 * Internal payloads are msgpack: typed arrays and undefined survive, and it is smaller than JSON.
 */
import { Packr } from 'msgpackr'

const packr = new Packr({ useRecords: false, encodeUndefinedAsNil: false })

export function encode(value: unknown): Uint8Array {
  return packr.pack(value)
}

/** For bytes that this service encoded itself. Data from outside also goes through a zod schema. */
export function decode<T>(bytes: Uint8Array): T {
  return packr.unpack(bytes) as T
}
