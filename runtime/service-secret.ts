/**
 * The secret behind what the service signs itself: keys of a session's addresses, tokens, links,
 * cookies. Kept sealed, shared by all hosts, and changed while they run.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { decode, encode } from '../proto/codec.ts'
import { noKey, sealedWith, type Sealer } from './seal/seal.ts'
import { Conflict, type Bucket, type BucketEntry } from './store.ts'

export interface ServiceSecret {
  /** As it is now: asked for each time, since it can change. */
  readonly text: string
  /** Another one for each text, and tells nothing of it. */
  readonly id: string
  /** Calls back after it has changed, until the returned function is called. */
  onChange(listener: () => void): () => void
}

const prefix = 'service.'
const entryKey = `${prefix}secret`
const context = ['service', 'secret'] as const

interface SecretDeps {
  readonly keys: Bucket
  readonly sealer: Sealer
}

/** Follows it; the first process that needs it makes it. */
export async function openServiceSecret(
  deps: SecretDeps & { readonly log: Logger },
): Promise<ServiceSecret & { stop(): void }> {
  const { keys, sealer, log } = deps
  let text = await readOrMake(deps)
  let id = idOf(text)
  const listeners = new Set<() => void>()
  const watch = await keys.watch((change) => {
    if (change.type !== 'put' || change.key !== entryKey) return
    try {
      const next = opened(sealer, change)
      if (next === text) return
      ;[text, id] = [next, idOf(next)]
    } catch (error) {
      log.error({ err: error }, 'the new secret of the service cannot be opened: the old one stays')
      return
    }
    log.info({ secret: id }, 'the secret of the service has changed')
    for (const listener of listeners) listener()
  }, prefix)
  return {
    get text() {
      return text
    },
    get id() {
      return id
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: () => watch.stop(),
  }
}

/** Puts another one in its place. What was signed before is worth nothing from then on. */
export async function rotateServiceSecret({ keys, sealer }: SecretDeps): Promise<void> {
  const entry = await keys.get(entryKey)
  const isSealed = entry && sealedWith(decode<string>(entry.value)) !== undefined
  if (isSealed && sealer.keyIds().length === 0) throw noKey()
  await keys.put(entryKey, sealed(sealer, newText()))
}

/** With the first key: `current` where it was, `none` where no process has needed it yet. */
export async function resealServiceSecret({
  keys,
  sealer,
}: SecretDeps): Promise<'resealed' | 'current' | 'none'> {
  const entry = await keys.get(entryKey)
  if (!entry) return 'none'
  if (sealedWith(decode<string>(entry.value)) === sealer.keyIds()[0]) return 'current'
  await keys.update(entryKey, sealed(sealer, opened(sealer, entry)), entry.revision)
  return 'resealed'
}

async function readOrMake({ keys, sealer }: SecretDeps): Promise<string> {
  const entry = await keys.get(entryKey)
  if (entry) {
    // Before there were keys it was kept as it is; a race to seal it has a winner, which will do.
    await sealIfBare({ keys, sealer }, entry).catch(unlessConflict)
    return opened(sealer, entry)
  }
  const text = newText()
  try {
    await keys.create(entryKey, sealed(sealer, text))
    return text
  } catch (error) {
    unlessConflict(error)
    return readOrMake({ keys, sealer })
  }
}

async function sealIfBare({ keys, sealer }: SecretDeps, entry: BucketEntry): Promise<void> {
  const text = decode<string>(entry.value)
  if (sealedWith(text) !== undefined || sealer.keyIds().length === 0) return
  await keys.update(entryKey, sealed(sealer, text), entry.revision)
}

function unlessConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error
}

/** A host without keys shares its secrets with nobody who has some, and keeps this one as it is. */
function sealed(sealer: Sealer, text: string): Uint8Array {
  return encode(sealer.keyIds().length === 0 ? text : sealer.seal(text, context))
}

function opened(sealer: Sealer, { value }: Pick<BucketEntry, 'value'>): string {
  const kept = decode<string>(value)
  return sealedWith(kept) === undefined ? kept : sealer.open(kept, context)
}

const newText = () => randomBytes(32).toString('base64url')

const idOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8)
