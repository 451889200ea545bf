/**
 * One folder of a session's files. A file is first written elsewhere under a temporary name, and
 * appears in the folder completely or not at all; a failure leaves nothing behind.
 */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { ServiceError } from '../../proto/errors.ts'
import type { FileId, StoredFile } from '../../proto/browser-host/files.ts'
import { newId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { freeName, safeName } from './names.ts'
import { writeNewFile } from './new-file.ts'
import { folderLimits } from './limits.ts'

export interface FolderPaths {
  /** The folder of the finished files. */
  readonly dir: string
  /** The folder for files being received; on the same file system. */
  readonly incoming: string
}

export interface FolderRecord {
  /** The files that an earlier agent has put there. */
  readonly known?: readonly StoredFile[] | undefined
  readonly onChange?: () => void
}

export class FileFolder {
  readonly #paths: FolderPaths
  readonly #clock: Clock
  readonly #files = new Map<string, StoredFile>()
  readonly #names = new Set<string>()
  /** The bytes of all files in the folder. */
  #bytes = 0
  #arriving = 0
  readonly #onChange: () => void

  constructor(paths: FolderPaths, clock: Clock, { known = [], onChange }: FolderRecord = {}) {
    this.#paths = paths
    this.#clock = clock
    this.#onChange = onChange ?? (() => undefined)
    for (const file of known) {
      this.#files.set(file.id, file)
      this.#names.add(file.name.toLowerCase())
      this.#bytes += file.bytes
    }
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

  /** Stores a file under its sanitised name, or the next one that is free. */
  async receive(name: string, content: Readable): Promise<StoredFile> {
    return this.arrive(content, ({ path, bytes }) => this.take(path, safeName(name), bytes))
  }

  /** Writes `content` to a temporary file for `settle`, and removes that file afterwards. */
  async arrive<T>(content: Readable, settle: (whole: ArrivedFile) => Promise<T>): Promise<T> {
    this.#checkRoom(1)
    if (this.#arriving >= folderLimits.uploadsAtOnce) throw tooManyError()
    const path = join(this.#paths.incoming, newId('fil'))
    const room = Math.min(limits.uploadBytes, folderLimits.folderBytes - this.#bytes)
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

  /** Moves a finished file into the folder, under `path` or the next name that is free. */
  async take(from: string, path: string, bytes: number): Promise<StoredFile> {
    this.#checkRoom(0)
    if (this.#bytes + bytes > folderLimits.folderBytes) throw folderFullError()
    const parents = path.split('/').slice(0, -1)
    const parent = parents.map((part) => `${part}/`).join('')
    const isTaken = (name: string) => this.#names.has((parent + name).toLowerCase())
    const name = parent + freeName(path.slice(parent.length), isTaken)
    // Reserved before the first await, so that two files received at once cannot get the same name.
    this.#names.add(name.toLowerCase())
    this.#bytes += bytes
    const file = { id: newId('fil') as FileId, name, bytes, createdAtMs: this.#clock.now() }
    try {
      await this.#makeParents(parents)
      await rename(from, this.pathOf(file))
    } catch (error) {
      this.#names.delete(name.toLowerCase())
      this.#bytes -= bytes
      throw asServiceError(error)
    }
    this.#files.set(file.id, file)
    this.#onChange()
    return file
  }

  async remove(id: string): Promise<void> {
    const file = this.get(id)
    this.#files.delete(id)
    this.#onChange()
    await rm(this.pathOf(file), { force: true })
    this.#names.delete(file.name.toLowerCase())
    this.#bytes -= file.bytes
  }

  /**
   * Not recursive: if the session's folder was removed with its browser, it must not be recreated.
   */
  async #makeParents(parents: readonly string[]): Promise<void> {
    let path = this.#paths.dir
    for (const part of parents) {
      path = join(path, part)
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    }
  }

  #checkRoom(more: number): void {
    if (this.#files.size + this.#arriving + more > folderLimits.folderFiles) throw folderFullError()
  }
}

/** Passes at most `bytesMax` bytes and fails on more. */
function upTo(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength
      if (bytes <= bytesMax) done(null, chunk)
      else done(bytesMax === limits.uploadBytes ? tooLargeError() : folderFullError())
    },
  })
}

/** A file that was received completely and has no name yet. */
export interface ArrivedFile {
  readonly path: string
  readonly bytes: number
}

export function noSuchFile(): ServiceError {
  return new ServiceError('not_found', 'There is no file with this id.')
}

function tooLargeError(): ServiceError {
  const text = `A file can have at most ${limits.uploadBytes} bytes.`
  return new ServiceError('too_large', text, { limit_bytes: limits.uploadBytes })
}

function folderFullError(): ServiceError {
  const { folderFiles, folderBytes } = folderLimits
  const most = `${folderFiles} files and ${folderBytes} bytes in total`
  const text = `A session can keep at most ${most}; delete some files.`
  return new ServiceError('too_large', text, { limit: folderFiles, limit_bytes: folderBytes })
}

function tooManyError(): ServiceError {
  const text = `${folderLimits.uploadsAtOnce} uploads are already in progress; wait for one.`
  return new ServiceError('rate_limited', text, { limit: folderLimits.uploadsAtOnce })
}

/**
 * Translates errors caused by the disk or the sender; other errors are bugs and are returned
 * unchanged.
 */
function asServiceError(error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
      return new ServiceError('unavailable', 'The disk of this host is full.', {}, error)
    case 'ENOENT':
      return new ServiceError('session_ended', 'The session ended during the upload.', {}, error)
    case 'EEXIST':
    case 'EISDIR':
    case 'ENOTDIR':
      return new ServiceError(
        'conflict',
        'A file and a folder would have the same name.',
        {},
        error,
      )
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new ServiceError(
        'bad_request',
        'The sender disconnected before the file was complete.',
        {},
        error,
      )
    default:
      return error
  }
}
