/**
 * The development key: for clients on the machine of the service, without a word to anybody. The
 * first start makes one, which only its owner can read. DEV_KEY names another, which works too:
 * `npm start` sets the well-known one of the README there.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { devKey } from '../proto/key.ts'
import type { Config } from './config.ts'
import { isLoopback } from './network/hosts.ts'

export type DevKeyConfig = Pick<
  Config,
  'HOST' | 'PUBLIC_URL' | 'ALLOW_DEV_KEY' | 'DEV_KEY' | 'DATA_DIR'
>

/** Why it is refused to everybody; undefined where it is accepted from this machine. */
export function whyNoDevKey({
  HOST,
  PUBLIC_URL,
  ALLOW_DEV_KEY,
}: Pick<Config, 'HOST' | 'PUBLIC_URL' | 'ALLOW_DEV_KEY'>): string | undefined {
  if (ALLOW_DEV_KEY) return undefined
  if (!isLoopback(HOST)) return 'this service does not listen on loopback alone'
  // A proxy on this machine would bring callers from everywhere to loopback.
  return PUBLIC_URL === '' ? undefined : 'PUBLIC_URL is set, so others can reach this service'
}

const fileOf = (dataDir: string) => join(dataDir, 'dev.key')

/** Those that are accepted, the one to tell people first; none before the first start. */
export function devKeys({ DEV_KEY, DATA_DIR }: Pick<Config, 'DEV_KEY' | 'DATA_DIR'>): string[] {
  return [DEV_KEY, readKey(DATA_DIR)].filter((key) => key !== '')
}

/** What a client on this machine comes with that was given no key. */
export const clientKey = (config: Pick<Config, 'DEV_KEY' | 'DATA_DIR'>): string =>
  devKeys(config)[0] ?? devKey

/** Makes the one of this machine; the first start does. */
export function ensureDevKey({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void {
  if (readKey(DATA_DIR) !== '') return
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  const text = `dev_${randomBytes(24).toString('base64url')}`
  writeFileSync(fileOf(DATA_DIR), `${text}\n`, { mode: 0o600 })
}

/** Nothing where there is none, or where it is another user's. */
function readKey(dataDir: string): string {
  try {
    return readFileSync(fileOf(dataDir), 'utf8').trim()
  } catch {
    return ''
  }
}
