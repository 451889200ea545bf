/**
 * One folder of a session's files. A file is written beside it under a name of ours and appears in
 * it whole or not at all; whatever goes wrong on the way leaves nothing.
 */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { ServiceError } from '../../proto/errors.ts'
import type { FileId, StoredFile } from '../../proto/files.ts'
import { newId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import { freeName, safeName } from './names.ts'
import { writeNewFile } from './new-file.ts'

export interface FolderPaths {
  /** Where the files are. */
  readonly dir: string
  /** Where they are until they are whole; on the same file system. */
  readonly incoming: string
}

export class Folder {
  readonly #paths: FolderPaths
  readonly #files = new Map<string, StoredFile>()
  readonly #names = new Set<string>()
  /** Of the files here and of those on their way. */
  #bytes = 0
  #arriving = 0

  constructor(paths: FolderPaths) {
    this.#paths = paths
  }

  list(): readonly StoredFile[] {
    return [...this.#files.values()]
  }

  get(id: string): StoredFile {
    const file = this.#files.get(id)
    if (!file) throw noSuchFile()
    return file
  }

  pathOf({ name }: StoredFile): string {
    return join(this.#paths.dir, name)
  }

  /** Stores one file under its name made safe, or under the next that is free. */
  async receive(name: string, content: Readable): Promise<StoredFile> {
    return this.arrive(content, ({ path, bytes }) => this.take(path, safeName(name), bytes))
  }

  /** Writes what comes to a temporary file and hands that to `settle`; then it is gone. */
  async arrive<T>(content: Readable, settle: (whole: Whole) => Promise<T>): Promise<T> {
    this.#checkRoom(1)
    if (this.#arriving >= limits.uploadsAtOnce) throw tooMany()
    const path = join(this.#paths.incoming, newId('fil'))
    const room = Math.min(limits.uploadBytes, limits.folderBytes - this.#bytes)
    this.#arriving++
    try {
      const bytes = await writeNewFile(path, content, upTo(room))
      return await settle({ path, bytes })
    } catch (error) {
      throw asServiceError(error)
    } finally {
      this.#arriving--
      await rm(path, { force: true })
    }
  }

  /** Moves a file that is whole into the folder, under that path or the next that is free. */
  async take(from: string, path: string, bytes: number): Promise<StoredFile> {
    this.#checkRoom(0)
    if (this.#bytes + bytes > limits.folderBytes) throw full()
    const parents = path.split('/').slice(0, -1)
    const parent = parents.map((part) => `${part}/`).join('')
    const isTaken = (name: string) => this.#names.has((parent + name).toLowerCase())
    const name = parent + freeName(path.slice(parent.length), isTaken)
    // Before anything is awaited: two that come at once must not both find it free.
    this.#names.add(name.toLowerCase())
    this.#bytes += bytes
    const file = { id: newId('fil') as FileId, name, bytes, createdAtMs: Date.now() }
    try {
      await this.#makeWay(parents)
      await rename(from, this.pathOf(file))
    } catch (error) {
      this.#names.delete(name.toLowerCase())
      this.#bytes -= bytes
      throw asServiceError(error)
    }
    this.#files.set(file.id, file)
    return file
  }

  async remove(id: string): Promise<void> {
    const file = this.get(id)
    this.#files.delete(id)
    await rm(this.pathOf(file), { force: true })
    this.#names.delete(file.name.toLowerCase())
    this.#bytes -= file.bytes
  }

  /** Step by step, for the folder itself is gone with its browser and must not come back. */
  async #makeWay(parents: readonly string[]): Promise<void> {
    let path = this.#paths.dir
    for (const part of parents) {
      path = join(path, part)
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    }
  }

  #checkRoom(more: number): void {
    if (this.#files.size + this.#arriving + more > limits.folderFiles) throw full()
  }
}

/** Passes so many bytes and fails at the next. */
function upTo(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength
      if (bytes <= bytesMax) done(null, chunk)
      else done(bytesMax === limits.uploadBytes ? tooLarge() : full())
    },
  })
}

/** A file that has arrived and has no name yet. */
export interface Whole {
  readonly path: string
  readonly bytes: number
}

export function noSuchFile(): ServiceError {
  return new ServiceError('not_found', 'There is no file of this id.')
}

function tooLarge(): ServiceError {
  const text = `A file may have ${limits.uploadBytes} bytes at most.`
  return new ServiceError('too_large', text, { limit_bytes: limits.uploadBytes })
}

function full(): ServiceError {
  const { folderFiles, folderBytes } = limits
  const most = `${folderFiles} files of ${folderBytes} bytes together`
  const text = `A session may keep ${most}; delete some.`
  return new ServiceError('too_large', text, { limit: folderFiles, limit_bytes: folderBytes })
}

function tooMany(): ServiceError {
  const text = `${limits.uploadsAtOnce} files are on their way here already; wait for one of them.`
  return new ServiceError('rate_limited', text, { limit: limits.uploadsAtOnce })
}

/** What a disk and a sender may do to us; anything else is a fault of ours and stays as it is. */
function asServiceError(error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
      return new ServiceError('unavailable', 'The disk of this host is full.', {}, error)
    case 'ENOENT':
      return new ServiceError('session_ended', 'The session ended meanwhile.', {}, error)
    case 'EEXIST':
    case 'EISDIR':
    case 'ENOTDIR':
      return new ServiceError('conflict', 'A file and a folder would have one name.', {}, error)
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new ServiceError('bad_request', 'The sender left halfway.', {}, error)
    default:
      return error
  }
}
