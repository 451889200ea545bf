/** Uses the DATA_DIR of a stopped service, and runs its nats-server alone, during one command. */
import { statSync } from 'node:fs'
import { pino } from 'pino'
import { limits } from '../../../proto/limits.ts'
import type { Config } from '../../config/config.ts'
import {
  spawnGuarded,
  type Guard,
  type GuardedProcess,
  type ProcessExit,
} from '../../process/guard.ts'
import { lockDataDir } from '../../process/supervisor/lock.ts'
import { connectNats, type NatsConnection } from '../../store/nats/connection.ts'
import { prepareNatsServer, type NatsServerPurpose } from '../../store/nats/server/server.ts'
import { CommandFailed } from '../command.ts'

const log = pino({ level: 'silent' })

/**
 * Locks DATA_DIR against services and other commands. Throws `AlreadyRunning` if a service uses it.
 */
export async function withLock<T>({ DATA_DIR }: Config, use: () => Promise<T>): Promise<T> {
  checkOwner(DATA_DIR)
  const lock = lockDataDir(DATA_DIR)
  try {
    return await use()
  } finally {
    lock.release()
  }
}

/** Call it within {@link withLock}: two servers would destroy the store. */
export async function withOwnServer<T>(
  { config, guard, purpose }: { config: Config; guard: Guard; purpose?: NatsServerPurpose },
  use: (nc: NatsConnection) => Promise<T>,
): Promise<T> {
  const server = await prepareNatsServer(config, purpose)
  const started = spawnGuarded(guard, server.bin, server.args, {
    key: 'nats-server',
    stdio: 'ignore',
  })
  const { url: NATS_URL, user: NATS_USER, password: NATS_PASSWORD } = server
  const access = { ...config, NATS_URL, NATS_USER, NATS_PASSWORD }
  try {
    const connecting = connectNats(access, 'cli', log)
    const nc = await Promise.race([connecting, started.exited.then(endedEarly)])
    try {
      return await use(nc)
    } finally {
      await nc.close()
    }
  } finally {
    await endServer(started)
  }
}

async function endServer({ child, exited }: GuardedProcess): Promise<void> {
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), limits.natsStopMs)
  await exited
  clearTimeout(late)
}

function endedEarly({ code, error }: ProcessExit): never {
  throw new CommandFailed(`nats-server ended at once (${error?.message ?? `code ${code}`})`)
}

/** Refuses other users, whose files in DATA_DIR would prevent the service from starting. */
function checkOwner(dataDir: string): void {
  const stats = statSync(dataDir, { throwIfNoEntry: false })
  if (!stats || stats.uid === process.getuid?.()) return
  throw new CommandFailed(
    `${dataDir} belongs to another user (uid ${stats.uid}): run this as that user, as with \`sudo -u\`.`,
  )
}
