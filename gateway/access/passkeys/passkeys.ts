/**
 * WebAuthn, by the library @simplewebauthn/server, which is loaded when the first passkey is asked
 * for: it takes half a second. User verification is required, so a passkey stands for two factors.
 */
import { z } from 'zod'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { Challenge, Passkey, PasskeyUse } from '../../../proto/access/passkey.ts'
import type { PersonView } from '../../../proto/access/person.ts'
import { noRelyingParty, type RelyingParty } from './relying-party.ts'
import type { Attempts, Purpose } from './attempts.ts'

/** As `navigator.credentials` gives it; the library reads all of it. */
export const credentialJson = z
  .looseObject({
    id: z.string().max(limits.passkeyAttemptChars),
    rawId: z.string().max(limits.passkeyAttemptChars),
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: z.string().max(limits.passkeyTextChars),
      userHandle: z.string().max(limits.nameChars).optional(),
    }),
  })
  .describe('What navigator.credentials answered, as its toJSON() gives it.')

export interface PasskeyAnswer {
  readonly attempt: string
  readonly credential: z.output<typeof credentialJson>
}

/** For the page: the options of `navigator.credentials`, and what to send back beside its answer. */
export interface PasskeyOffer {
  readonly options: Readonly<Record<string, unknown>>
  readonly attempt: string
}

/** A new passkey, as far as it is the authenticator's. */
export type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> & {
  readonly challenge: Challenge
}

/** EdDSA, ES256, RS256: what each gateway can verify on any version of Node. */
const algorithms = [-8, -7, -257]
const library = () => import('@simplewebauthn/server')

export class Passkeys {
  readonly #attempts: Attempts

  constructor(attempts: Attempts) {
    this.#attempts = attempts
  }

  /** Asks for a passkey; of `allowed`, or of any that the device knows for this service. */
  async ask(
    party: RelyingParty | undefined,
    purpose: Purpose,
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
      ...(allowed.length > 0 && { allowCredentials: allowed.map(described) }),
    })
    return { options: { ...options }, attempt }
  }

  /** Asks for a new one, on a device that has none of `known`. */
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
      excludeCredentials: known.map(described),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    })
    return { options: { ...options }, attempt }
  }

  /** Undefined for an answer that is not to this challenge, from this origin, verified. */
  async checkNew(
    party: RelyingParty | undefined,
    holder: string,
    { attempt, credential }: PasskeyAnswer,
  ): Promise<NewPasskey | undefined> {
    const challenge = this.#attempts.read(attempt, { of: 'add', holder })
    if (!party || !challenge) return undefined
    const { verifyRegistrationResponse } = await library()
    type Response = Parameters<typeof verifyRegistrationResponse>[0]['response']
    const found = await orNothing(
      verifyRegistrationResponse({
        response: credential as unknown as Response,
        ...expected(party, challenge),
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
   * Undefined for an answer that one of these passkeys has not given to this challenge, at this
   * origin. Whether its counter went on, and whether it is the first answer, the actor decides.
   */
  async check(
    party: RelyingParty | undefined,
    purpose: Purpose,
    { attempt, credential }: PasskeyAnswer,
    passkeys: readonly Passkey[],
  ): Promise<PasskeyUse | undefined> {
    const challenge = this.#attempts.read(attempt, purpose)
    const passkey = passkeys.find(({ credentialId }) => credentialId === credential.id)
    if (!party || !challenge || !passkey) return undefined
    const { verifyAuthenticationResponse } = await library()
    type Response = Parameters<typeof verifyAuthenticationResponse>[0]['response']
    const found = await orNothing(
      verifyAuthenticationResponse({
        response: credential as unknown as Response,
        ...expected(party, challenge),
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

/** Whose passkey it says that it is; undefined where it says nothing. */
export function holderOf({ response }: PasskeyAnswer['credential']): string | undefined {
  const { userHandle } = response
  return userHandle === undefined ? undefined : Buffer.from(userHandle, 'base64url').toString()
}

const expected = (party: RelyingParty, challenge: Challenge) => ({
  expectedChallenge: challenge.text,
  expectedOrigin: party.origin,
  expectedRPID: party.id,
  requireUserVerification: true,
})

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** The transports are what a browser has told us; those it does not know it ignores. */
const described = ({ credentialId: id, transports }: Passkey) => ({
  id,
  transports: [...transports] as never[],
})

/** The library throws for what does not fit, in a text for developers. */
async function orNothing<T>(verified: Promise<T>): Promise<T | undefined> {
  try {
    return await verified
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
