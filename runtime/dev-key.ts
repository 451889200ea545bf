/** Where the development key is accepted at all: the rule of the gateways, and what `up` prints. */
import type { Config } from './config.ts'
import { isLoopback } from './network/hosts.ts'

export type DevKeyConfig = Pick<Config, 'HOST' | 'PUBLIC_URL' | 'ALLOW_DEV_KEY'>

/** Why it is refused to everybody; undefined where it is accepted from this machine. */
export function whyNoDevKey({ HOST, PUBLIC_URL, ALLOW_DEV_KEY }: DevKeyConfig): string | undefined {
  if (ALLOW_DEV_KEY) return undefined
  if (!isLoopback(HOST)) return 'this service does not listen on loopback alone'
  // A proxy on this machine would bring callers from everywhere to loopback.
  return PUBLIC_URL === '' ? undefined : 'PUBLIC_URL is set, so others can reach this service'
}
