/** Answers agents that read and write blobs of this host's folder, each with a ticket. */
import type { Logger } from 'pino'
import type { BlobVerb, BlobVerbs } from '../../proto/session/blob.ts'
import { ServiceError } from '../../proto/errors.ts'
import { blobQueue, subjects } from '../../proto/subjects.ts'
import type { Bus, BusService } from '../store/bus.ts'
import { replying } from '../store/reply.ts'
import type { BlobFolder } from './blob-folder.ts'
import type { BlobTickets } from './tickets.ts'
import { blobLimits } from './limits.ts'

export interface ServeBlobsOptions {
  readonly bus: Bus
  readonly folder: BlobFolder
  readonly tickets: BlobTickets
  readonly log: Logger
}

type Handlers = {
  readonly [V in BlobVerb]: (request: BlobVerbs[V]['request']) => Promise<BlobVerbs[V]['reply']>
}

export function serveBlobs({ bus, folder, tickets, log }: ServeBlobsOptions): BusService {
  const { store } = folder
  const handlers: Handlers = {
    async read({ ticket, from }) {
      return folder.read(tickets.check(ticket, store, 'read').id, countOf(from))
    },
    async write({ ticket, at, bytes }) {
      const { id } = tickets.check(ticket, store, 'write')
      if (!(bytes instanceof Uint8Array) || bytes.byteLength > blobLimits.partBytes) {
        throw new ServiceError('bad_request', 'A part of a blob has some bytes, not too many.')
      }
      await folder.write(id, countOf(at), bytes)
      return null
    },
    async commit({ ticket, size }) {
      await folder.commit(tickets.check(ticket, store, 'write').id, countOf(size))
      return null
    },
  }
  const handle = async (request: unknown, subject: string) => {
    const verb = subject.slice(subject.lastIndexOf('.') + 1)
    if (!Object.hasOwn(handlers, verb)) {
      throw new ServiceError('not_found', `Blobs have no verb ${verb}.`)
    }
    return (handlers[verb as BlobVerb] as (request: unknown) => Promise<unknown>)(request)
  }
  const answer = replying(handle, (error) =>
    log.error({ err: error }, 'a request about a blob failed'),
  )
  return bus.serve(subjects.blobsOf(store), answer, { queue: blobQueue })
}

function countOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new ServiceError('bad_request', 'A position in a blob is a number of bytes.')
}
