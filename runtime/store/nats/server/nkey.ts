/** A user of nats-server that authenticates with a key pair: the server stores no secret. */
import { nkeys } from 'nats'

export interface NkeyUser {
  /** Public: for the server's configuration. */
  readonly nkey: string
  /** Secret: the content of NATS_NKEY_FILE. */
  readonly seed: string
}

export function newNkeyUser(): NkeyUser {
  const pair = nkeys.createUser()
  return { nkey: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString() }
}
