/** The files of one browser: uploads, downloads, and files that AI agents may read. */
import type { Readable } from 'node:stream'
import type { StoredFile } from '../../proto/browser-host/files.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { ScratchDirs } from './scratch.ts'
import { withUnpacked, type UnpackedFile } from './archive.ts'
import type { BrowserRecord } from './browser-record.ts'
import type { SessionDownloads } from './downloads.ts'
import { FileFolder } from './folder.ts'
import { safeName } from './names.ts'

/** Decided by the name and not the content, because many document formats are ZIP files too. */
const archiveName = /\.zip$/i

export interface SessionFilesOptions {
  readonly clock: Clock
  readonly record: Pick<BrowserRecord, 'content' | 'update'>
}

export class SessionFiles {
  readonly uploads: FileFolder
  readonly agent: FileFolder
  readonly downloads: SessionDownloads

  /** `record` gets the names of the files, and has those that an earlier agent knew. */
  constructor(
    scratch: ScratchDirs,
    downloads: SessionDownloads,
    { clock, record }: SessionFilesOptions,
  ) {
    const { incoming } = scratch
    const known = record.content.files
    const onChange = () => {
      const [uploads, agent] = [this.uploads.list(), this.agent.list()]
      void record.update({ files: { uploads, agent, downloads: downloads.recorded() } })
    }
    const folderOf = (name: 'uploads' | 'agent') =>
      new FileFolder({ dir: scratch[name], incoming }, clock, { known: known?.[name], onChange })
    this.uploads = folderOf('uploads')
    this.agent = folderOf('agent')
    this.downloads = downloads
    downloads.onChange = onChange
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
