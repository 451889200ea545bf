/**
 * Challenges for passkeys. The client keeps each one, sealed, so any gateway can check its purpose,
 * who may answer it, and its expiry. The person's actor ensures that it is answered only once.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PasskeyChallenge } from '../../../proto/access/people/passkey.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { openKept, type Sealer } from '../../../runtime/accounts/seal/seal.ts'

/**
 * What the answer is for, and who may give it: a session's id, or a random text kept by the caller.
 */
export interface PasskeyPurpose {
  readonly of: 'sign_in' | 'step_up' | 'add'
  readonly holder: string
}

const challengeBytes = 32
const kept = z.strictObject({ text: z.string(), expiresAtMs: z.number() })

export class PasskeyAttempts {
  readonly #sealer: Sealer
  readonly #clock: Pick<Clock, 'now'>

  constructor(sealer: Sealer, clock: Pick<Clock, 'now'>) {
    this.#sealer = sealer
    this.#clock = clock
  }

  begin(purpose: PasskeyPurpose): {
    readonly challenge: PasskeyChallenge
    readonly attempt: string
  } {
    const text = randomBytes(challengeBytes).toString('base64url')
    const challenge = { text, expiresAtMs: this.#clock.now() + limits.challengeMs }
    const attempt = this.#sealer.seal(JSON.stringify(challenge), contextOf(purpose))
    return { challenge, attempt }
  }

  /** Undefined for an attempt with another purpose or holder, an expired or an invalid one. */
  read(attempt: string, purpose: PasskeyPurpose): PasskeyChallenge | undefined {
    const open = openKept(this.#sealer, attempt, contextOf(purpose))
    if (open === undefined) return undefined
    const challenge = kept.parse(JSON.parse(open))
    return challenge.expiresAtMs > this.#clock.now() ? challenge : undefined
  }
}

const contextOf = ({ of, holder }: PasskeyPurpose) => ['passkey', of, holder]
