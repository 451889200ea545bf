/**
 * The session of a folder and of those below it: `open` writes down its id, later commands find it, and
 * `close` forgets it. Stands in the user's state folder, so that nothing is written into a project; no
 * key is kept.
 */
import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'
import { CommandFailed } from '../command.ts'
import { cliLimits } from '../limits.ts'
import type { SessionPlace } from './service.ts'

export interface FolderSession extends SessionPlace {
  readonly folder: string
}

const stateFolder = () =>
  join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'troupe/browser')

/**
 * Two services may each have a session for the same folder. A name of a file has at most 255 bytes: of a
 * longer path the end is kept, and what the file says tells apart those that end alike.
 */
const pathOf = (base: string, folder: string) => {
  const name = encodeURIComponent(`${base}${folder}`)
  return join(stateFolder(), `${name.slice(-cliLimits.browserFileNameChars)}.json`)
}

export const presentFolder = (): string => realpathSync(process.cwd())

/** That of the folder, else of the nearest one above it. */
export function sessionOfFolder(base: string, from: string): FolderSession | undefined {
  const found = readRemembered(pathOf(base, from))
  if (found?.folder === from && found.base === base) return found
  const above = dirname(from)
  return above === from ? undefined : sessionOfFolder(base, above)
}

function readRemembered(path: string): FolderSession | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as FolderSession
  } catch {
    // Missing, or cut off when the disk was full: then `open` writes it again.
    return undefined
  }
}

/** Called before a session is created, which would be lost if its id could not be kept. */
export function prepareStateFolder(): void {
  try {
    makePrivateFolder(stateFolder())
    removeOld()
  } catch (error) {
    const text = `${stateFolder()} cannot be used: ${(error as Error).message}; set XDG_STATE_HOME`
    throw new CommandFailed(text, error)
  }
}

/** The session of the folder from now on: another one, if another process has opened it meanwhile. */
export function rememberSession(remembered: FolderSession): FolderSession {
  const path = pathOf(remembered.base, remembered.folder)
  try {
    writeFileSync(path, JSON.stringify(remembered), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const other = readRemembered(path)
    if (other !== undefined) return other
    writeFileSync(path, JSON.stringify(remembered), { mode: 0o600 })
  }
  return remembered
}

/** Also removes the files that its commands wrote. */
export function forgetSession({ session, folder, base }: FolderSession): void {
  rmSync(pathOf(base, folder), { force: true })
  rmSync(outputFolder(session), { recursive: true, force: true })
}

/** Sessions have ended by then. */
function removeOld(): void {
  const before = Date.now() - cliLimits.browserRememberedMs
  for (const name of readdirSync(stateFolder())) {
    const path = join(stateFolder(), name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && stats.mtimeMs < before) rmSync(path, { recursive: true, force: true })
  }
}

const outputFolder = (session: string) => join(stateFolder(), `of-${session.replaceAll(/\W/g, '')}`)

/** Writes what is too long to print, or no text, and returns the path: `page-2.png`. */
export function writeOutput(
  session: string,
  name: string,
  extension: string,
  data: string | Buffer,
): string {
  const folder = outputFolder(session)
  makePrivateFolder(folder)
  for (let number = readdirSync(folder).length + 1; ; number++) {
    const path = join(folder, `${name}-${number}.${extension}`)
    try {
      writeFileSync(path, data, { flag: 'wx', mode: 0o600 })
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
