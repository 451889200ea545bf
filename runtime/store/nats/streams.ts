/** Creates missing streams, and adds limits to those of an older version. */
import {
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type NatsConnection,
  type StreamConfig,
  type StreamInfo,
} from 'nats'
import type { Logger } from 'pino'
import { limits } from '../../../proto/limits.ts'
import { buckets, streams } from '../../../proto/subjects.ts'
import { backoffMs, sleep, systemClock } from '../../lib/clock.ts'
import { pollUntil } from '../../lib/poll-until.ts'
import { retry, type RetryOptions } from '../../lib/retry.ts'
import { isClustered } from './connection.ts'
import {
  isDenied,
  isNoRoom,
  isNoStream,
  NatsUnusable,
  reservesTooMuch,
  withStoreErrors,
} from './errors.ts'
import { bucketStream, streamPlans, type StreamPlan } from './stream-plan.ts'
import type { StreamUsage } from '../store.ts'
import { storeLimits } from '../limits.ts'

interface Setup {
  readonly jsm: JetStreamManager
  readonly giveUpAtMs: number
  readonly log: Logger | undefined
  /** True if existing streams are resized to their shares. */
  readonly resizes: boolean
}

export function managerOf(nc: NatsConnection, timeoutMs: number): Promise<JetStreamManager> {
  return nc.jetstreamManager({ checkAPI: false, timeout: timeoutMs })
}

/** The stream's configuration for JetStream. */
export function streamConfig(plan: StreamPlan): Partial<StreamConfig> & { name: string } {
  const discard = plan.discard === 'new' ? DiscardPolicy.New : DiscardPolicy.Old
  return { ...plan, discard, storage: StorageType.File, retention: RetentionPolicy.Limits }
}

export async function createStreams(
  nc: NatsConnection,
  { log, storeMib }: { readonly log?: Logger | undefined; readonly storeMib?: number | undefined },
): Promise<void> {
  const setup: Setup = {
    jsm: await managerOf(nc, limits.storeSetupTryMs),
    giveUpAtMs: systemClock.monotonic() + storeLimits.storeReadyMs,
    log,
    resizes: storeMib !== undefined,
  }
  for (const plan of streamPlans(isClustered(nc), storeMib ?? limits.natsStoreMib)) {
    for (let attempt = 1; !(await ensure(setup, plan)); attempt++) {
      await sleep(systemClock, backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs))
    }
  }
}

/**
 * While several processes create the same stream, its room is reserved for each of them, and the room
 * of the store may not suffice for a moment.
 */
const anothers = { everyMs: 100, withinMs: storeLimits.anothersStreamMs }

/**
 * False if it should be retried. Processes that start at the same time race to create a stream; one
 * wins and all find it.
 */
async function ensure(setup: Setup, plan: StreamPlan): Promise<boolean> {
  const { jsm, giveUpAtMs, log, resizes } = setup
  const { name, num_replicas: replicas } = plan
  try {
    const found = await find(jsm, name)
    if (found === undefined) {
      await add(setup, plan)
      log?.info({ stream: name, replicas }, 'created a stream')
    } else if (resizes) {
      await resize(setup, plan, found)
    }
    return true
  } catch (error) {
    const reason = (error as Error).message
    if (isDenied(error)) throw wrongUser(name, error)
    if (reservesTooMuch(error)) {
      if (await pollUntil(systemClock, anothers, () => find(jsm, name))) return true
      throw new NatsUnusable(
        `NATS has no room for stream ${name} of ${plan.max_bytes} bytes (${reason}): raise ` +
          'max_file_store in its configuration, or lower STORE_MAX_MIB.',
        error,
      )
    }
    if (systemClock.monotonic() < giveUpAtMs) {
      log?.warn({ stream: name, reason }, 'JetStream is not ready; waiting for it')
      return false
    }
    throw new NatsUnusable(
      `JetStream does not give us stream ${name} (${reason}): switch JetStream on for this ` +
        'account; a cluster needs three servers that have it.',
      error,
    )
  }
}

/**
 * In a store that an older version has filled, a stream that removes its oldest content begins with
 * little room, and gets its share at a later start.
 */
async function add({ jsm, log }: Setup, plan: StreamPlan): Promise<void> {
  try {
    await jsm.streams.add(streamConfig(plan))
  } catch (error) {
    if (!reservesTooMuch(error) || plan.discard === 'new') throw error
    await jsm.streams.add({ ...streamConfig(plan), max_bytes: storeLimits.firstStreamBytes })
    log?.warn({ stream: plan.name }, 'NATS has little room left: a stream begins small')
  }
}

export function storeUsage(jsm: JetStreamManager): Promise<readonly StreamUsage[]> {
  const names = [...Object.values(streams), ...Object.values(buckets).map(bucketStream)]
  return Promise.all(names.map((stream) => streamUsage(jsm, stream)))
}

export async function streamUsage(jsm: JetStreamManager, stream: string): Promise<StreamUsage> {
  const { config, state } = await withStoreErrors(`size of ${stream}`, jsm.streams.info(stream))
  const refuses = config.discard === DiscardPolicy.New
  return { stream, bytes: state.bytes, maxBytes: config.max_bytes, refuses }
}

/** For processes that may not create streams: an actor host does. */
export async function awaitStreams(nc: NatsConnection, log: Logger | undefined): Promise<void> {
  for (const { name } of streamPlans(isClustered(nc), limits.natsStoreMib)) {
    await awaitStream(nc, name, log)
  }
}

/** The same as `awaitStreams`, for one stream. */
export async function awaitStream(
  nc: NatsConnection,
  name: string,
  log: Logger | undefined,
): Promise<void> {
  const jsm = await managerOf(nc, limits.storeSetupTryMs)
  const reasonOf = (error: unknown) => (error as Error).message
  const untilItExists: RetryOptions = {
    withinMs: storeLimits.storeReadyMs,
    waitMs: (attempt) => backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs),
    isRetryable: (error) => !isDenied(error),
    onRetry(error, attempt) {
      if (attempt > 1) return
      log?.info({ stream: name, reason: reasonOf(error) }, 'waiting for a stream')
    },
  }
  try {
    await retry(systemClock, untilItExists, async () => {
      if ((await find(jsm, name)) === undefined) throw new Error('it does not exist yet')
    })
  } catch (error) {
    if (isDenied(error)) throw wrongUser(name, error)
    throw new NatsUnusable(
      `There is no stream ${name} (${reasonOf(error)}): start an actor host of this service.`,
    )
  }
}

function wrongUser(stream: string, cause: unknown): NatsUnusable {
  const text =
    `Our user of NATS may not see stream ${stream}: each role has a user of its own, and a node ` +
    'agent one for its NODE_ID (`npm run troupe -- cluster init` creates them).'
  return new NatsUnusable(text, cause)
}

/** If it fails, a running service continues without the limits, and the log says so. */
async function resize(
  { jsm, giveUpAtMs, log }: Setup,
  plan: StreamPlan,
  found: StreamInfo,
): Promise<void> {
  const { name } = plan
  const { discard } = streamConfig(plan)
  // Below its current size, a server of 2.9 drops the oldest messages even from a stream that
  // refuses new ones.
  const heldBytes = plan.discard === 'new' ? found.state.bytes : 0
  const bytes = Math.max(plan.max_bytes, heldBytes)
  const { config } = found
  const wanted = {
    max_bytes: bytes,
    max_msgs: plan.max_msgs ?? config.max_msgs,
    max_msgs_per_subject: plan.max_msgs_per_subject ?? config.max_msgs_per_subject,
    ...(discard && { discard }),
  }
  if (Object.entries(wanted).every(([key, value]) => config[key as keyof typeof wanted] === value))
    return
  try {
    await jsm.streams.update(name, wanted)
    log?.info({ stream: name, bytes }, 'resized a stream to its share of the store')
  } catch (error) {
    if (!isNoRoom(error) && systemClock.monotonic() < giveUpAtMs) throw error
    const text =
      'a stream could not be resized to its share of the store: if NATS has no ' +
      'room, raise max_file_store in its configuration, or lower STORE_MAX_MIB'
    log?.warn({ stream: name, bytes, reason: (error as Error).message }, text)
  }
}

async function find(jsm: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await jsm.streams.info(stream)
  } catch (error) {
    if (isNoStream(error)) return undefined
    throw error
  }
}
