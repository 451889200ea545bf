/** The files of one browser: uploads, downloads, and files that AI agents may read. */
import type { Readable } from 'node:stream'
import type { StoredFile } from '../../proto/browser-host/files.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { ScratchDirs } from './scratch.ts'
import { withUnpacked, type UnpackedFile } from './archive.ts'
import type { SessionDownloads } from './downloads.ts'
import { FileFolder } from './folder.ts'
import { safeName } from './names.ts'

/** Decided by the name and not the content, because many document formats are ZIP files too. */
const archiveName = /\.zip$/i

export class SessionFiles {
  readonly uploads: FileFolder
  readonly agent: FileFolder
  readonly downloads: SessionDownloads

  constructor(scratch: ScratchDirs, downloads: SessionDownloads, clock: Clock) {
    const { incoming } = scratch
    this.uploads = new FileFolder({ dir: scratch.uploads, incoming }, clock)
    this.agent = new FileFolder({ dir: scratch.agent, incoming }, clock)
    this.downloads = downloads
  }

  /** Stores the file or, if its name ends with .zip, its contents. */
  receiveForAgent(name: string, content: Readable): Promise<readonly StoredFile[]> {
    return this.agent.arrive(content, async (whole) => {
      if (!archiveName.test(name)) {
        return [await this.agent.take(whole.path, safeName(name), whole.bytes)]
      }
      return withUnpacked(whole, (files) => this.#takeAll(files))
    })
  }

  /** Stores all files, or none if one fails. */
  async #takeAll(files: readonly UnpackedFile[]): Promise<readonly StoredFile[]> {
    const stored: StoredFile[] = []
    try {
      for (const { path, name, bytes } of files) {
        stored.push(await this.agent.take(path, name, bytes))
      }
      return stored
    } catch (error) {
      for (const { id } of stored) await this.agent.remove(id)
      throw error
    }
  }
}
