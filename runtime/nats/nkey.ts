/** A user of nats-server that proves itself with a key of its own: nothing secret lies at the server. */
import { nkeys } from 'nats'

export interface NkeyUser {
  /** Public: for the server's configuration. */
  readonly nkey: string
  /** Secret: what NATS_NKEY_FILE holds. */
  readonly seed: string
}

export function newNkeyUser(): NkeyUser {
  const pair = nkeys.createUser()
  return { nkey: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString() }
}
