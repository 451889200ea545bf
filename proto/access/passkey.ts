/** Passkeys: keys that a person's device signs challenges with, once it knows that it is them. */
import type { AccessId } from './ids.ts'

export type PasskeyId = AccessId<'passkey'>

/** As the person sees it. */
export interface PasskeyView {
  readonly id: PasskeyId
  readonly name: string
  /** Wall-clock ms. */
  readonly createdAtMs: number
  readonly lastUsedAtMs?: number
}

/** What an answer to a challenge is checked against. */
export interface Passkey extends PasskeyView {
  /** As its authenticator has it, in base64url. */
  readonly credentialId: string
  /** COSE, in base64url. */
  readonly publicKey: string
  /** Of its last use; 0 of those that do not count. */
  readonly counter: number
  /** How browsers reach it: `internal`, `hybrid`, `usb` … */
  readonly transports: readonly string[]
}

/** A challenge that was answered. Each is good once, until then. */
export interface Challenge {
  /** Base64url. */
  readonly text: string
  readonly expiresAtMs: number
}

/** A gateway has verified that this passkey has signed this challenge. */
export interface PasskeyUse {
  readonly passkeyId: PasskeyId
  /** As the authenticator says it now. */
  readonly counter: number
  readonly challenge: Challenge
}
