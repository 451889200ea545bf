/**
 * The traces of this host's sessions: one file each, which is kept for a day after its session.
 * They are outside the folders of browsers, so that no page can access them.
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

export const tracesDir = (dataDir: string, nodeId: string) => join(dataDir, 'traces', nodeId)

const suffix = '.jsonl'

export interface TraceFilesOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
}

export class TraceFiles {
  readonly #options: TraceFilesOptions
  #timer: Timer

  /** Old traces are removed periodically. */
  constructor(options: TraceFilesOptions) {
    this.#options = options
    this.#timer = this.#sweepAfter(0)
  }

  stop(): void {
    this.#timer.cancel()
  }

  /** Adds a line; returns its size in bytes. */
  async append(sessionId: string, line: TraceLine): Promise<number> {
    const { folder } = this.#options
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    makePrivateFolder(folder)
    await appendFile(this.#pathOf(sessionId), bytes, { mode: 0o600 })
    return bytes.byteLength
  }

  /** A part of a trace, starting at a byte offset. Throws `not_found` if there is no trace. */
  async read(sessionId: string, from: number): Promise<NodeVerbs['trace']['reply']> {
    const file = await open(this.#pathOf(sessionId), 'r').catch((error: unknown) => {
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

  #pathOf(sessionId: string): string {
    if (!isId('ses', sessionId)) throw noTraceError()
    return join(this.#options.folder, sessionId + suffix)
  }

  #sweepAfter(ms: number): Timer {
    const { clock, log } = this.#options
    return clock.timer(ms, () => {
      this.#sweep().catch((error: unknown) => log.error({ err: error }, 'traces were not swept'))
      this.#timer = this.#sweepAfter(traceLimits.sweepEveryMs)
    })
  }

  /** Removes traces that are too old, and the oldest ones while all together are too large. */
  async #sweep(): Promise<void> {
    const { clock } = this.#options
    let bytes = 0
    for (const { path, size, atMs } of await this.#newestFirst()) {
      bytes += size
      const isOld = clock.now() - atMs > traceLimits.traceKeptMs
      if (isOld || bytes > traceLimits.allTracesBytes) await rm(path, { force: true })
    }
  }

  async #newestFirst() {
    const { folder } = this.#options
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    const traces = names.filter((name) => name.endsWith(suffix)).map((name) => join(folder, name))
    const found = await Promise.all(
      traces.map(async (path) => {
        const { size, mtimeMs } = await stat(path)
        return { path, size, atMs: mtimeMs }
      }),
    )
    return found.toSorted((a, b) => b.atMs - a.atMs)
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

const noTraceError = () =>
  new ServiceError(
    'not_found',
    'There is no trace of this session: no command has run yet, or it is older than a day.',
  )
