/**
 * Ids: a kind prefix and 26 lower-case base-32 characters, the first 10 of them the
 * creation time, so that ids of one kind sort by age. Only `a-z0-9_`: an id is a NATS
 * token, a KV key part and a URL segment as it is.
 */
import { randomFillSync } from 'node:crypto'

export type Id<Prefix extends string> = `${Prefix}_${string}`
export type SessionId = Id<'ses'>
export type BrowserId = Id<'brw'>

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const bodyPattern = /^[0-9a-hjkmnp-tv-z]{26}$/

const randomBytesPerId = 16
/** Fetched for many ids at once, because each fetch takes longer than the rest of an id. */
const entropy = new Uint8Array(128 * randomBytesPerId)
let entropyUsed = entropy.byteLength

function nextRandom(): Uint8Array {
  if (entropyUsed === entropy.byteLength) {
    randomFillSync(entropy)
    entropyUsed = 0
  }
  return entropy.subarray(entropyUsed, (entropyUsed += randomBytesPerId))
}

/** 26 characters: 48 bits of milliseconds, then 80 random bits (the layout of a ULID). */
function ulid(nowMs = Date.now()): string {
  const random = nextRandom()
  let time = ''
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) {
    time = alphabet[rest % 32] + time
  }
  let tail = ''
  for (let i = 0; i < randomBytesPerId; i++) tail += alphabet[random[i]! % 32]
  return time + tail
}

export function newId<P extends string>(prefix: P, nowMs?: number): Id<P> {
  return `${prefix}_${ulid(nowMs)}`
}

/** What ids of that kind and time begin with; all later ones sort after it. */
export const idBeginOf = (prefix: string, atMs: number): string =>
  newId(prefix, Math.max(0, atMs)).slice(0, -randomBytesPerId)

/**
 * An id of that kind with the characters of another id: the same input always gives the same id.
 */
export function idLike<P extends string>(prefix: P, id: string): Id<P> {
  return `${prefix}_${id.slice(id.indexOf('_') + 1)}`
}

/** Derived from a digest of 16 bytes or more. It contains no time, so it sorts as the oldest. */
export function idOfDigest<P extends string>(prefix: P, digest: Uint8Array): Id<P> {
  const tail = [...digest.subarray(0, 16)].map((byte) => alphabet[byte % 32]).join('')
  return `${prefix}_${'0'.repeat(10)}${tail}`
}

/** Derived from a time and a digest of 16 bytes or more: for objects that may be created twice. */
export function idAt<P extends string>(prefix: P, atMs: number, digest: Uint8Array): Id<P> {
  const tail = idOfDigest(prefix, digest).slice(-16)
  return `${newId(prefix, atMs).slice(0, -16)}${tail}` as Id<P>
}

/**
 * True if `text` is a well-formed id of that kind. Other texts cannot exist, so callers answer 404
 * without a look-up.
 */
export function isId<P extends string>(prefix: P, text: string): text is Id<P> {
  return text.startsWith(`${prefix}_`) && bodyPattern.test(text.slice(prefix.length + 1))
}

export const tokenPattern = /^[A-Za-z0-9_-]{1,64}$/

/** True for a single NATS token, which node ids, tenants and kinds must be. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text)
}

/**
 * `<nodeId>.<role>.<ulid>`: one life of one process. A restart is a new
 * incarnation; a dead one never returns.
 */
export type Incarnation = `${string}.${Role}.${string}`
export const roles = ['gateway', 'actors', 'node-agent'] as const
export type Role = (typeof roles)[number]

export function newIncarnation(nodeId: string, role: Role, nowMs?: number): Incarnation {
  return `${nodeId}.${role}.${ulid(nowMs)}`
}

export const roleOfIncarnation = (incarnation: Incarnation): Role =>
  incarnation.split('.').at(-2) as Role

/** Wall-clock ms of the start of the process, by its own clock. */
export function startOfIncarnation(incarnation: string): number {
  const time = incarnation.slice(incarnation.lastIndexOf('.') + 1).slice(0, 10)
  return [...time].reduce((ms, letter) => ms * 32 + alphabet.indexOf(letter), 0)
}
