/**
 * Internal payloads are msgpack: typed arrays and undefined survive, and it is smaller than JSON.
 */
import { Packr } from 'msgpackr'

const packr = new Packr({ useRecords: false, encodeUndefinedAsNil: false })

export function encode(value: unknown): Uint8Array {
  return packr.pack(value)
}

/**
 * Decodes bytes this service wrote itself; what came from outside
 * goes through a zod schema afterwards.
 */
export function decode<T>(bytes: Uint8Array): T {
  return packr.unpack(bytes) as T
}
