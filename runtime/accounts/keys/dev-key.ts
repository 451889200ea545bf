/**
 * The development key, for clients on the service's machine that need no setup. The first start
 * creates one that only its owner can read. DEV_KEY names another one, which is accepted too: `npm
 * start` sets the well-known key of the README there.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'
import { devKeyFile, readKeyFile } from './client-key.ts'

/** Creates the key of this machine; called by the first start. */
export function ensureDevKey({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void {
  if (readKeyFile(DATA_DIR) !== '') return
  makePrivateFolder(DATA_DIR)
  const text = `dev_${randomBytes(24).toString('base64url')}`
  writeFileSync(devKeyFile(DATA_DIR), `${text}\n`, { mode: 0o600 })
}
