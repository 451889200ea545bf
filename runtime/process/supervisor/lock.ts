/**
 * Ensures one supervisor per DATA_DIR. The lock names a process by pid and start time, so that a
 * lock left behind by SIGKILL is recognised, even if the pid was reused.
 */
import { accessSync, constants } from 'node:fs'
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/setting.ts'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'
import { isMissingFile } from '../../lib/files/missing-file.ts'
import { startTimeOf } from '../guard.ts'

export class AlreadyRunning extends Error {
  constructor(dataDir: string, pid: number) {
    super(
      `troupe is already running on ${dataDir} (pid ${pid}): stop it, or set another DATA_DIR and PORT.`,
    )
    this.name = 'AlreadyRunning'
  }
}

export interface DataDirLock {
  release(): void
}

interface Holder {
  readonly pid: number
  readonly startTime: string
}

/** Readable by its owner only, because it contains the store's credentials and browser profiles. */
export function makeDataDir(dataDir: string): void {
  try {
    makePrivateFolder(dataDir)
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError('DATA_DIR', dataDir, `use a folder that can be written (${code})`)
  }
}

/** The pid of the process that holds the folder, if any. */
export function lockHolderOf(dataDir: string): number | undefined {
  const holder = readHolder(lockPath(dataDir))
  return holder && isAlive(holder) ? holder.pid : undefined
}

/** Throws {@link AlreadyRunning} if another supervisor holds the folder. */
export function lockDataDir(dataDir: string): DataDirLock {
  makeDataDir(dataDir)
  const path = lockPath(dataDir)
  const mine = `${path}.${process.pid}`
  const holder: Holder = { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' }
  writeFileSync(mine, JSON.stringify(holder))
  try {
    // Linking is atomic, so a half-written lock is never read.
    if (!tryLink(mine, path)) {
      removeStale(dataDir, path)
      if (!tryLink(mine, path)) throw new AlreadyRunning(dataDir, readHolder(path)?.pid ?? 0)
    }
  } finally {
    unlinkSync(mine)
  }
  return {
    release() {
      if (readHolder(path)?.startTime === holder.startTime) unlinkSync(path)
    },
  }
}

const lockPath = (dataDir: string) => join(dataDir, 'troupe.lock')

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function removeStale(dataDir: string, path: string) {
  const holder = readHolder(path)
  if (holder && isAlive(holder)) throw new AlreadyRunning(dataDir, holder.pid)
  // Moved aside first and read again, because another start may have replaced it meanwhile.
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (isMissingFile(error)) return
    throw error
  }
  const moved = readHolder(aside)
  if (moved && isAlive(moved)) tryLink(aside, path)
  unlinkSync(aside)
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    // The lock is gone or not valid, so no process holds it.
    return undefined
  }
}

function isAlive({ pid, startTime }: Holder): boolean {
  return startTime !== '' && startTimeOf(pid) === startTime
}
