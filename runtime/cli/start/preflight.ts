/**
 * Checks before the start: that the folder is usable, that no service is running on it, and that the
 * port is free. So a problem is reported once, and not by each child process.
 */
import { ConfigError } from '../../config/setting.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../lib/clock.ts'
import { pollUntil } from '../../lib/poll-until.ts'
import { processLimits } from '../../process/limits.ts'
import { folderProblem } from '../../process/machine/folder-probe.ts'
import { listenError, portHolder, type PortHolder } from '../../process/machine/port.ts'
import { AlreadyRunning, lockHolderOf } from '../../process/supervisor/lock.ts'
import { Roster } from '../../process/supervisor/roster.ts'
import { CommandFailed } from '../command.ts'

type Folder = Pick<Config, 'DATA_DIR'>
interface Address {
  readonly host: string
  readonly port: number
  /** The setting that names the port. */
  readonly setting: 'PORT' | 'DATA_PORT'
}

/** Throws a {@link ConfigError}. */
export async function assertUsableFolder({ DATA_DIR }: Folder): Promise<void> {
  const why = await folderProblem(DATA_DIR)
  if (why === undefined) return
  throw new ConfigError('DATA_DIR', DATA_DIR, `use a folder that can be written (${why})`)
}

/** Throws {@link AlreadyRunning}. */
export function assertNotRunning({ DATA_DIR }: Folder): void {
  const pid = lockHolderOf(DATA_DIR)
  if (pid !== undefined) throw new AlreadyRunning(DATA_DIR, pid)
}

export const gatewayAddress = ({ HOST: host, PORT: port }: Config): Address => ({
  ...{ host, port },
  setting: 'PORT',
})

export const dataAddress = ({ DATA_HOST: host, DATA_PORT: port }: Config): Address => ({
  ...{ host, port },
  setting: 'DATA_PORT',
})

/** Throws {@link CommandFailed} that names the process that uses the port, if it is visible. */
export async function assertFreePort({ DATA_DIR }: Folder, address: Address): Promise<void> {
  const { host, port } = address
  let holder: PortHolder | undefined
  const inherited = new Set(new Roster(DATA_DIR).inherited.map(({ group }) => group.pgid))
  const isLeftOver = () => holder !== undefined && inherited.has(holder.pid)
  // A process that is ending may be invisible while its port is still in use.
  const patience = { everyMs: processLimits.portCheckMs, withinMs: processLimits.portFreedMs }
  const error = await pollUntil(
    systemClock,
    patience,
    async () => {
      const failed = await listenError(host, port)
      holder = failed && portHolder(port)
      return failed
    },
    (failed) => failed?.code !== 'EADDRINUSE' || holder !== undefined,
  )
  // The supervisor ends processes that a previous one has left behind.
  if (error && !isLeftOver()) throw new CommandFailed(portText(address, error, holder))
}

function portText(
  { host, port, setting }: Address,
  error: NodeJS.ErrnoException,
  holder: PortHolder | undefined,
): string {
  const where = `${host}:${port}`
  const hostSetting = setting === 'PORT' ? 'HOST' : 'DATA_HOST'
  switch (error.code) {
    case 'EADDRINUSE':
      return `${where} is in use by ${holderText(holder)}: stop that process, or set another ${setting}.`
    case 'EADDRNOTAVAIL':
      return `${where} is not an address of this machine: set another ${hostSetting}.`
    case 'EACCES':
      return `${where} needs privileges that this user does not have: set ${setting} to 1024 or higher.`
    default:
      return `${where} cannot be listened on (${error.message}): set another ${setting} or ${hostSetting}.`
  }
}

export const holderText = (holder: PortHolder | undefined): string =>
  holder === undefined ? 'a process of another user' : `pid ${holder.pid} (${holder.command})`
