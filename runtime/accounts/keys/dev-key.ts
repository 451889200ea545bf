/**
 * The development key, for clients on the service's machine that need no setup. The first start
 * creates one that only its owner can read. DEV_KEY names another one, which is accepted too: `npm
 * start` sets the well-known key of the README there.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { devKey } from '../../../proto/accounts/key.ts'
import type { Config } from '../../config/config.ts'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'
import { isLoopback } from '../../lib/network/hosts.ts'

export type DevKeyConfig = Pick<
  Config,
  'HOST' | 'PUBLIC_URL' | 'ALLOW_DEV_KEY' | 'DEV_KEY' | 'DATA_DIR'
>

/** Why the key is never accepted; undefined if it is accepted from this machine. */
export function devKeyRefusal({
  HOST,
  PUBLIC_URL,
  ALLOW_DEV_KEY,
}: Pick<Config, 'HOST' | 'PUBLIC_URL' | 'ALLOW_DEV_KEY'>): string | undefined {
  if (ALLOW_DEV_KEY) return undefined
  if (!isLoopback(HOST)) return 'this service does not listen on loopback only'
  // With a proxy on this machine, all callers would come from loopback.
  return PUBLIC_URL === '' ? undefined : 'PUBLIC_URL is set, so others can reach this service'
}

const fileOf = (dataDir: string) => join(dataDir, 'dev.key')

/** The accepted keys, the preferred one first; empty before the first start. */
export function devKeys({ DEV_KEY, DATA_DIR }: Pick<Config, 'DEV_KEY' | 'DATA_DIR'>): string[] {
  return [DEV_KEY, readKey(DATA_DIR)].filter((key) => key !== '')
}

/** The key that a client on this machine uses if it was given none. */
export const clientKey = (config: Pick<Config, 'DEV_KEY' | 'DATA_DIR'>): string =>
  devKeys(config)[0] ?? devKey

/** Creates the key of this machine; called by the first start. */
export function ensureDevKey({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void {
  if (readKey(DATA_DIR) !== '') return
  makePrivateFolder(DATA_DIR)
  const text = `dev_${randomBytes(24).toString('base64url')}`
  writeFileSync(fileOf(DATA_DIR), `${text}\n`, { mode: 0o600 })
}

/** Empty if there is no key, or it belongs to another user. */
function readKey(dataDir: string): string {
  try {
    return readFileSync(fileOf(dataDir), 'utf8').trim()
  } catch {
    return ''
  }
}
