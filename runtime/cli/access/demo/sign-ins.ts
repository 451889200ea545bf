/**
 * Signs in the demo's people, each with a password that is generated on demand, and calls the service
 * as one of them.
 */
import { randomBytes } from 'node:crypto'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { personActor, type PersonView } from '../../../../proto/access/people/person.ts'
import { newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { PasswordHasher } from '../../../access/people/password-hasher.ts'
import type { Directory } from '../../../actor/directory.ts'
import { signedInAnswer } from '../service/answers.ts'
import { demoCast, type DemoPerson } from './cast.ts'
import { retryWhileEarly } from './retry-while-early.ts'
import { callService, dataOf, noContent, type ServiceCall } from '../service/service.ts'

const by = systemAuthor('demo')
const answer = dataOf(signedInAnswer)

export class DemoSignIns {
  readonly #base: string
  readonly #directory: Pick<Directory, 'ask'>
  readonly #tokens = new Map<DemoPerson, string>()
  /** Passwords set in this run, to be shown once. */
  readonly passwords = new Map<DemoPerson, string>()

  constructor(base: string, directory: Pick<Directory, 'ask'>) {
    this.#base = base
    this.#directory = directory
  }

  /** Calls the service as this person. Throws if the person has not signed in. */
  async as<T>(person: DemoPerson, order: ServiceCall<T>): Promise<T> {
    const token = this.#tokens.get(person)
    if (token === undefined) throw new Error(`${person} has not signed in`)
    return callService(this.#base, token, order)
  }

  /** Accepts the invitation that was just created. */
  async accept(person: DemoPerson, invitation: string): Promise<void> {
    const password = newPassword()
    const path = '/v1/sign-in/invitations'
    const body = { invitation, password }
    await this.#keep(person, password, { path, body })
  }

  /** Resets the password of a person from an earlier run, because this run does not know it. */
  async open(person: DemoPerson, { id, status }: PersonView): Promise<void> {
    if (status === 'invited') {
      const { text, hash } = newSecretText('invitation')
      await this.#directory.ask(personActor, id, { type: 'reinvite', invitationHash: hash, by })
      return this.accept(person, text)
    }
    const password = newPassword()
    const kept = await new PasswordHasher().hash(password)
    await this.#directory.ask(personActor, id, { type: 'set_password', password: kept, by })
    const body = { email: demoCast[person].email, password }
    await this.#keep(person, password, { path: '/v1/sign-in', body })
  }

  async signOut(): Promise<void> {
    for (const token of this.#tokens.values()) {
      const order = { method: 'DELETE', path: '/v1/sign-in', answer: noContent } as const
      await callService(this.#base, token, order)
    }
  }

  async #keep(person: DemoPerson, password: string, order: { path: string; body: object }) {
    const { token } = await retryWhileEarly('unauthorized', () =>
      callService(this.#base, undefined, { method: 'POST', ...order, answer }),
    )
    this.#tokens.set(person, token)
    this.passwords.set(person, password)
  }
}

const newPassword = () => randomBytes(12).toString('base64url')
