/**
 * The secret that the service signs with: session keys in URLs, tokens, links, cookies. Stored
 * sealed, shared by all hosts, and replaceable while they run.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { decode, encode } from '../../../proto/codec.ts'
import { noKey, sealedWith, type Sealer } from '../seal/seal.ts'
import { StoreConflict, type Bucket, type BucketEntry } from '../../store/store.ts'

export interface ServiceSecret {
  /** The current text; read it each time, because it can change. */
  readonly text: string
  /** Different for each text, without revealing it. */
  readonly id: string
  /** Calls back after each change, until the returned function is called. */
  onChange(listener: () => void): () => void
}

const prefix = 'service.'
const entryKey = `${prefix}secret`
const context = ['service', 'secret'] as const

interface SecretDeps {
  readonly keys: Bucket
  readonly sealer: Sealer
}

/** Opens and watches the secret; the first process that needs it creates it. */
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
      const next = openText(sealer, change)
      if (next === text) return
      ;[text, id] = [next, idOf(next)]
    } catch (error) {
      log.error(
        { err: error },
        'the new secret of the service cannot be opened: the old one stays in use',
      )
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

/** Replaces the secret. Everything signed before becomes invalid. */
export async function rotateServiceSecret({ keys, sealer }: SecretDeps): Promise<void> {
  const entry = await keys.get(entryKey)
  const isSealed = entry && sealedWith(decode<string>(entry.value)) !== undefined
  if (isSealed && sealer.keyIds().length === 0) throw noKey()
  await keys.put(entryKey, sealText(sealer, newText()))
}

/** Reseals it with the first key: `current` if it was already, `none` if it does not exist yet. */
export async function resealServiceSecret({
  keys,
  sealer,
}: SecretDeps): Promise<'resealed' | 'current' | 'none'> {
  const entry = await keys.get(entryKey)
  if (!entry) return 'none'
  if (sealedWith(decode<string>(entry.value)) === sealer.keyIds()[0]) return 'current'
  await keys.update(entryKey, sealText(sealer, openText(sealer, entry)), entry.revision)
  return 'resealed'
}

async function readOrMake({ keys, sealer }: SecretDeps): Promise<string> {
  const entry = await keys.get(entryKey)
  if (entry) {
    // Before seal keys existed, it was stored unsealed. Several processes may race to seal it; any
    // winner will do.
    await sealIfBare({ keys, sealer }, entry).catch(unlessConflict)
    return openText(sealer, entry)
  }
  const text = newText()
  try {
    await keys.create(entryKey, sealText(sealer, text))
    return text
  } catch (error) {
    unlessConflict(error)
    return readOrMake({ keys, sealer })
  }
}

async function sealIfBare({ keys, sealer }: SecretDeps, entry: BucketEntry): Promise<void> {
  const text = decode<string>(entry.value)
  if (sealedWith(text) !== undefined || sealer.keyIds().length === 0) return
  await keys.update(entryKey, sealText(sealer, text), entry.revision)
}

function unlessConflict(error: unknown): void {
  if (!(error instanceof StoreConflict)) throw error
}

/**
 * A host without seal keys shares its secrets with no host that has some, and stores this one
 * unsealed.
 */
function sealText(sealer: Sealer, text: string): Uint8Array {
  return encode(sealer.keyIds().length === 0 ? text : sealer.seal(text, context))
}

function openText(sealer: Sealer, { value }: Pick<BucketEntry, 'value'>): string {
  const kept = decode<string>(value)
  return sealedWith(kept) === undefined ? kept : sealer.open(kept, context)
}

const newText = () => randomBytes(32).toString('base64url')

const idOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8)
