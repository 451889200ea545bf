/**
 * Gives a command access to the store and the actors: those of NATS_URL, or of a `troupe up` on
 * this machine.
 */
import { pino } from 'pino'
import { limits } from '../../proto/limits.ts'
import { buckets } from '../../proto/subjects.ts'
import { openStore, type NatsStore } from '../store/nats/buckets.ts'
import type { Bus } from '../store/bus.ts'
import { systemClock } from '../lib/clock.ts'
import { loadConfig, type Config } from '../config/config.ts'
import { Directory } from '../actor/directory.ts'
import { Membership } from '../cluster/membership.ts'
import { connectNats, type NatsPatience } from '../store/nats/connection.ts'
import { NatsBus } from '../store/nats/nats-bus.ts'
import { privateNats } from '../store/nats/server/server.ts'
import { lockHolderOf } from '../process/supervisor/lock.ts'
import { CommandFailed } from './command.ts'
import { cliLimits } from './limits.ts'

const log = pino({ level: 'silent' })

export function withStore<T>(use: (store: NatsStore) => Promise<T>): Promise<T> {
  return withNats(async (nc) =>
    use(await openStore(nc, { timeoutMs: limits.storeSetupTryMs, log })),
  )
}

/** Also gives a command the bus, for requests to processes. */
export function withBus<T>(use: (bus: Bus, store: NatsStore) => Promise<T>): Promise<T> {
  return withNats(async (nc) => {
    const store = await openStore(nc, { timeoutMs: limits.storeSetupTryMs, log })
    return await use(new NatsBus(nc, log), store)
  })
}

export function withDirectory<T>(
  use: (directory: Directory, store: NatsStore) => Promise<T>,
): Promise<T> {
  return withNats(async (nc) => {
    const store = await openStore(nc, { timeoutMs: limits.storeSetupTryMs, log })
    const hosts = store.bucket(buckets.hosts)
    const membership = await Membership.open({ hosts, clock: systemClock, log })
    try {
      return await use(new Directory(new NatsBus(nc, log), systemClock, membership), store)
    } finally {
      membership.stop()
    }
  })
}

/** For commands that need streams as NATS has them. */
export async function withNats<T>(use: (nc: NatsConnection) => Promise<T>): Promise<T> {
  const nc = await connectNats(reachable(loadConfig()), 'cli', log, commandPatience)
  try {
    return await use(nc)
  } finally {
    await nc.close()
  }
}

/** Commands report at once that they wait, and wait only briefly, because a person watches. */
export const commandPatience: NatsPatience = {
  waitMs: cliLimits.natsWaitMs,
  onWait: (why) => console.error(`troupe: ${why}`),
}

type NatsConnection = Awaited<ReturnType<typeof connectNats>>

function reachable(config: Config): Config {
  if (config.NATS_URL !== '') return config
  const access = lockHolderOf(config.DATA_DIR) && privateNats(config)
  if (!access) {
    throw new CommandFailed(
      `no service runs on ${config.DATA_DIR}: start it with \`npm run troupe -- up\`, or set NATS_URL or DATA_DIR.`,
    )
  }
  const { url, user, password } = access
  return { ...config, NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
}
