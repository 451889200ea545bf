/**
 * WebAuthn with the library @simplewebauthn/server, which is loaded at first use, because loading
 * takes half a second. User verification is required, so a passkey counts as two factors.
 */
import { z } from 'zod'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PasskeyChallenge, Passkey, PasskeyUse } from '../../../proto/access/people/passkey.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import { noRelyingParty, type RelyingParty } from './relying-party.ts'
import type { PasskeyAttempts, PasskeyPurpose } from './attempts.ts'

/** As `navigator.credentials` returns it; the library checks all of it. */
export const passkeyCredentialJson = z
  .looseObject({
    id: z.string().max(limits.passkeyAttemptChars),
    rawId: z.string().max(limits.passkeyAttemptChars),
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: z.string().max(limits.passkeyTextChars),
      userHandle: z.string().max(limits.nameChars).optional(),
    }),
  })
  .describe('The credential that navigator.credentials returned, as its toJSON() gives it.')

export interface PasskeyAnswer {
  readonly attempt: string
  readonly credential: z.output<typeof passkeyCredentialJson>
}

/**
 * For the page: the options for `navigator.credentials`, and the attempt to send back with its
 * answer.
 */
export interface PasskeyOffer {
  readonly options: Readonly<Record<string, unknown>>
  readonly attempt: string
}

/** The parts of a new passkey that the authenticator gives. */
export type CreatedPasskey = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'transports'
> & {
  readonly challenge: PasskeyChallenge
}

/** EdDSA, ES256, RS256: algorithms that every supported version of Node can verify. */
const algorithms = [-8, -7, -257]
const library = () => import('@simplewebauthn/server')

export class Passkeys {
  readonly #attempts: PasskeyAttempts

  constructor(attempts: PasskeyAttempts) {
    this.#attempts = attempts
  }

  /**
   * Asks for one of the passkeys in `allowed` or, if empty, for any that the device has for this
   * service.
   */
  async ask(
    party: RelyingParty | undefined,
    purpose: PasskeyPurpose,
    allowed: readonly Passkey[] = [],
  ): Promise<PasskeyOffer> {
    if (!party) throw noRelyingParty()
    const { generateAuthenticationOptions } = await library()
    const { challenge, attempt } = this.#attempts.begin(purpose)
    const options = await generateAuthenticationOptions({
      rpID: party.id,
      challenge: bytesOf(challenge.text),
      timeout: limits.challengeMs,
      userVerification: 'required',
      ...(allowed.length > 0 && { allowCredentials: allowed.map(credentialDescriptor) }),
    })
    return { options: { ...options }, attempt }
  }

  /** Asks for a new passkey on a device that has none of `known`. */
  async askNew(
    party: RelyingParty | undefined,
    holder: string,
    person: Pick<PersonView, 'id' | 'email' | 'name'>,
    known: readonly Passkey[],
  ): Promise<PasskeyOffer> {
    if (!party) throw noRelyingParty()
    const { generateRegistrationOptions } = await library()
    const { challenge, attempt } = this.#attempts.begin({ of: 'add', holder })
    const options = await generateRegistrationOptions({
      rpName: 'Troupe',
      rpID: party.id,
      userID: new Uint8Array(Buffer.from(person.id)),
      userName: person.email,
      userDisplayName: person.name,
      challenge: bytesOf(challenge.text),
      timeout: limits.challengeMs,
      attestationType: 'none',
      excludeCredentials: known.map(credentialDescriptor),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    })
    return { options: { ...options }, attempt }
  }

  /** Undefined unless the answer is verified for this challenge and origin. */
  async checkNew(
    party: RelyingParty | undefined,
    holder: string,
    { attempt, credential }: PasskeyAnswer,
  ): Promise<CreatedPasskey | undefined> {
    const challenge = this.#attempts.read(attempt, { of: 'add', holder })
    if (!party || !challenge) return undefined
    const { verifyRegistrationResponse } = await library()
    type Response = Parameters<typeof verifyRegistrationResponse>[0]['response']
    const found = await undefinedIfInvalid(
      verifyRegistrationResponse({
        response: credential as unknown as Response,
        ...expectationsOf(party, challenge),
        supportedAlgorithmIDs: algorithms,
      }),
    )
    if (!found?.verified) return undefined
    const { id, publicKey, counter, transports = [] } = found.registrationInfo.credential
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports.slice(0, limits.passkeysPerPerson),
      challenge,
    }
  }

  /**
   * Undefined unless one of these passkeys gave the answer to this challenge at this origin. The
   * actor checks that the counter has increased and that the challenge was not answered before.
   */
  async check(
    party: RelyingParty | undefined,
    purpose: PasskeyPurpose,
    { attempt, credential }: PasskeyAnswer,
    passkeys: readonly Passkey[],
  ): Promise<PasskeyUse | undefined> {
    const challenge = this.#attempts.read(attempt, purpose)
    const passkey = passkeys.find(({ credentialId }) => credentialId === credential.id)
    if (!party || !challenge || !passkey) return undefined
    const { verifyAuthenticationResponse } = await library()
    type Response = Parameters<typeof verifyAuthenticationResponse>[0]['response']
    const found = await undefinedIfInvalid(
      verifyAuthenticationResponse({
        response: credential as unknown as Response,
        ...expectationsOf(party, challenge),
        credential: {
          id: passkey.credentialId,
          publicKey: bytesOf(passkey.publicKey),
          counter: 0,
        },
      }),
    )
    if (!found?.verified) return undefined
    const counter = found.authenticationInfo.newCounter
    return { passkeyId: passkey.id, counter, challenge }
  }
}

/** The person's id that the answer claims, not yet verified. */
export function passkeyHolderOf({ response }: PasskeyAnswer['credential']): string | undefined {
  const { userHandle } = response
  return userHandle === undefined ? undefined : Buffer.from(userHandle, 'base64url').toString()
}

const expectationsOf = (party: RelyingParty, challenge: PasskeyChallenge) => ({
  expectedChallenge: challenge.text,
  expectedOrigin: party.origin,
  expectedRPID: party.id,
  requireUserVerification: true,
})

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** Transports come from the browser that created the passkey; browsers ignore unknown ones. */
const credentialDescriptor = ({ credentialId: id, transports }: Passkey) => ({
  id,
  transports: [...transports] as never[],
})

/**
 * Undefined if the verification fails: the library throws for invalid answers, with messages for
 * developers.
 */
async function undefinedIfInvalid<T>(verified: Promise<T>): Promise<T | undefined> {
  try {
    return await verified
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
