/**
 * Values of IndexedDB as JSON, in the encoding of Playwright's files: `d` a date, `bi` a big integer,
 * `r` a regular expression, `e` an error, `ta` a typed array, `ab` its buffer, `a`, `o`, `m` and `s`
 * an array, object, map and set, whose `id` a `ref` leads back to; `v` what JSON cannot express.
 */

/** A value that no file can hold, such as a key of Web Crypto that never leaves the browser. */
export class NotEncodable extends Error {}

/** Half a surrogate pair is lost on its way, and the service refuses NUL. */
export const isPortable = (text: string) => text.isWellFormed() && !text.includes('\0')

type TypedArray = Exclude<ArrayBufferView, DataView>

const kindsOfArrays = {
  i8: Int8Array,
  ui8: Uint8Array,
  ui8c: Uint8ClampedArray,
  i16: Int16Array,
  ui16: Uint16Array,
  i32: Int32Array,
  ui32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
  bi64: BigInt64Array,
  bui64: BigUint64Array,
} as const

const specialValues: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['null', null],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
])

/** Whether JSON expresses it without loss; a value with cycles is none. */
export function isPlain(value: unknown, above: readonly unknown[] = []): boolean {
  switch (typeof value) {
    case 'boolean':
      return true
    case 'string':
      return isPortable(value)
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object': {
      if (value === null) return true
      if (above.includes(value)) return false
      const within = [...above, value]
      if (Array.isArray(value)) {
        return Object.keys(value).length === value.length && value.every((v) => isPlain(v, within))
      }
      return (
        Object.getPrototypeOf(value) === Object.prototype &&
        Object.entries(value).every(([k, v]) => isPortable(k) && isPlain(v, within))
      )
    }
    default:
      return false
  }
}

/** Throws {@link NotEncodable}. */
export function encodeStored(value: unknown, ids: Map<unknown, number> = new Map()): unknown {
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'string') return portable(value)
  if (typeof value === 'number' || value === undefined) {
    for (const [name, special] of specialValues) if (Object.is(special, value)) return { v: name }
    return value
  }
  if (typeof value === 'bigint') return { bi: String(value) }
  if (typeof value !== 'object') throw new NotEncodable(typeof value)
  const known = ids.get(value)
  if (known !== undefined) return { ref: known }
  return encodeLeaf(value) ?? encodeContainer(value, ids)
}

function portable(text: string): string {
  if (isPortable(text)) return text
  throw new NotEncodable('text that JSON does not carry')
}

/** Undefined for what contains other values. */
function encodeLeaf(value: object): object | undefined {
  if (value instanceof Date) return { d: Number.isNaN(+value) ? null : value.toJSON() }
  if (value instanceof RegExp) return { r: { p: portable(value.source), f: value.flags } }
  if (value instanceof Error) {
    const { name, message, stack } = value
    return { e: { n: portable(name), m: portable(message), s: portable(stack ?? '') } }
  }
  if (value instanceof ArrayBuffer) return { ab: { b: toBase64(new Uint8Array(value)) } }
  for (const [k, Kind] of Object.entries(kindsOfArrays)) {
    if (!(value instanceof Kind)) continue
    const { buffer, byteOffset, byteLength } = value as TypedArray
    return { ta: { b: toBase64(new Uint8Array(buffer, byteOffset, byteLength)), k } }
  }
  return undefined
}

function encodeContainer(value: object, ids: Map<unknown, number>): object {
  const id = ids.size + 1
  ids.set(value, id)
  const each = (item: unknown) => encodeStored(item, ids)
  const pair = ([k, v]: readonly [unknown, unknown]) => ({ k: each(k), v: each(v) })
  if (Array.isArray(value)) return { a: Array.from(value, each), id }
  if (value instanceof Map) return { m: [...value].map(pair), id }
  if (value instanceof Set) return { s: [...value].map(each), id }
  // Others, such as a blob, have what no property shows.
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new NotEncodable(nameOf(value))
  return { o: Object.entries(value).map(([k, v]) => ({ k: portable(k), v: each(v) })), id }
}

const nameOf = (value: object): string => value.constructor?.name ?? 'object'

interface Encoded {
  readonly v?: string
  readonly d?: string | null
  readonly bi?: string
  readonly r?: { readonly p: string; readonly f: string }
  readonly e?: { readonly n: string; readonly m: string; readonly s: string }
  readonly ab?: { readonly b: string }
  readonly ta?: { readonly b: string; readonly k: keyof typeof kindsOfArrays }
  readonly a?: readonly unknown[]
  readonly o?: readonly { readonly k: string; readonly v: unknown }[]
  readonly m?: readonly { readonly k: unknown; readonly v: unknown }[]
  readonly s?: readonly unknown[]
  readonly id?: number
  readonly ref?: number
}

/** Throws for what is no such encoding. */
export function decodeStored(given: unknown, made: Map<number, unknown> = new Map()): unknown {
  if (typeof given !== 'object' || given === null) return given
  const encoded = given as Encoded
  if (encoded.ref !== undefined) return made.get(encoded.ref)
  if (encoded.v !== undefined) return specialValues.get(encoded.v)
  return decodeContainer(encoded, made) ?? decodeLeaf(encoded)
}

function decodeLeaf({ d, bi, r, e, ab, ta }: Encoded): unknown {
  if (d !== undefined) return new Date(d ?? NaN)
  if (bi !== undefined) return BigInt(bi)
  if (r) return new RegExp(r.p, r.f)
  if (e) return Object.assign(new Error(e.m), { name: e.n, stack: e.s })
  if (ab) return fromBase64(ab.b)
  if (ta) return new kindsOfArrays[ta.k](fromBase64(ta.b))
  throw new TypeError('an encoded value has no known kind')
}

function decodeContainer(
  { a, o, m, s, id }: Encoded,
  made: Map<number, unknown>,
): object | undefined {
  const keep = <T extends object>(container: T): T => {
    if (id !== undefined) made.set(id, container)
    return container
  }
  const each = (item: unknown) => decodeStored(item, made)
  if (a) {
    const list = keep<unknown[]>([])
    for (const item of a) list.push(each(item))
    return list
  }
  if (m) {
    const map = keep(new Map<unknown, unknown>())
    for (const { k, v } of m) map.set(each(k), each(v))
    return map
  }
  if (s) {
    const set = keep(new Set<unknown>())
    for (const item of s) set.add(each(item))
    return set
  }
  if (!o) return undefined
  const object = keep<Record<string, unknown>>({})
  const field = (value: unknown) => ({
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
  for (const { k, v } of o) Object.defineProperty(object, k, field(each(v)))
  return object
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer
}
