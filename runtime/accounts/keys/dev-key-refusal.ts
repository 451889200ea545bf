/** Where the development key is accepted: only by a service that only this machine can reach. */
import type { Config } from '../../config/config.ts'
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
