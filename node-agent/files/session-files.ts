/** The files of one browser: what was put in, what it fetched, and what agents may read. */
import type { Readable } from 'node:stream'
import type { StoredFile } from '../../proto/files.ts'
import type { Scratch } from '../browser/scratch.ts'
import { isArchive, withUnpacked } from './archive.ts'
import type { Downloads } from './downloads.ts'
import { Folder } from './folder.ts'
import { safeName } from './names.ts'

export class SessionFiles {
  readonly uploads: Folder
  readonly agent: Folder
  readonly downloads: Downloads

  constructor(scratch: Scratch, downloads: Downloads) {
    const { incoming } = scratch
    this.uploads = new Folder({ dir: scratch.uploads, incoming })
    this.agent = new Folder({ dir: scratch.agent, incoming })
    this.downloads = downloads
  }

  /** The file, or what is in it when it is a ZIP. */
  receiveForAgent(name: string, content: Readable): Promise<readonly StoredFile[]> {
    return this.agent.arrive(content, async (whole) => {
      if (!(await isArchive(whole.path))) {
        return [await this.agent.take(whole.path, safeName(name), whole.bytes)]
      }
      return withUnpacked(whole, async (files) => {
        const stored: StoredFile[] = []
        for (const file of files)
          stored.push(await this.agent.take(file.path, file.name, file.bytes))
        return stored
      })
    })
  }
}
