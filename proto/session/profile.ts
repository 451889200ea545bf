/**
 * Profiles: what a browser keeps for its next session, under a name of the tenant. A record is in KV
 * `profiles`; the bytes of its versions are blobs.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { BlobPlace, SealedBlob } from './blob.ts'
import { sessionLimits } from './limits.ts'

export const profileName = z
  .string()
  .min(1)
  .max(sessionLimits.profileNameChars)
  .regex(/^[^\p{C}\s/\\](?:[^\p{C}/\\]*[^\p{C}\s/\\])?$/u, {
    error: 'may not contain slashes or control characters, nor begin or end with a space',
  })

/** The profile of a session. */
export interface SessionProfile {
  readonly name: string
  /** It is saved at the session's end, and no other session may do so meanwhile. */
  readonly persist: boolean
  /** How long it waits for another session that will save it; absent: not at all. */
  readonly waitSeconds?: number
}

/** One saved state of a profile. */
export interface ProfileVersion {
  readonly version: number
  readonly blob: BlobPlace
  /** As it is stored. */
  readonly bytes: number
  /** The blob's key, sealed; without it the bytes are of no use. */
  readonly sealedKey: string
  readonly savedAtMs: number
  /** The session that saved it. */
  readonly sessionId: string
  /** The version of Chromium that wrote it: `150.0.7871.181`. */
  readonly chromium: string
  /** The session went on after it. */
  readonly ranOn?: true
  /** The stored logins that were filled in before it, in this session or in those before it. */
  readonly logins?: readonly string[]
  /** Set if it is a copy of that earlier version. */
  readonly restoredFrom?: number
}

/** The session that will save a profile. */
export interface ProfileHolder {
  readonly sessionId: string
  readonly sinceMs: number
}

export interface ProfileRecord {
  readonly name: string
  readonly tenant: string
  readonly description?: string
  readonly createdAtMs: number
  /** When a session last began with it. */
  readonly usedAtMs?: number
  /** Oldest first; empty until the first save. */
  readonly versions: readonly ProfileVersion[]
  /** Of the last version that was saved; never used twice. */
  readonly lastVersion: number
  /** A session frees it by its end, and nothing else does. */
  readonly holder?: ProfileHolder
}

/** The version that the browser of a claim begins with. */
export interface ProfileSource extends SealedBlob {
  readonly chromium: string
}

/** A save of a running session's profile, which goes on: a gateway asks an actor host for it. */
export interface ProfileSave {
  readonly tenant: string
  readonly name: string
  readonly sessionId: string
  /** The host of its browser, and the epoch of its actor. */
  readonly nodeId: string
  readonly epoch: number
  /** It must not exist yet; without it, it is the profile that the session holds, or one that is free. */
  readonly isNew?: { readonly description?: string | undefined }
}

/** What became of a session's profile. */
export interface ProfileOutcome {
  /** The version that it began with; absent for a new profile. */
  readonly version?: number
  /** The stored logins that had been filled in before that version. */
  readonly logins?: readonly string[]
  /** Those that this session has filled in. */
  readonly filled?: readonly string[]
  /** Those of both: a page has asked for them again, so they no longer held. */
  readonly ended?: readonly string[]
  /** The version that its end saved. */
  readonly saved?: number
  /** Why it was not saved. */
  readonly problem?: string
}

/** The stored logins that its next version has. */
export const loginsOf = ({ logins = [], filled = [] }: ProfileOutcome): readonly string[] => [
  ...new Set([...logins, ...filled]),
]

/** Names are not tokens, so keys have their digest. */
export const profileKey = (tenant: string, name: string): string =>
  `${tenant}.${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
