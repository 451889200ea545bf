/**
 * The blobs that one core host keeps: files of `DATA_DIR/blobs`. A blob is written as `<id>.part` and
 * gets its name once it is complete and flushed to disk, so that what has a name is whole.
 */
import { randomBytes } from 'node:crypto'
import { constants, readFileSync, writeFileSync } from 'node:fs'
import { open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobId, BlobPlace } from '../../proto/session/blob.ts'
import { ServiceError } from '../../proto/errors.ts'
import { isId, newId } from '../../proto/ids.ts'
import { makePrivateFolder } from '../lib/files/make-folder.ts'
import { blobLimits } from './limits.ts'

export interface BlobFolderOptions {
  readonly dataDir: string
  /** All blobs of the folder together. */
  readonly bytesMax: number
}

export interface KeptBlob {
  readonly id: BlobId
  readonly bytes: number
  /** Wall-clock ms of the last write. */
  readonly writtenAtMs: number
}

/**
 * The file of a complete blob if the folder is on this machine, for an agent beside its core host: it
 * saves the way through NATS, which takes longer than a browser's boot for a large blob. Undefined if
 * the folder of this DATA_DIR is another one.
 */
export async function localBlob(dataDir: string, { store, id }: BlobPlace) {
  const dir = blobsDir(dataDir)
  const name = await readFile(join(dir, nameFile), 'utf8').catch(() => '')
  if (name.trim() !== store || !isId('blb', id)) return undefined
  const file = await open(join(dir, id), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    () => null,
  )
  return file?.createReadStream({ highWaterMark: blobLimits.partBytes })
}

export const blobsDir = (dataDir: string): string => join(dataDir, 'blobs')
/** The file that has the name of the folder. */
export const nameFile = 'store'
const partSuffix = '.part'

export class BlobFolder {
  /** The name by which records say where a blob is; it goes with the folder to another host. */
  readonly store: string
  readonly #dir: string
  readonly #bytesMax: number

  private constructor(dir: string, store: string, bytesMax: number) {
    this.#dir = dir
    this.store = store
    this.#bytesMax = bytesMax
  }

  static open({ dataDir, bytesMax }: BlobFolderOptions): BlobFolder {
    const dir = blobsDir(dataDir)
    makePrivateFolder(dir)
    return new BlobFolder(dir, nameOf(dir), bytesMax)
  }

  newPlace(): BlobPlace {
    return { store: this.store, id: newId('blb') }
  }

  /** Throws `storage_full`, with what to do, if there is no room. */
  async write(id: BlobId, at: number, bytes: Uint8Array): Promise<void> {
    if (at === 0) await this.#checkRoom()
    if (at + bytes.byteLength > this.#bytesMax) throw fullError()
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW
    try {
      if (await exists(this.#pathOf(id))) throw completeError()
      const file = await open(this.#pathOf(id) + partSuffix, flags, 0o600)
      try {
        await file.write(bytes, 0, bytes.byteLength, at)
      } finally {
        await file.close()
      }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? fullError(error) : error
    }
  }

  async commit(id: BlobId, size: number): Promise<void> {
    const path = this.#pathOf(id)
    const written = await stat(path + partSuffix).catch(() => undefined)
    // The answer to an earlier request was lost.
    if (!written && (await sizeOf(path)) === size) return
    if (written?.size !== size) {
      const text = `The blob is not complete: ${written?.size ?? 0} of ${size} bytes.`
      throw new ServiceError('bad_request', text)
    }
    await flush(path + partSuffix)
    await rename(path + partSuffix, path)
    await flush(this.#dir)
  }

  /** Throws `not_found` if it is not here. */
  async read(id: BlobId, from: number): Promise<{ bytes: Uint8Array; size: number }> {
    const file = await open(this.#pathOf(id), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
      (cause: unknown) => {
        throw new ServiceError('not_found', 'The stored bytes are missing.', {}, cause)
      },
    )
    try {
      const { size } = await file.stat()
      const buffer = Buffer.alloc(Math.max(0, Math.min(blobLimits.partBytes, size - from)))
      const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, from)
      return { bytes: buffer.subarray(0, bytesRead), size }
    } finally {
      await file.close()
    }
  }

  async remove(id: BlobId): Promise<void> {
    const path = this.#pathOf(id)
    await Promise.all([path, path + partSuffix].map((each) => rm(each, { force: true })))
  }

  /** Complete ones, and those that are being written. */
  async list(): Promise<readonly KeptBlob[]> {
    const names = await readdir(this.#dir)
    const found = await Promise.all(
      names.map(async (name): Promise<KeptBlob | undefined> => {
        const id = name.replace(/\.part$/, '')
        if (!isId('blb', id)) return undefined
        // It may be removed meanwhile.
        const stats = await stat(join(this.#dir, name)).catch(() => undefined)
        return stats && { id, bytes: stats.size, writtenAtMs: stats.mtimeMs }
      }),
    )
    return found.filter((blob) => blob !== undefined)
  }

  async #checkRoom(): Promise<void> {
    const kept = await this.list()
    const bytes = kept.reduce((sum, blob) => sum + blob.bytes, 0)
    if (bytes >= this.#bytesMax) throw fullError()
    const { bavail, bsize } = await statfs(this.#dir)
    if (bavail * bsize < blobLimits.diskFreeBytes) throw fullError()
  }

  /** The id comes from a ticket, so it has been checked; a name that is not an id stays inside. */
  #pathOf(id: BlobId): string {
    if (!isId('blb', id)) throw new ServiceError('bad_request', 'This is no id of a blob.')
    return join(this.#dir, id)
  }
}

/** Made at the first start. */
function nameOf(dir: string): string {
  const path = join(dir, nameFile)
  try {
    writeFileSync(path, randomBytes(12).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}

async function flush(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size
const exists = async (path: string) => (await sizeOf(path)) !== undefined

const completeError = () => new ServiceError('conflict', 'The blob is complete already.')

function fullError(cause?: unknown): ServiceError {
  const text =
    'There is no room for more profiles and extensions. Delete some, or ask the operator to raise BLOBS_MAX_MIB ' +
    'or to free some of the disk.'
  return new ServiceError('storage_full', text, {}, cause)
}
