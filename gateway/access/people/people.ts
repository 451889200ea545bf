/**
 * Sign-in of people: by invitation, by password (and code) or by passkey; a session token is valid
 * for twelve hours. A wrong address, password or code gets the same answer after the same time.
 */
import { defined } from '../../../proto/defined.ts'
import {
  personActor,
  type ByCode,
  type ByProof,
  type PersonSecrets,
  type PersonView,
} from '../../../proto/access/people/person.ts'
import type { MessageTo } from '../../../proto/actor.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { newSecretText, parseSecretText } from '../../../proto/access/people/secret-text.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { PasswordHasher } from '../../../runtime/access/people/password-hasher.ts'
import { stepOfCode, totpPlace } from '../../../runtime/access/people/totp.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import type { Sealer } from '../../../runtime/accounts/seal/seal.ts'
import type { RequestOrigin, PersonCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from '../gate/chain.ts'
import { networkPrefixOf } from '../gate/network-prefix.ts'
import { passkeyHolderOf, type PasskeyAnswer, type Passkeys } from '../passkeys/passkeys.ts'
import type { RelyingParty } from '../passkeys/relying-party.ts'
import { forAccount, tooManyPasswords, type AccessRates } from '../gate/rates.ts'
import { counts } from './last-ones.ts'

export interface PeopleDeps {
  readonly directory: Pick<Directory, 'ask'>
  readonly chain: AccessChain
  readonly passwords: PasswordHasher
  readonly passkeys: Passkeys
  readonly sealer: Pick<Sealer, 'open'>
  readonly rates: AccessRates
  readonly clock: Pick<Clock, 'now'>
  readonly onSignInFailed: (origin: RequestOrigin, person: PersonView | undefined) => void
}

export interface PasswordProof {
  readonly password: string
  readonly code?: string | undefined
}

/** A passkey's answer, and the relying party that it was given for. */
export interface PasskeyProof extends PasskeyAnswer {
  readonly party: RelyingParty | undefined
}

/** The result of a sign-in; `text` is the session's secret, returned only here. */
export interface NewSignIn {
  readonly text: string
  readonly person: PersonView
}

type Beginning = MessageTo<typeof personActor, 'accept' | 'use_reset'>

export class PersonService {
  readonly #deps: PeopleDeps

  constructor(deps: PeopleDeps) {
    this.#deps = deps
  }

  async signIn(origin: RequestOrigin, email: string, given: PasswordProof): Promise<NewSignIn> {
    const { chain, rates, passwords } = this.#deps
    rates.address(origin.address)
    const person = chain.byEmail(email)
    if (person) {
      this.#assertNotLocked(origin, person)
      return this.#ifPassword(origin, person, given, (by) => this.#open(origin, person, by))
    }
    rates.noSuchPerson(email)
    rates.password(email, origin.address)
    rates.passwordFailed(email, origin.address)
    await passwords.verify(given.password, undefined)
    await this.#failed(origin, undefined)
    throw notSignedInError()
  }

  /** Counted as wrong before the check, so that guesses at the same moment wait as well. */
  async #ifPassword<T>(
    { address, requestId }: RequestOrigin,
    person: PersonView,
    given: PasswordProof,
    act: (by: ByCode) => Promise<T>,
  ): Promise<T> {
    const { rates } = this.#deps
    const { email } = person
    rates.password(email, address)
    rates.passwordFailed(email, address)
    const check = async () => {
      const by = await this.#check(person, given)
      if (by) rates.passwordPassed(email, address)
      return by
    }
    return this.#ifRight({ address, requestId }, person, check, act)
  }

  /** Told before the password is checked, whether it is right or wrong. */
  #assertNotLocked({ address }: RequestOrigin, person: PersonView): void {
    const { status, lockedUntilMs, networks = [] } = person
    if (status !== 'locked' || networks.includes(networkPrefixOf(address))) return
    throw tooManyPasswords(forAccount, (lockedUntilMs ?? 0) - this.#deps.clock.now())
  }

  /**
   * Signs in with a passkey alone, which counts as two factors. `holder` must be the same as when
   * the passkey was asked for.
   */
  async signInByPasskey(
    origin: RequestOrigin,
    holder: string,
    given: PasskeyProof,
  ): Promise<NewSignIn> {
    const { chain, rates, passkeys } = this.#deps
    rates.address(origin.address)
    const person = chain.get('person', passkeyHolderOf(given.credential) ?? '')
    if (!person) {
      await this.#failed(origin, undefined)
      throw notThisPasskeyError()
    }
    const check = async () => {
      const secrets = await this.#secrets(person)
      const purpose = { of: 'sign_in', holder } as const
      return passkeys.check(given.party, purpose, given, secrets.passkeys)
    }
    const open = (by: ByProof) => this.#open(origin, person, by)
    return this.#ifRight(origin, person, check, open, notThisPasskeyError)
  }

  /** Uses an invitation, once: sets the password and signs the person in. */
  accept(origin: RequestOrigin, invitation: string, password: string): Promise<NewSignIn> {
    const { chain } = this.#deps
    const of = (hash: string) => chain.byInvitation(hash)
    return this.#begin(origin, invitation, password, of, (hash, kept) => {
      return { type: 'accept', invitationHash: hash, password: kept }
    })
  }

  /** Uses a reset, once: sets a new password; all earlier credentials become invalid. */
  reset(origin: RequestOrigin, reset: string, password: string): Promise<NewSignIn> {
    const { chain } = this.#deps
    const of = (hash: string) => chain.byReset(hash)
    return this.#begin(origin, reset, password, of, (hash, kept) => {
      return { type: 'use_reset', resetHash: hash, password: kept }
    })
  }

  async #begin(
    origin: RequestOrigin,
    text: string,
    password: string,
    personOf: (hash: string) => PersonView | undefined,
    messageOf: (hash: string, kept: string) => Beginning,
  ): Promise<NewSignIn> {
    const { chain, directory, rates } = this.#deps
    rates.address(origin.address)
    const hash = parseSecretText('invitation', text)
    const person = hash === undefined ? undefined : personOf(hash)
    if (hash === undefined || !person) {
      rates.failed(origin.address)
      throw badInvitationError()
    }
    const message = messageOf(hash, await this.#deps.passwords.hash(password))
    try {
      const { view } = await directory.ask(personActor, person.id, message)
      chain.learn('person', view)
      return await this.#open(origin, view)
    } catch (error) {
      throw error instanceof ServiceError && error.type === 'unauthorized'
        ? badInvitationError()
        : error
    }
  }

  /** Confirms the password again, which allows actions that need it for ten minutes. */
  stepUp(caller: PersonCaller, given: PasswordProof): Promise<PersonView> {
    return this.confirmed(caller, given, (by) => this.#stepUp(caller, by))
  }

  /** Like `stepUpReply`, with a passkey. */
  stepUpByPasskey(caller: PersonCaller, given: PasskeyProof): Promise<PersonView> {
    this.#deps.rates.address(caller.address)
    const check = async () => {
      const secrets = await this.#secrets(caller.person)
      const purpose = { of: 'step_up', holder: caller.session.id } as const
      return this.#deps.passkeys.check(given.party, purpose, given, secrets.passkeys)
    }
    const act = (by: ByProof) => this.#stepUp(caller, by)
    return this.#ifRight(caller, caller.person, check, act, notThisPasskeyError)
  }

  async #stepUp({ person, session }: PersonCaller, by: ByProof): Promise<PersonView> {
    const message = { type: 'step_up', sessionId: session.id, ...by } as const
    const { view } = await this.#deps.directory.ask(personActor, person.id, message)
    this.#deps.chain.learn('person', view)
    return view
  }

  /** Ends this session, or all sessions of the person. */
  async signOut(caller: PersonCaller, everywhere: boolean): Promise<void> {
    const { directory, chain } = this.#deps
    const which = everywhere ? {} : { sessionId: caller.session.id }
    const { view } = await directory.ask(personActor, caller.person.id, {
      type: 'sign_out',
      ...which,
    })
    chain.learn('person', view)
  }

  /** Runs `act` after checking the credentials; throws `unauthorized` if they are wrong. */
  confirmed<T>(
    caller: PersonCaller,
    given: PasswordProof,
    act: (by: ByCode) => Promise<T>,
  ): Promise<T> {
    this.#deps.rates.address(caller.address)
    return this.#ifPassword(caller, caller.person, given, act)
  }

  /**
   * The person's actor refuses a code that was used before and a passkey that may be a copy; the
   * caller gets the same error as for wrong ones. The audit gets the reason.
   */
  async #ifRight<T, By extends ByProof>(
    origin: RequestOrigin,
    person: PersonView,
    check: () => Promise<By | undefined>,
    act: (by: By) => Promise<T>,
    refusal = notSignedInError,
  ): Promise<T> {
    let why: unknown
    try {
      const by = await check()
      if (by) return await act(by)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.type !== 'unauthorized') throw error
      why = error.details['why']
    }
    await this.#failed(origin, person, typeof why === 'string' ? why : undefined)
    throw refusal()
  }

  async #open(origin: RequestOrigin, { id }: PersonView, by: ByProof = {}): Promise<NewSignIn> {
    const { text, hash } = newSecretText('session')
    const sessionId = newAccessId('session')
    const net = networkPrefixOf(origin.address)
    const message = { type: 'sign_in', sessionId, hash, net, ...by } as const
    const { view } = await this.#deps.directory.ask(personActor, id, message)
    this.#deps.chain.learn('person', view)
    return { text, person: view }
  }

  /** Undefined if wrong. Takes equally long for people with and without a password. */
  async #check(person: PersonView, { password, code }: PasswordProof): Promise<ByCode | undefined> {
    const secrets = await this.#secrets(person)
    const kept = counts(secrets.view) ? secrets.password : undefined
    if (!(await this.#deps.passwords.verify(password, kept))) return undefined
    return secrets.totp === undefined ? {} : this.#checkCode(secrets.totp, person.id, code)
  }

  #secrets({ id }: PersonView): Promise<PersonSecrets> {
    return this.#deps.directory.ask(personActor, id, { type: 'secrets' })
  }

  #checkCode(totp: string, id: string, code: string | undefined): ByCode | undefined {
    const { sealer, clock } = this.#deps
    if (code === undefined) return undefined
    const codeStep = stepOfCode(sealer.open(totp, totpPlace(id)), code, clock.now())
    return codeStep === undefined ? undefined : { codeStep }
  }

  async #failed(
    origin: RequestOrigin,
    person: PersonView | undefined,
    reason?: string,
  ): Promise<void> {
    const { rates, directory, chain, onSignInFailed } = this.#deps
    rates.failed(origin.address)
    onSignInFailed(origin, person)
    if (!person) return
    const net = networkPrefixOf(origin.address)
    const message = {
      type: 'sign_in_failed',
      net,
      ...defined({ reason }),
    } as const
    const { view } = await directory.ask(personActor, person.id, message)
    chain.learn('person', view)
  }
}

const notSignedInError = () =>
  new ServiceError('unauthorized', 'The e-mail address, the password or the code is wrong.')

const notThisPasskeyError = () =>
  new ServiceError(
    'unauthorized',
    'This passkey is not valid here, or the attempt has expired. Try again, or use your password.',
  )

const badInvitationError = () =>
  new ServiceError('unauthorized', 'This link is unknown, used or expired; ask for a new one.')
