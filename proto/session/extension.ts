/**
 * Extensions of Chromium that a tenant has uploaded, for sessions that name them. A record is in KV
 * `extensions`; the files are a blob.
 */
import { z } from 'zod'
import type { Id } from '../ids.ts'
import type { BlobPlace, SealedBlob } from './blob.ts'
import { sessionLimits } from './limits.ts'

export type ExtensionId = Id<'ext'>

export const extensionIds = z
  .array(z.string().min(1).max(sessionLimits.extensionIdChars))
  .max(sessionLimits.extensionsPerSession)
  .transform((ids) => [...new Set(ids)])

/** Chromium's own id of an extension: the first 16 bytes of a digest, with letters from a to p for its digits. */
export const chromiumIdOf = (digest: Uint8Array): string =>
  Buffer.from(digest)
    .toString('hex', 0, 16)
    .replaceAll(/./g, (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]!)

/** What a manifest says of an extension; the names are those of the manifest. */
export interface ExtensionManifest {
  readonly name: string
  readonly version: string
  readonly manifest_version: 3
  readonly description?: string
  readonly permissions: readonly string[]
  readonly host_permissions: readonly string[]
}

export interface ExtensionRecord {
  readonly id: ExtensionId
  readonly tenant: string
  /** The uploader's, for people. */
  readonly name: string
  readonly manifest: ExtensionManifest
  /** Chromium's id, 32 letters from a to p, which follows from the manifest's `key`. */
  readonly chromiumId: string
  /** Its permissions that need a browser with a network of its own. */
  readonly guarded: readonly string[]
  readonly blob: BlobPlace
  /** As it is stored. */
  readonly bytes: number
  /** The blob's key, sealed. */
  readonly sealedKey: string
  readonly createdAtMs: number
}

/** What clients of a session are told of one of its extensions. */
export interface SessionExtension {
  readonly chromiumId: string
  readonly name: string
  readonly version: string
}

/** One that the browser of a claim loads. */
export interface ExtensionSource
  extends SealedBlob, SessionExtension, Pick<ExtensionRecord, 'guarded'> {}
