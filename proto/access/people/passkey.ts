/** Passkeys: a person's device signs a challenge with its key after it has verified the user. */
import type { AccessId } from '../ids.ts'

export type PasskeyId = AccessId<'passkey'>

/** The public fields of a passkey, as its owner sees them. */
export interface PasskeyView {
  readonly id: PasskeyId
  readonly name: string
  /** Wall-clock ms. */
  readonly createdAtMs: number
  readonly lastUsedAtMs?: number
}

/** What the answer to a challenge is verified against. */
export interface Passkey extends PasskeyView {
  /** As its authenticator returns it, in base64url. */
  readonly credentialId: string
  /** COSE, in base64url. */
  readonly publicKey: string
  /** The signature counter at its last use; 0 for authenticators that do not count. */
  readonly counter: number
  /** How browsers reach it: `internal`, `hybrid`, `usb` … */
  readonly transports: readonly string[]
}

/** An answered challenge. It is kept until it expires, so that it is accepted only once. */
export interface PasskeyChallenge {
  /** Base64url. */
  readonly text: string
  readonly expiresAtMs: number
}

/** Proof that a passkey signed a challenge, verified by a gateway. */
export interface PasskeyUse {
  readonly passkeyId: PasskeyId
  /** The authenticator's current counter. */
  readonly counter: number
  readonly challenge: PasskeyChallenge
}
