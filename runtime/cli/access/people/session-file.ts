/** The sign-in of this machine: DATA_DIR/access-session.json, readable by its owner only. */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { makePrivateFolder } from '../../../lib/files/make-folder.ts'
import { isMissingFile } from '../../../lib/files/missing-file.ts'

const fileName = 'access-session.json'

const sessionSchema = z.object({
  /** The service that issued it; it is sent to no other. */
  url: z.string(),
  token: z.string(),
  email: z.string(),
  expires_at: z.string(),
})
export type CliSession = Readonly<z.output<typeof sessionSchema>>

export const sessionPath = (dataDir: string): string => join(dataDir, fileName)

/** Undefined if not signed in. */
export function readSessionFile(dataDir: string): CliSession | undefined {
  let text: string
  try {
    text = readFileSync(sessionPath(dataDir), 'utf8')
  } catch (error) {
    if (isMissingFile(error)) return undefined
    throw error
  }
  try {
    return sessionSchema.parse(JSON.parse(text))
  } catch {
    return undefined // Truncated or not ours: signing in writes a new one.
  }
}

/** Written atomically, and never readable by others, not even for a moment. */
export function writeSessionFile(dataDir: string, session: CliSession): void {
  makePrivateFolder(dataDir)
  const path = sessionPath(dataDir)
  const fresh = `${path}.${process.pid}`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify(session)}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(fresh, 0o600)
  renameSync(fresh, path)
}

export function deleteSessionFile(dataDir: string): void {
  rmSync(sessionPath(dataDir), { force: true })
}
