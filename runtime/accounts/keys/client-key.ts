/** The development keys that a client on the service's machine finds. Loads little: see `cli/browser`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import type { Config } from '../../config/config.ts'

export const devKeyFile = (dataDir: string) => join(dataDir, 'dev.key')

/** The accepted keys, the preferred one first; empty before the first start. */
export function devKeys({ DEV_KEY, DATA_DIR }: Pick<Config, 'DEV_KEY' | 'DATA_DIR'>): string[] {
  return [DEV_KEY, readKeyFile(DATA_DIR)].filter((key) => key !== '')
}

/** The key that a client on this machine uses if it was given none. */
export const clientKey = (config: Pick<Config, 'DEV_KEY' | 'DATA_DIR'>): string =>
  devKeys(config)[0] ?? devKey

/** Empty if there is no key, or it belongs to another user. */
export function readKeyFile(dataDir: string): string {
  try {
    return readFileSync(devKeyFile(dataDir), 'utf8').trim()
  } catch {
    return ''
  }
}
