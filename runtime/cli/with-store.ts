/**
 * Lends a command the service's store: that of NATS_URL, or the private one of a `troupe up` on
 * this machine.
 */
import { pino } from 'pino'
import { limits } from '../../proto/limits.ts'
import { openStore } from '../nats/buckets.ts'
import { loadConfig, type Config } from '../config.ts'
import { connectNats } from '../nats/connection.ts'
import { privateNats } from '../nats/server.ts'
import type { Store } from '../store.ts'
import { holderOf } from '../supervisor/lock.ts'
import { CommandFailed } from './command.ts'

export async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const log = pino({ level: 'silent' })
  const nc = await connectNats(reachable(loadConfig()), 'cli', log)
  try {
    return await use(await openStore(nc, { timeoutMs: limits.storeSetupTryMs, log }))
  } finally {
    await nc.close()
  }
}

function reachable(config: Config): Config {
  if (config.NATS_URL !== '') return config
  const access = holderOf(config.DATA_DIR) && privateNats(config)
  if (!access) {
    throw new CommandFailed(
      `no service runs on ${config.DATA_DIR}: start it with \`troupe up\`, or set NATS_URL or DATA_DIR.`,
    )
  }
  const { url, user, password } = access
  return { ...config, NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
}
