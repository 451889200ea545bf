/**
 * The downloads of a browser, tracked through its events. A client may set a download behaviour of
 * its own, which determines the files' names, but the agent's connection still gets the events of
 * all downloads with their paths.
 */
import { lstat, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DownloadedFile, DownloadState, FileId } from '../../proto/browser-host/files.ts'
import { newId } from '../../proto/ids.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sleep } from '../../runtime/lib/clock.ts'
import { isMissingFile } from '../../runtime/lib/files/missing-file.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import type { RecordedDownload } from './browser-record.ts'
import { noSuchFile } from './folder.ts'
import { safeName } from './names.ts'
import { folderLimits } from './limits.ts'

interface Entry {
  readonly id: FileId
  readonly url: string
  readonly name: string
  readonly createdAtMs: number
  pageUrl: string
  /** Resolves once `pageUrl` no longer changes. */
  pageLearned: Promise<void>
  /** Aborted when the download has ended or was removed, so that no more events follow. */
  readonly over: AbortController
  state: DownloadState
  bytes: number
  endedAtMs?: number
  /** The file's name in the folder, which is unique. */
  fileName: string
}

export type BegunDownload = Pick<Entry, 'id' | 'name'>

interface CompletedDownload {
  readonly file: DownloadedFile
  readonly path: string
}

/**
 * Sets our own behaviour: files are named by ids, so that equal names cannot collide. `known`: those
 * of an earlier agent.
 */
export async function watchDownloads(
  cdp: CdpPipe,
  dir: string,
  known: readonly RecordedDownload[] = [],
): Promise<SessionDownloads> {
  const downloads = new SessionDownloads(cdp, dir, known)
  await cdp.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    downloadPath: dir,
    eventsEnabled: true,
  })
  return downloads
}

export class SessionDownloads {
  readonly #cdp: Pick<CdpPipe, 'send' | 'clock'>
  readonly #dir: string
  /** By the browser's id of the download; oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<(begun: BegunDownload) => void>()
  /** Called after a download has begun or ended, or was forgotten. */
  onChange: () => void = () => undefined

  constructor(
    cdp: Pick<CdpPipe, 'send' | 'onEvent' | 'clock'>,
    dir: string,
    known: readonly RecordedDownload[] = [],
  ) {
    this.#cdp = cdp
    this.#dir = dir
    for (const { guid, ...download } of known) {
      const over = new AbortController()
      const entry: Entry = { ...download, pageLearned: Promise.resolve(), over }
      this.#entries.set(guid, entry)
      if (entry.state !== 'in_progress') over.abort()
      else this.#follow(guid, entry).catch(() => this.#end(entry, 'canceled'))
    }
    cdp.onEvent((event) => this.#hear(event))
  }

  /** Calls back for each download that begins until the returned function is called. */
  onBegin(listener: (begun: BegunDownload) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** For the next agent. */
  recorded(): readonly RecordedDownload[] {
    return [...this.#entries].map(([guid, { pageLearned: _, over: __, ...entry }]) => ({
      ...entry,
      guid,
    }))
  }

  /** All downloads with their pages, including those that have just started. */
  async list(): Promise<readonly DownloadedFile[]> {
    await this.#findPrinted()
    await Promise.all([...this.#entries.values()].map(({ pageLearned }) => pageLearned))
    const nowMs = this.#cdp.clock.now()
    return [...this.#entries.values()].map((entry) => toDownloadedFile(entry, nowMs))
  }

  /**
   * A completed download and its path. Waits for a download in progress, unless that takes too long
   * or `gone` aborts because the caller no longer needs it.
   */
  async get(id: string, gone?: AbortSignal): Promise<CompletedDownload> {
    const [, begun] = this.#find(id)
    const { signal } = begun.over
    const until = gone ? AbortSignal.any([signal, gone]) : signal
    await sleep(this.#cdp.clock, folderLimits.downloadWaitMs, until)
    const [, entry] = this.#find(id)
    if (entry.state === 'in_progress') {
      throw new ServiceError('conflict', 'This download is still in progress; try again later.')
    }
    if (entry.state === 'canceled') {
      throw new ServiceError('conflict', 'This download was cancelled or failed: it has no bytes.')
    }
    return {
      file: toDownloadedFile(entry, this.#cdp.clock.now()),
      path: join(this.#dir, entry.fileName),
    }
  }

  /** Cancels a download in progress. */
  async remove(id: string): Promise<void> {
    const [guid, entry] = this.#find(id)
    if (entry.state === 'in_progress') await this.#cancel(guid)
    await this.#forget(guid, entry)
  }

  #hear({ method, params }: CdpEvent): void {
    if (method === 'Browser.downloadWillBegin') this.#begin(params as unknown as DownloadStarted)
    if (method === 'Browser.downloadProgress') this.#progress(params as unknown as DownloadProgress)
  }

  #begin({ guid, url, suggestedFilename, frameId }: DownloadStarted): void {
    const entry: Entry = {
      id: newId('fil'),
      url: url.slice(0, limits.urlBytes),
      name: safeName(suggestedFilename),
      createdAtMs: this.#cdp.clock.now(),
      pageUrl: '',
      pageLearned: Promise.resolve(),
      over: new AbortController(),
      state: 'in_progress',
      bytes: 0,
      fileName: guid,
    }
    this.#entries.set(guid, entry)
    entry.pageLearned = this.#learnPage(entry, frameId)
    this.onChange()
    for (const listener of this.#listeners) listener(entry)
    if (this.#entries.size > folderLimits.downloadsRemembered) this.#forgetOldest()
  }

  #progress({ guid, receivedBytes, state, filePath }: DownloadProgress): void {
    const entry = this.#entries.get(guid)
    if (!entry) return
    if (state !== 'canceled') entry.bytes = receivedBytes
    if (filePath) entry.fileName = basename(filePath)
    if (state === 'inProgress') return
    entry.endedAtMs = this.#cdp.clock.now()
    // A small file may be complete before the call that finds its page is answered, so the download
    // counts as ended only after both.
    void entry.pageLearned.then(() => this.#end(entry, state))
  }

  #end(entry: Entry, state: DownloadState): void {
    entry.state = state
    entry.over.abort()
    this.onChange()
  }

  /** The browser tells an agent only of downloads that have begun since: the disk says how this one goes on. */
  async #follow(guid: string, entry: Entry): Promise<void> {
    const { clock } = this.#cdp
    let movedAtMs = clock.monotonic()
    while (!entry.over.signal.aborted) {
      // In this order: the browser renames the file when it is complete.
      const part = await bytesOf(join(this.#dir, `${guid}.crdownload`))
      const whole = await bytesOf(join(this.#dir, entry.fileName))
      const bytes = whole ?? part ?? entry.bytes
      if (bytes !== entry.bytes) movedAtMs = clock.monotonic()
      entry.bytes = bytes
      // Its connection has ended with that agent; the browser keeps the part for a while.
      const isStuck = clock.monotonic() - movedAtMs > folderLimits.downloadStuckMs
      if (isStuck) await this.#cancel(guid)
      if (part === undefined || isStuck) {
        entry.endedAtMs = clock.now()
        return this.#end(entry, whole === undefined ? 'canceled' : 'completed')
      }
      await sleep(clock, folderLimits.downloadLookMs, entry.over.signal)
    }
  }

  /** PDFs that pages have printed: the browser writes them into the folder and sends no event. */
  async #findPrinted(): Promise<void> {
    const known = new Set([...this.#entries.values()].map(({ fileName }) => fileName))
    // Without its folder, the browser has ended.
    const names = await readdir(this.#dir).catch(() => [])
    for (const fileName of names.filter((name) => name.endsWith('.pdf') && !known.has(name))) {
      const found = await lstat(join(this.#dir, fileName)).catch(() => undefined)
      // A client may name downloads by itself, of which an event comes in a moment.
      const isStill = found && this.#cdp.clock.now() - found.mtimeMs > folderLimits.printedStillMs
      if (isStill && found.isFile()) this.#addPrinted(fileName, found.size, found.mtimeMs)
    }
  }

  #addPrinted(fileName: string, bytes: number, atMs: number): void {
    const over = new AbortController()
    over.abort()
    this.#entries.set(`printed ${fileName}`, {
      ...{ id: newId('fil'), url: '', pageUrl: '', name: safeName(fileName), fileName },
      ...{ state: 'completed', bytes, createdAtMs: Math.round(atMs), endedAtMs: Math.round(atMs) },
      ...{ pageLearned: Promise.resolve(), over },
    })
    this.onChange()
    if (this.#entries.size > folderLimits.downloadsRemembered) this.#forgetOldest()
  }

  /** Finds the page's URL; a page's main frame has the id of its target. */
  async #learnPage(entry: Entry, frameId: string): Promise<void> {
    try {
      const { targetInfos } = await this.#cdp.send('Target.getTargets')
      const page = targetInfos.find(({ targetId }) => targetId === frameId)
      entry.pageUrl = page?.url.slice(0, limits.urlBytes) ?? ''
    } catch {
      // The browser is ending, so the URL is no longer needed.
    }
  }

  async #cancel(guid: string): Promise<void> {
    try {
      await this.#cdp.send('Browser.cancelDownload', { guid })
    } catch {
      // The download has ended meanwhile, so there is nothing to cancel.
    }
  }

  #forgetOldest(): void {
    for (const { id } of this.#entries.values()) {
      // Files that cannot be removed now are removed with the browser's folder.
      void this.remove(id).catch(() => {})
      return
    }
  }

  async #forget(guid: string, { fileName, over }: Entry): Promise<void> {
    this.#entries.delete(guid)
    over.abort()
    this.onChange()
    await rm(join(this.#dir, fileName), { force: true })
  }

  #find(id: string): readonly [string, Entry] {
    for (const [guid, entry] of this.#entries) if (entry.id === id) return [guid, entry]
    throw noSuchFile()
  }
}

async function bytesOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
}

function toDownloadedFile(
  { fileName: _, pageLearned: __, over: ___, endedAtMs, ...entry }: Entry,
  nowMs: number,
): DownloadedFile {
  return { ...entry, durationMs: (endedAtMs ?? nowMs) - entry.createdAtMs }
}

interface DownloadStarted {
  readonly guid: string
  readonly url: string
  readonly suggestedFilename: string
  readonly frameId: string
}

interface DownloadProgress {
  readonly guid: string
  readonly receivedBytes: number
  readonly state: 'inProgress' | 'completed' | 'canceled'
  readonly filePath?: string
}
