/** The archive from which agents unpack an extension: its files as they were checked, in a tar, sealed. */
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { sealStream } from '../../runtime/blobs/sealed-stream.ts'
import type { ExtensionFile } from './reading/read-extension.ts'

export async function* packExtension(
  files: readonly ExtensionFile[],
  key: Uint8Array,
): AsyncGenerator<Buffer> {
  const archive = pack()
  const packing = packFiles(archive, files).catch((error: Error) => archive.destroy(error))
  yield* sealStream(key, archive as AsyncIterable<Buffer>)
  await packing
}

async function packFiles(archive: Pack, files: readonly ExtensionFile[]): Promise<void> {
  for (const { name, bytes: size, read } of files) {
    await pipeline(read(), archive.entry({ name, size, mode: 0o600 }))
  }
  archive.finalize()
}
