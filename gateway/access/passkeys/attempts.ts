/**
 * Challenges for passkeys. The client keeps each one, sealed, so any gateway can check its purpose,
 * who may answer it, and its expiry. The person's actor ensures that it is answered only once.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PasskeyChallenge } from '../../../proto/access/people/passkey.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Sealer } from '../../../runtime/accounts/seal/seal.ts'

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
  readonly #sealer: Pick<Sealer, 'seal' | 'open'>
  readonly #clock: Pick<Clock, 'now'>

  constructor(sealer: Pick<Sealer, 'seal' | 'open'>, clock: Pick<Clock, 'now'>) {
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
    try {
      const open = this.#sealer.open(attempt, contextOf(purpose))
      const challenge = kept.parse(JSON.parse(open))
      return challenge.expiresAtMs > this.#clock.now() ? challenge : undefined
    } catch (error) {
      // The seal does not open with this purpose, so the attempt is invalid.
      if (error instanceof ServiceError) return undefined
      throw error
    }
  }
}

const contextOf = ({ of, holder }: PasskeyPurpose) => ['passkey', of, holder]
