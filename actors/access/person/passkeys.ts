/** A person's passkeys: which answers to a challenge are accepted, and what is stored of each. */
import { defined } from '../../../proto/defined.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type {
  PasskeyChallenge,
  Passkey,
  PasskeyUse,
  PasskeyView,
} from '../../../proto/access/people/passkey.ts'
import type { personActor } from '../../../proto/access/people/person.ts'
import type { MessageTo } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { PersonContext } from './context.ts'

type Kept = Pick<PersonContext, 'passkeys' | 'challenges'>
type Addition = MessageTo<typeof personActor, 'add_passkey'>

export const passkeyView = ({ id, name, createdAtMs, lastUsedAtMs }: Passkey): PasskeyView => ({
  ...{ id, name, createdAtMs },
  ...defined({ lastUsedAtMs }),
})

export function newPasskey(event: Addition & { readonly at: number }): Passkey {
  const { passkeyId: id, name, credentialId, publicKey, counter, transports, at } = event
  return { id, name, createdAtMs: at, credentialId, publicKey, counter, transports }
}

export const hasPasskey = ({ passkeys }: Kept, wanted: string): boolean =>
  passkeys.some(({ id }) => id === wanted)

/** The state after a use; unchanged if a password was given. */
export function recordPasskeyUse(
  context: Kept,
  { at, ...proof }: Partial<PasskeyUse> & { readonly at: number },
): Partial<Kept> {
  if (!isUse(proof)) return {}
  const { passkeyId, counter, challenge } = proof
  const passkeys = context.passkeys.map((one) =>
    one.id === passkeyId ? { ...one, counter, lastUsedAtMs: at } : one,
  )
  return { passkeys, challenges: withChallenge(context, challenge, at) }
}

export const withChallenge = (
  { challenges }: Kept,
  challenge: PasskeyChallenge,
  at: number,
): readonly PasskeyChallenge[] => [...unexpiredChallenges(challenges, at), challenge]

/** Throws `unauthorized` if the answer is not accepted; its detail `why` is for the audit. */
export function admitUse(context: Kept, proof: Partial<PasskeyUse>, at: number): void {
  if (!isUse(proof)) return
  admitChallenge(context, proof.challenge, at)
  const passkey = context.passkeys.find(({ id }) => id === proof.passkeyId)
  if (!passkey) throw refusedError('There is no such passkey.', 'passkey_unknown')
  // An authenticator that counts increases the counter with each signature, so an equal one comes
  // from a copy.
  const counts = passkey.counter > 0 || proof.counter > 0
  if (counts && proof.counter <= passkey.counter) {
    throw refusedError(
      'The counter of this passkey went back; it may be a copy.',
      'passkey_counter',
    )
  }
}

/** Throws `duplicate`, `conflict` or what `admitUse` throws. */
export function admitNewPasskey(context: Kept, addition: Addition, at: number): void {
  admitChallenge(context, addition.challenge, at)
  const { passkeys } = context
  if (passkeys.some(({ credentialId }) => credentialId === addition.credentialId)) {
    throw new ServiceError('duplicate', 'This passkey is already in the list.')
  }
  if (passkeys.length < limits.passkeysPerPerson) return
  const text = `You have ${limits.passkeysPerPerson} passkeys; remove one that you no longer use.`
  throw new ServiceError('conflict', text, { limit: limits.passkeysPerPerson })
}

function admitChallenge(
  { challenges }: Kept,
  { text, expiresAtMs }: PasskeyChallenge,
  at: number,
): void {
  if (expiresAtMs <= at)
    throw refusedError('The attempt to use a passkey has expired.', 'challenge_old')
  const good = unexpiredChallenges(challenges, at)
  if (good.some((one) => one.text === text)) {
    throw refusedError('This answer of a passkey has already been used.', 'challenge_used')
  }
  if (good.length < limits.challengesRemembered) return
  const message = 'Passkeys were used too often in a few minutes; try again later.'
  throw new ServiceError('rate_limited', message, {
    retry_after_seconds: Math.ceil((good[0]!.expiresAtMs - at) / 1_000),
  })
}

const isUse = (proof: Partial<PasskeyUse>): proof is PasskeyUse => proof.passkeyId !== undefined

const unexpiredChallenges = (
  challenges: readonly PasskeyChallenge[],
  at: number,
): readonly PasskeyChallenge[] => challenges.filter(({ expiresAtMs }) => expiresAtMs > at)

const refusedError = (message: string, why: string): ServiceError =>
  new ServiceError('unauthorized', message, { why })
