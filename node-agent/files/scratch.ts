/**
 * All files that one browser writes are in its own folder, `DATA_DIR/run/<nodeId>/<browserId>`,
 * beside a record of the browser's processes. The record is written before the process starts, so
 * that the next agent's sweep finds it.
 */
import { mkdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { BrowserId } from '../../proto/ids.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { retry } from '../../runtime/lib/retry.ts'
import type { Guard } from '../../runtime/process/guard.ts'
import { removeFolders } from '../../runtime/process/removal.ts'
import { BrowserRecord } from './browser-record.ts'
import { folderLimits } from './limits.ts'

export interface ScratchDirs {
  readonly dir: string
  readonly profile: string
  readonly home: string
  readonly downloads: string
  readonly uploads: string
  /** Files that AI agents may read. */
  readonly agent: string
  /** The extensions that its session has, each in the folder that its id names. */
  readonly extensions: string
  /** Files that are being received for one of the other folders. */
  readonly incoming: string
  readonly tmp: string
  /**
   * The folder of its display, if it has one: sockets, and files that the display's processes
   * write.
   */
  readonly desktop: string
  /** The X authority file of its display, if it has one. */
  readonly authority: string
  /**
   * A short name for `dir` among the system's temporary files: a socket's path has 107 bytes at most,
   * and a DATA_DIR may be longer than that.
   */
  readonly tmpLink: string
  /** The named pipes of its debugging connection. */
  readonly toBrowser: string
  readonly fromBrowser: string
  /** A short name for `tmp`, in which Chromium keeps a socket. */
  readonly shortTmp: string
  /**
   * The socket that is forwarded to its DevTools port, for a browser with its own network. It is
   * outside the folders that the browser sees: otherwise the browser could replace it by a link to
   * another socket of the host.
   */
  readonly devtools: string
}

export const runDir = (dataDir: string, nodeId: string) => join(dataDir, 'run', nodeId)

export function scratchOf(root: string, id: BrowserId): ScratchDirs {
  const dir = join(root, id)
  const tmpLink = join(tmpdir(), `troupe-${id.slice(-12)}`)
  return {
    dir,
    profile: join(dir, 'profile'),
    home: join(dir, 'home'),
    downloads: join(dir, 'downloads'),
    uploads: join(dir, 'uploads'),
    agent: join(dir, 'agent'),
    extensions: join(dir, 'extensions'),
    incoming: join(dir, 'incoming'),
    tmp: join(dir, 'tmp'),
    desktop: join(dir, 'desktop'),
    authority: join(dir, 'xauthority'),
    toBrowser: join(dir, 'to-browser'),
    fromBrowser: join(dir, 'from-browser'),
    tmpLink,
    shortTmp: join(tmpLink, 'tmp'),
    devtools: join(tmpLink, 'devtools'),
  }
}

/** Paths for the guard to remove; the link first, because it points into the folder. */
export const scratchPaths = (scratch: ScratchDirs): readonly string[] => [
  scratch.tmpLink,
  scratch.dir,
]

export async function makeScratch(scratch: ScratchDirs, id: BrowserId): Promise<BrowserRecord> {
  await mkdir(scratch.dir, { recursive: true, mode: 0o700 })
  const record = BrowserRecord.of(scratch, id)
  await record.update()
  const { profile, home, downloads, uploads, agent, extensions, incoming, tmp } = scratch
  const ofSession = [downloads, uploads, agent, extensions, incoming]
  const folders = [join(profile, 'Default'), home, ...ofSession, tmp]
  // Sequentially: if several ran at once and one failed, another could recreate the folder after
  // the caller has removed it.
  for (const path of folders) await mkdir(path, { recursive: true })
  await symlink(scratch.dir, scratch.tmpLink)
  return record
}

export interface LeftPaths {
  readonly id: string
  readonly paths: readonly string[]
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
  readonly onRemoved: () => void
}

/**
 * Removes a browser's paths. Never rejects: what cannot be removed is tried again until it can, and
 * `troupe doctor` names it meanwhile. Resolves when it is removed, or will be tried again.
 */
export async function removeScratch(left: LeftPaths): Promise<void> {
  const { id, paths, guard, clock, log, onRemoved } = left
  const rules = {
    attemptsMax: folderLimits.scratchRemoveAttempts,
    waitMs: folderLimits.scratchRemoveRetryMs,
    // A killed process may still write for a moment.
    isRetryable: () => true,
  }
  try {
    await retry(clock, rules, () => removeFolders(guard, `${id}.removal`, paths))
    onRemoved()
  } catch (error) {
    log.error({ browser: id, paths, err: error }, 'files of an ended browser cannot be removed yet')
    clock.timer(folderLimits.scratchRemoveLaterMs, () => void removeScratch(left))
  }
}
