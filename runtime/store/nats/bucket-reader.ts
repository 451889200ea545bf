/**
 * Reads the last message of every key of a bucket. A large bucket is read in slices: the server
 * answers requests about streams one after the other, and to list the subjects of a large stream
 * takes it seconds, in which no lease could be renewed.
 */
import { limits } from '../../../proto/limits.ts'
import type { StreamApi, StreamMessage } from './stream-api.ts'
import { storeLimits } from '../limits.ts'
import { StoreUnavailable } from '../store.ts'

interface Slice {
  readonly messages: readonly StreamMessage[]
  /** `stuck`: the consumer failed after these messages. */
  readonly then: 'more' | 'end' | 'stuck'
}

export interface ReadBucket {
  readonly stream: string
  /** The subject of all keys. */
  readonly all: string
  /** True if the stream also stores past values of its keys. */
  readonly hasPast: boolean
}

/**
 * The messages of a filter, which is the bucket's `all` or a part of it, oldest first if there are
 * many. A key that changes meanwhile may come twice, the newer one last.
 */
export async function* readLastOfEach(
  api: StreamApi,
  bucket: ReadBucket,
  filter: string,
): AsyncIterable<StreamMessage> {
  const { stream, hasPast } = bucket
  const { messages } = await api.state(stream)
  if (messages <= storeLimits.storeKeysReadSingly) {
    yield* readSingly(api, stream, filter)
  } else if (hasPast) {
    yield* readLast(api, stream, filter)
  } else {
    yield* readSlices(api, bucket, filter)
  }
}

async function* readSingly(
  api: StreamApi,
  stream: string,
  filter: string,
): AsyncIterable<StreamMessage> {
  const names = await api.subjects(stream, filter)
  for (let at = 0; at < names.length; at += limits.storeReadsAtOnce) {
    const some = names.slice(at, at + limits.storeReadsAtOnce)
    const found = await Promise.all(
      some.map((subject) => api.get(stream, { last_by_subj: subject })),
    )
    for (const message of found) if (message !== undefined) yield message
  }
}

async function* readLast(
  api: StreamApi,
  stream: string,
  filter: string,
): AsyncIterable<StreamMessage> {
  try {
    yield* api.deliver(stream, { filter })
  } catch (error) {
    // A cluster with one server down often fails to create consumers but can still read.
    if (!(error instanceof StoreUnavailable)) throw error
    yield* readSingly(api, stream, filter)
  }
}

/**
 * One slice of one bucket at a time. The turn ends with each slice, since the reader of these
 * messages may be slow, and may itself read another bucket.
 */
async function* readSlices(
  api: StreamApi,
  { stream, all }: ReadBucket,
  filter: string,
): AsyncIterable<StreamMessage> {
  let fromSeq = 1
  let then: Slice['then'] = 'more'
  let isStuck = false
  while (then !== 'end') {
    const slice = await api.takeTurn(() =>
      isStuck
        ? sliceSingly(api, { stream, filter, fromSeq })
        : // Without a filter, the server need not count what matches it.
          sliceAtOnce(api, { stream, filter: filter === all ? '' : filter, fromSeq }),
    )
    yield* slice.messages
    then = slice.then
    // A cluster with one server down often fails to create consumers but can still read.
    if (then === 'stuck') isStuck = true
    fromSeq = (slice.messages.at(-1)?.seq ?? fromSeq - 1) + 1
  }
}

interface SliceQuery {
  readonly stream: string
  readonly filter: string
  readonly fromSeq: number
}

async function sliceAtOnce(api: StreamApi, { stream, ...query }: SliceQuery): Promise<Slice> {
  const messages: StreamMessage[] = []
  try {
    for await (const message of api.deliver(stream, query)) {
      messages.push(message)
      if (messages.length >= storeLimits.storeSliceMessages) return { messages, then: 'more' }
    }
    return { messages, then: 'end' }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return { messages, then: 'stuck' }
  }
}

/** Without a consumer: slow, but a leader that can read is enough. */
async function sliceSingly(
  api: StreamApi,
  { stream, filter, fromSeq }: SliceQuery,
): Promise<Slice> {
  const messages: StreamMessage[] = []
  let seq = fromSeq
  while (messages.length < storeLimits.storeKeysReadSingly) {
    const message = await api.get(stream, { seq, next_by_subj: filter })
    if (message === undefined) return { messages, then: 'end' }
    messages.push(message)
    seq = message.seq + 1
  }
  return { messages, then: 'more' }
}
