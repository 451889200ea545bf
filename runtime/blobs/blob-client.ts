/** Reads and writes one blob over the bus, in parts of which some are under way at once. */
import type { BlobAccess, BlobVerb, BlobVerbs } from '../../proto/session/blob.ts'
import { ServiceError } from '../../proto/errors.ts'
import { subjects } from '../../proto/subjects.ts'
import { BusTimeout, type Bus } from '../store/bus.ts'
import { askForReply } from '../store/reply.ts'
import { localBlob } from './blob-folder.ts'
import { inPieces } from './pieces.ts'
import { blobLimits } from './limits.ts'

type Requester = Pick<Bus, 'request'>

/** From the folder beside this process if it is there, else over the bus, as {@link readBlob}. */
export async function blobBytes(
  { bus, dataDir }: { readonly bus: Requester; readonly dataDir: string },
  access: BlobAccess,
): Promise<AsyncIterable<Uint8Array>> {
  return (await localBlob(dataDir, access)) ?? readBlob(bus, access)
}

/** Throws `not_found` if it is gone, and `unavailable` if its host does not answer. */
export async function* readBlob(bus: Requester, access: BlobAccess): AsyncGenerator<Uint8Array> {
  const { partBytes, partsAtOnce } = blobLimits
  const { ticket } = access
  const first = await ask(bus, access, 'read', { ticket, from: 0 })
  yield first.bytes
  const ahead: Promise<BlobVerbs['read']['reply']>[] = []
  let next = first.bytes.byteLength
  const askAhead = () => {
    while (next < first.size && ahead.length < partsAtOnce) {
      const part = ask(bus, access, 'read', { ticket, from: next })
      // It is awaited in its turn, and a failure before it ends the reading.
      part.catch(() => undefined)
      ahead.push(part)
      next += partBytes
    }
  }
  for (askAhead(); ahead.length > 0; askAhead()) yield (await ahead.shift()!).bytes
}

/** Returns the number of bytes. Once it resolves, the blob is complete. */
export async function writeBlob(
  bus: Requester,
  access: BlobAccess,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { partBytes, partsAtOnce } = blobLimits
  const { ticket } = access
  let size = 0
  const writing = new Set<Promise<unknown>>()
  for await (const bytes of inPieces(chunks, partBytes)) {
    const written = ask(bus, access, 'write', { ticket, at: size, bytes })
    size += bytes.byteLength
    const tracked = written.finally(() => writing.delete(tracked))
    tracked.catch(() => undefined)
    writing.add(tracked)
    if (writing.size >= partsAtOnce) await Promise.race(writing)
  }
  await Promise.all(writing)
  await ask(bus, access, 'commit', { ticket, size })
  return size
}

/** A part may be read and written twice, so a request that was lost is repeated once. */
async function ask<V extends BlobVerb>(
  bus: Requester,
  { store }: BlobAccess,
  verb: V,
  request: BlobVerbs[V]['request'],
): Promise<BlobVerbs[V]['reply']> {
  const question = {
    ...{ subject: subjects.blob(store, verb), request, timeoutMs: blobLimits.partMs },
    silence: 'The host that keeps what was stored does not answer; try again when it is back.',
  }
  const send = () => askForReply<BlobVerbs[V]['reply']>(bus, question)
  return send().catch((error: unknown) => {
    if (error instanceof ServiceError && error.cause instanceof BusTimeout) return send()
    throw error
  })
}
