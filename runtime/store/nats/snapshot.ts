/**
 * Copies of whole streams, through JetStream's snapshot API (`$JS.API.STREAM.SNAPSHOT` and
 * `RESTORE`): with their sequences and times, so that revisions and positions stay valid. A snapshot
 * is in the server's own format, which newer servers can read too.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { limits } from '../../../proto/limits.ts'
import { buckets, streams } from '../../../proto/subjects.ts'
import { backoffMs, systemClock } from '../../lib/clock.ts'
import { retry } from '../../lib/retry.ts'
import { storeLimits } from '../limits.ts'
import { isClustered, type NatsConnection } from './connection.ts'
import { isDenied, isUnheard, NatsUnusable } from './errors.ts'
import { bucketStream } from './stream-plan.ts'

/** JetStream's configuration of a stream; other fields are passed on unchanged. */
export const savedStreamSchema = z.object({
  config: z.looseObject({
    name: z.string().regex(/^\w+$/),
    max_bytes: z.number(),
    num_replicas: z.number(),
  }),
  state: z.looseObject({ messages: z.number(), bytes: z.number() }),
})
export type SavedStream = z.infer<typeof savedStreamSchema>

export interface StreamSnapshot extends SavedStream {
  /** Throws if the copy is interrupted. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/**
 * All streams of the service except the leases, in the order in which they are copied while the
 * service writes. Derived streams come before their sources, and the claim of a name or an actor
 * comes after the claimed object. So the copies together are a state that a power failure could have
 * left, from which the service can continue. Leases are left out, because a process without one is
 * dead.
 */
export const backupOrder: readonly string[] = [
  ...[streams.checkpoints, bucketStream(buckets.audit), streams.audit],
  ...[buckets.deliveries, buckets.idempotency].map(bucketStream),
  ...[streams.pictures, streams.steps, bucketStream(buckets.views)],
  ...[bucketStream(buckets.records), streams.notes, streams.reads],
  // After the views: what moves meanwhile is in one of them, or in both.
  ...[streams.archive, streams.log],
  ...[buckets.owners, buckets.names, buckets.profiles].map(bucketStream),
  ...[buckets.extensions, buckets.siteLogins, buckets.logins].map(bucketStream),
  ...[buckets.credentials, buckets.keys].map(bucketStream),
  streams.serviceAudit,
]

/** Undefined if there is no such stream. The chunks have to be read at once, and to their end. */
export async function snapshotStream(
  nc: NatsConnection,
  name: string,
): Promise<StreamSnapshot | undefined> {
  const inbox = `_INBOX.snapshot.${randomBytes(12).toString('hex')}`
  const messages = nc.subscribe(inbox, { timeout: storeLimits.snapshotChunkMs })
  try {
    const answer = await ask(nc, `$JS.API.STREAM.SNAPSHOT.${name}`, {
      deliver_subject: inbox,
      no_consumers: true,
      chunk_size: storeLimits.snapshotChunkBytes,
    })
    if (answer.error?.err_code === streamNotFound) {
      messages.unsubscribe()
      return undefined
    }
    const saved = savedStreamSchema.parse(checked(answer, `copy stream ${name}`))
    return { ...saved, chunks: chunksOf(name, messages) }
  } catch (error) {
    messages.unsubscribe()
    throw error
  }
}

type Messages = ReturnType<NatsConnection['subscribe']>

/** The server waits for the answer to each chunk; an empty one is the last. */
async function* chunksOf(name: string, messages: Messages): AsyncIterable<Uint8Array> {
  try {
    for await (const message of messages) {
      const { data, headers } = message
      if ((headers?.code ?? 0) >= 400) {
        throw new NatsUnusable(`NATS stopped copying stream ${name} (${headers?.description}).`)
      }
      if (data.length === 0) return
      yield data
      message.respond()
    }
  } finally {
    messages.unsubscribe()
  }
  throw new NatsUnusable(`The connection to NATS closed while stream ${name} was copied.`)
}

/**
 * A cluster that has just started elects a leader first, and learns of its servers; until then it
 * leaves requests unanswered, or places nothing. Resolves when it has placed a stream on three
 * servers; that stream is removed again.
 */
export async function awaitCluster(
  nc: NatsConnection,
  withinMs: number = storeLimits.storeReadyMs,
): Promise<void> {
  if (!isClustered(nc)) return
  const name = `READY_${randomBytes(8).toString('hex')}`
  const probe = { name, subjects: [name], storage: 'memory', retention: 'limits', num_replicas: 3 }
  const isRetryable = (error: unknown) => !isDenied((error as Error).cause ?? error)
  const tell = (verb: 'CREATE' | 'DELETE', request: object) =>
    retry(systemClock, { ...untilReady, withinMs, isRetryable }, async () => {
      const answer = await ask(
        nc,
        `$JS.API.STREAM.${verb}.${name}`,
        request,
        limits.storeSetupTryMs,
      )
      if (verb === 'DELETE' && answer.error?.err_code === streamNotFound) return
      checked(answer, 'place a stream on three servers')
    })
  await tell('CREATE', probe)
  await tell('DELETE', {})
}

const untilReady = {
  withinMs: storeLimits.storeReadyMs,
  waitMs: (attempt: number) => backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs),
}

/** Those of `names` that exist. */
export async function existingStreams(
  nc: NatsConnection,
  names: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    const answer = await ask(nc, `$JS.API.STREAM.INFO.${name}`, {})
    if (answer.error?.err_code !== streamNotFound) {
      checked(answer, `see stream ${name}`)
      found.push(name)
    }
  }
  return found
}

/**
 * Creates a stream from a snapshot. Our user needs the right to restore, which no role of the service
 * has.
 */
export async function restoreStream(
  nc: NatsConnection,
  { config, state }: SavedStream,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { name } = config
  const what = `restore stream ${name}`
  const request = { config: { ...config, num_replicas: isClustered(nc) ? 3 : 1 }, state }
  const started = checked(await ask(nc, `$JS.API.STREAM.RESTORE.${name}`, request), what)
  const { deliver_subject: target } = z.object({ deliver_subject: z.string() }).parse(started)
  for await (const chunk of chunks) checked(await deliver(nc, target, chunk), what)
  const { state: restored } = savedStreamSchema.parse(
    checked(await deliver(nc, target, new Uint8Array()), what),
  )
  // Messages above the maximum age are removed at once, so a lower number is not an error.
  if (state.messages > 0 && restored.messages === 0 && !config['max_age']) {
    throw new NatsUnusable(`NATS restored nothing of stream ${name}, which had messages.`)
  }
}

const streamNotFound = 10059

const answerSchema = z.looseObject({
  error: z
    .object({ err_code: z.number().optional(), description: z.string().default('no reason given') })
    .optional(),
})
type Answer = z.infer<typeof answerSchema>

function ask(
  nc: NatsConnection,
  subject: string,
  request: object,
  timeoutMs: number = storeLimits.snapshotChunkMs,
): Promise<Answer> {
  return send(nc, subject, new TextEncoder().encode(JSON.stringify(request)), timeoutMs)
}

async function send(
  nc: NatsConnection,
  subject: string,
  data: Uint8Array,
  timeoutMs: number = storeLimits.snapshotAnswerMs,
): Promise<Answer> {
  try {
    const { data: answer } = await nc.request(subject, data, { timeout: timeoutMs })
    return answer.length === 0
      ? {}
      : answerSchema.parse(JSON.parse(new TextDecoder().decode(answer)))
  } catch (error) {
    if (!isDenied(error)) throw error
    throw new NatsUnusable(
      `Our user of NATS may not do that (${subject}): a backup needs the user of actor hosts, and a ` +
        'restore into your own NATS one without limits on $JS.API.',
      error,
    )
  }
}

/** Our server may not know yet that another one listens there; what nobody took is sent again. */
const deliver = (nc: NatsConnection, target: string, chunk: Uint8Array): Promise<Answer> =>
  retry(systemClock, { ...untilReady, isRetryable: isUnheard }, () => send(nc, target, chunk))

function checked(answer: Answer, what: string): Answer {
  if (answer.error) throw new NatsUnusable(`NATS does not ${what}: ${answer.error.description}.`)
  return answer
}
