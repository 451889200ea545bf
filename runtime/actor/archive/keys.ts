/** Keys of the file of the archive: parts with dots between them, in the order of their bytes. */
import type { Database } from 'lmdb'

export type Bytes = Database<Uint8Array, string>

export const seqText = (seq: number) => String(seq).padStart(16, '0')

/** All keys that begin with a prefix that ends with a dot: `/` follows it. */
export const below = (prefix: string) => ({ start: prefix, end: `${prefix.slice(0, -1)}/` })
