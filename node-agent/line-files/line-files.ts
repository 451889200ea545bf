/**
 * Lines of JSON about this host's sessions: one file each, which is kept for a day after its session.
 * They are outside the folders of browsers, so that no page can access them. All together have a
 * bound, which `room.ts` shares among the tenants.
 */
import { appendFile, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { NodeVerbs } from '../../proto/browser-host/node.ts'
import type { ServiceError } from '../../proto/errors.ts'
import { isId } from '../../proto/ids.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { makePrivateFolder } from '../../runtime/lib/files/make-folder.ts'
import { valuesOfLines } from '../../runtime/lib/text/json-lines.ts'
import { isMissingFile } from '../../runtime/lib/files/missing-file.ts'
import { lineFileLimits } from './limits.ts'
import { removedForRoom, type KeptFile } from './room.ts'

const suffix = '.jsonl'
const unfinished = '.new'

export interface LineFilesOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
  /** Of all together. */
  readonly allBytes: number
  /** Of one file; beyond it the older half of its lines goes. Absent: the writer has a bound. */
  readonly fileBytes?: number
  /** The error for a session of which there is none. */
  readonly missing: () => ServiceError
}

export class LineFiles<Line> {
  readonly #options: LineFilesOptions
  /** By session. Files that an earlier agent has left are in it once it has been read. */
  readonly #kept = new Map<string, KeptFile>()
  readonly #read: Promise<void>
  #bytes = 0
  #timer: Timer

  /** Old files are removed periodically. */
  constructor(options: LineFilesOptions) {
    this.#options = options
    this.#read = this.#readFolder().catch((err: unknown) => {
      options.log.error(
        { err, folder: options.folder },
        'files of an earlier agent could not be read',
      )
    })
    this.#timer = this.#sweepAfter(0)
  }

  stop(): void {
    this.#timer.cancel()
  }

  /**
   * Adds lines; returns their size in bytes. A file begins anew if it has been removed meanwhile
   * because all together were too large. With `fileBytes`, one call per session at a time.
   */
  async append(sessionId: string, tenant: string, lines: readonly Line[]): Promise<number> {
    const { folder, clock, allBytes, fileBytes = Infinity, missing } = this.#options
    await this.#read
    if (!isId('ses', sessionId)) throw missing()
    const name = `${tenant}.${sessionId}${suffix}`
    const kept = this.#kept.get(sessionId) ?? { name, tenant, bytes: 0, atMs: 0 }
    this.#kept.set(sessionId, kept)
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const bytes = Buffer.from(kept.isLeft ? `\n${text}` : text)
    kept.isLeft = false
    kept.bytes += bytes.byteLength
    kept.atMs = clock.now()
    this.#bytes += bytes.byteLength
    makePrivateFolder(folder)
    await appendFile(join(folder, kept.name), bytes, { mode: 0o600 })
    if (kept.bytes > fileBytes) await this.#halve(kept)
    if (this.#bytes > allBytes) await this.#makeRoom(allBytes)
    return bytes.byteLength
  }

  /** All lines, without one that an agent could not finish; none if there is no file. */
  async linesOf(sessionId: string): Promise<Line[]> {
    return valuesOfLines<Line>(await this.textsOf(sessionId))
  }

  /** The same as they were written, for a reader who needs a part of them. */
  async textsOf(sessionId: string): Promise<readonly string[]> {
    await this.#read
    const kept = this.#kept.get(sessionId)
    if (!kept) return []
    const path = join(this.#options.folder, kept.name)
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissingFile(error)) return ''
      throw error
    })
    return wholeLines(text)
  }

  /** A part of a file, starting at a byte offset. Throws `not_found` if there is none. */
  async read(sessionId: string, from: number): Promise<NodeVerbs['trace']['reply']> {
    await this.#read
    const kept = this.#kept.get(sessionId)
    if (!kept) throw this.#options.missing()
    const path = join(this.#options.folder, kept.name)
    const file = await open(path, 'r').catch((error: unknown) => {
      if (isMissingFile(error)) throw this.#options.missing()
      throw error
    })
    try {
      const { size } = await file.stat()
      const wanted = Math.max(0, Math.min(lineFileLimits.chunkBytes, size - from))
      const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, from)
      const next = from + bytesRead
      return { bytes: buffer.subarray(0, bytesRead), ...(next < size && { next }) }
    } finally {
      await file.close()
    }
  }

  /** Agents of versions before tenants had shares named files by the session alone. */
  async #readFolder(): Promise<void> {
    const { folder } = this.#options
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissingFile(error)) return []
      throw error
    })
    for (const name of names.filter((each) => each.endsWith(unfinished))) {
      await rm(join(folder, name), { force: true })
    }
    for (const name of names.filter((each) => each.endsWith(suffix))) {
      const parts = name.slice(0, -suffix.length).split('.')
      const sessionId = parts.pop()!
      const { size: bytes, mtimeMs: atMs } = await stat(join(folder, name))
      this.#kept.set(sessionId, { name, tenant: parts.join('.'), bytes, atMs, isLeft: true })
      this.#bytes += bytes
    }
  }

  #sweepAfter(ms: number): Timer {
    const { clock, log } = this.#options
    return clock.timer(ms, () => {
      this.#sweep().catch((error: unknown) => log.error({ err: error }, 'old files were not swept'))
      this.#timer = this.#sweepAfter(lineFileLimits.sweepEveryMs)
    })
  }

  /** Removes files that are too old. */
  async #sweep(): Promise<void> {
    await this.#read
    const oldestMs = this.#options.clock.now() - lineFileLimits.keptMs
    for (const [sessionId, kept] of this.#kept) {
      if (kept.atMs < oldestMs) await this.#remove(sessionId, kept)
    }
  }

  /** A reader sees the file before or after it, never a part. */
  async #halve(kept: KeptFile): Promise<void> {
    const { folder, fileBytes = Infinity } = this.#options
    const path = join(folder, kept.name)
    const lines = wholeLines(await readFile(path, 'utf8'))
    const rest = Buffer.from(newestLines(lines, fileBytes / 2))
    await writeFile(`${path}${unfinished}`, rest, { mode: 0o600 })
    await rename(`${path}${unfinished}`, path)
    this.#bytes += rest.byteLength - kept.bytes
    kept.bytes = rest.byteLength
  }

  async #makeRoom(most: number): Promise<void> {
    const gone = new Set(removedForRoom(this.#kept.values(), most))
    for (const [sessionId, kept] of this.#kept) {
      if (gone.has(kept)) await this.#remove(sessionId, kept)
    }
  }

  async #remove(sessionId: string, kept: KeptFile): Promise<void> {
    // Others that make room at the same time must not count it twice.
    if (!this.#kept.delete(sessionId)) return
    this.#bytes -= kept.bytes
    await rm(join(this.#options.folder, kept.name), { force: true })
  }
}

/** Without the last one, if it is being written or was not finished. */
const wholeLines = (text: string): string[] => text.split('\n').slice(0, -1)

function newestLines(lines: readonly string[], bytesMax: number): string {
  let bytes = 0
  let first = lines.length
  while (first > 0) {
    bytes += Buffer.byteLength(lines[first - 1]!) + 1
    if (bytes > bytesMax) break
    first--
  }
  return lines
    .slice(first)
    .map((line) => `${line}\n`)
    .join('')
}
