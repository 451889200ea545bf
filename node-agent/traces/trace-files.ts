/**
 * The traces of this host's sessions: one file each, which is kept for a day after its session.
 * They are outside the folders of browsers, so that no page can access them. All together have a
 * bound, which `trace-room.ts` shares among the tenants.
 */
import { appendFile, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { NodeVerbs } from '../../proto/browser-host/node.ts'
import type { TraceLine } from '../../proto/browser-host/trace.ts'
import { ServiceError } from '../../proto/errors.ts'
import { isId } from '../../proto/ids.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { makePrivateFolder } from '../../runtime/lib/files/make-folder.ts'
import { traceLimits } from './limits.ts'
import { removedForRoom, type KeptTrace } from './trace-room.ts'

export const tracesDir = (dataDir: string, nodeId: string) => join(dataDir, 'traces', nodeId)

const suffix = '.jsonl'

export interface TraceFilesOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
  readonly allTracesBytes?: number
}

export class TraceFiles {
  readonly #options: TraceFilesOptions
  /** By session. Files that an earlier agent has left are in it once it has been read. */
  readonly #kept = new Map<string, KeptTrace>()
  readonly #read: Promise<void>
  #bytes = 0
  #timer: Timer

  /** Old traces are removed periodically. */
  constructor(options: TraceFilesOptions) {
    this.#options = options
    this.#read = this.#readFolder().catch((err: unknown) => {
      options.log.error({ err }, 'the traces of an earlier agent could not be read')
    })
    this.#timer = this.#sweepAfter(0)
  }

  stop(): void {
    this.#timer.cancel()
  }

  /**
   * Adds a line; returns its size in bytes. The trace begins anew if it has been removed meanwhile
   * because all traces together were too large.
   */
  async append(sessionId: string, tenant: string, line: TraceLine): Promise<number> {
    const { folder, clock, allTracesBytes = traceLimits.allTracesBytes } = this.#options
    await this.#read
    if (!isId('ses', sessionId)) throw noTraceError()
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    const name = `${tenant}.${sessionId}${suffix}`
    const kept = this.#kept.get(sessionId) ?? { name, tenant, bytes: 0, atMs: 0 }
    this.#kept.set(sessionId, kept)
    kept.bytes += bytes.byteLength
    kept.atMs = clock.now()
    this.#bytes += bytes.byteLength
    makePrivateFolder(folder)
    await appendFile(join(folder, kept.name), bytes, { mode: 0o600 })
    if (this.#bytes > allTracesBytes) await this.#makeRoom(allTracesBytes)
    return bytes.byteLength
  }

  /** A part of a trace, starting at a byte offset. Throws `not_found` if there is no trace. */
  async read(sessionId: string, from: number): Promise<NodeVerbs['trace']['reply']> {
    await this.#read
    const kept = this.#kept.get(sessionId)
    if (!kept) throw noTraceError()
    const path = join(this.#options.folder, kept.name)
    const file = await open(path, 'r').catch((error: unknown) => {
      if (isMissing(error)) throw noTraceError()
      throw error
    })
    try {
      const { size } = await file.stat()
      const wanted = Math.max(0, Math.min(traceLimits.chunkBytes, size - from))
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
      if (isMissing(error)) return []
      throw error
    })
    for (const name of names.filter((each) => each.endsWith(suffix))) {
      const parts = name.slice(0, -suffix.length).split('.')
      const sessionId = parts.pop()!
      const { size: bytes, mtimeMs: atMs } = await stat(join(folder, name))
      this.#kept.set(sessionId, { name, tenant: parts.join('.'), bytes, atMs })
      this.#bytes += bytes
    }
  }

  #sweepAfter(ms: number): Timer {
    const { clock, log } = this.#options
    return clock.timer(ms, () => {
      this.#sweep().catch((error: unknown) => log.error({ err: error }, 'traces were not swept'))
      this.#timer = this.#sweepAfter(traceLimits.sweepEveryMs)
    })
  }

  /** Removes traces that are too old. */
  async #sweep(): Promise<void> {
    await this.#read
    const oldestMs = this.#options.clock.now() - traceLimits.traceKeptMs
    for (const [sessionId, kept] of this.#kept) {
      if (kept.atMs < oldestMs) await this.#remove(sessionId, kept)
    }
  }

  async #makeRoom(most: number): Promise<void> {
    const gone = new Set(removedForRoom(this.#kept.values(), most))
    for (const [sessionId, kept] of this.#kept) {
      if (gone.has(kept)) await this.#remove(sessionId, kept)
    }
  }

  async #remove(sessionId: string, kept: KeptTrace): Promise<void> {
    // Others that make room at the same time must not count it twice.
    if (!this.#kept.delete(sessionId)) return
    this.#bytes -= kept.bytes
    await rm(join(this.#options.folder, kept.name), { force: true })
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

const noTraceError = () =>
  new ServiceError(
    'not_found',
    'There is no trace of this session: no command has run yet, or it is older than a day.',
  )
