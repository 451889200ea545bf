/** Takes an uploaded extension: checks it, writes its files into a blob, and records it. */
import { ServiceError } from '../../proto/errors.ts'
import type { BlobAccess } from '../../proto/session/blob.ts'
import type { ExtensionRecord } from '../../proto/session/extension.ts'
import { subjects } from '../../proto/subjects.ts'
import { writeBlob } from '../../runtime/blobs/blob-client.ts'
import { newBlobKey } from '../../runtime/blobs/sealed-stream.ts'
import type { ExtensionRecords } from '../../runtime/extensions/extension-records.ts'
import type { ExtensionPlace } from '../../runtime/extensions/serve-places.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import { askForReply } from '../../runtime/store/reply.ts'
import type { FileContent } from '../files/multipart.ts'
import { extensionUploadLimits } from './limits.ts'
import { packExtension } from './pack-extension.ts'
import { readExtension, type ReadExtension } from './reading/read-extension.ts'

export interface ExtensionUploadsDeps {
  readonly bus: Pick<Bus, 'request'>
  readonly extensions: Pick<ExtensionRecords, 'assertRoom' | 'create'>
}

export class ExtensionUploads {
  readonly #deps: ExtensionUploadsDeps
  /** The tenants of those that are under way. */
  readonly #tenants = new Set<string>()

  constructor(deps: ExtensionUploadsDeps) {
    this.#deps = deps
  }

  /**
   * Throws `busy` while another one of the tenant, or too many of others, are under way, and before the
   * file is received what would refuse it anyway.
   */
  async during<T>(tenant: string, receive: () => Promise<T>): Promise<T> {
    const isFull = this.#tenants.size >= extensionUploadLimits.uploadsAtOnce
    if (isFull || this.#tenants.has(tenant)) {
      throw new ServiceError('busy', 'Another extension is being uploaded; try again in a moment.')
    }
    this.#tenants.add(tenant)
    try {
      await this.#deps.extensions.assertRoom(tenant)
      return await receive()
    } finally {
      this.#tenants.delete(tenant)
    }
  }

  async receive(_name: string, content: FileContent): Promise<Buffer> {
    const { uploadBytes: limit } = extensionUploadLimits
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of content) {
      size += chunk.length
      if (size > limit) {
        const text = `An extension can have at most ${limit} bytes.`
        throw new ServiceError('too_large', text, { limit_bytes: limit })
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  async store(tenant: string, name: string, file: Buffer): Promise<ExtensionRecord> {
    const { bus, extensions } = this.#deps
    const read = await readExtension(file, `${tenant}/${name}`)
    const access = await this.#place(tenant)
    const key = newBlobKey()
    const bytes = await writeBlob(bus, access, packExtension(read.files, key))
    const { store, id } = access
    return extensions.create({ ...recordOf(read), tenant, name, blob: { store, id }, bytes, key })
  }

  #place(tenant: string): Promise<BlobAccess> {
    return askForReply<BlobAccess>(this.#deps.bus, {
      subject: subjects.extensionPlaces,
      request: { tenant } satisfies ExtensionPlace,
      timeoutMs: extensionUploadLimits.placeMs,
      silence: 'No actor host answers; try again.',
    })
  }
}

const recordOf = ({ summary, chromiumId, guarded }: ReadExtension) => ({
  ...{ manifest: summary, chromiumId, guarded },
})
