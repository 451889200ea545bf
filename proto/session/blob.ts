/**
 * Large things that agents and core hosts exchange, such as profiles: opaque bytes, in parts, over
 * the bus. Whoever has a ticket may read, or write, one blob; agents have no rights to a store.
 */
import type { Id } from '../ids.ts'

export type BlobId = Id<'blb'>

/** Where a blob is kept. */
export interface BlobPlace {
  /** The name of the folder of blobs, which one core host has. */
  readonly store: string
  readonly id: BlobId
}

/** What an agent needs to read or to write one blob. */
export interface BlobAccess extends BlobPlace {
  readonly ticket: string
}

/** And to open or to seal it. The key is of this blob alone. */
export interface SealedBlob extends BlobAccess {
  /** 32 bytes. */
  readonly key: Uint8Array
}

/** The requests that a core host answers about its blobs, each with the answer of its `Reply`. */
export interface BlobVerbs {
  /** A part from this byte on; `size` is that of the whole blob. */
  read: {
    request: { readonly ticket: string; readonly from: number }
    reply: { readonly bytes: Uint8Array; readonly size: number }
  }
  /** Parts may come in any order, and twice. */
  write: {
    request: { readonly ticket: string; readonly at: number; readonly bytes: Uint8Array }
    reply: null
  }
  /** All parts are written: from now on the blob is complete, and cannot be written any more. */
  commit: {
    request: { readonly ticket: string; readonly size: number }
    reply: null
  }
}
export type BlobVerb = keyof BlobVerbs
