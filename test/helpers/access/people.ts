/**
 * People who have signed in, without the second of work that a password costs: the actors are told
 * what the gateway would tell them. The password also works at the real sign-in; only its hash is a
 * cheap one.
 */
import { randomBytes, scryptSync } from 'node:crypto'
import { systemAuthor, type Author, type AccessRole } from '../../../proto/access/author.ts'
import { newAccessId, type PersonId, type Tenant } from '../../../proto/access/ids.ts'
import { personActor, type PersonView } from '../../../proto/access/people/person.ts'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'

export const password = 'correct horse battery'

export interface Person {
  readonly id: PersonId
  readonly email: string
  /** The token of their sign-in, for `Authorization: Bearer`. */
  readonly token: string
  readonly author: Author
}

export interface NewPerson {
  readonly tenant: Tenant
  readonly email: string
  readonly name?: string
  readonly roles: readonly AccessRole[]
  readonly by: Author
}

type Asked = Pick<Directory, 'ask' | 'create'>

export async function makePerson(
  directory: Asked,
  { tenant, email, name = 'Sam Same', roles, by }: NewPerson,
): Promise<Person> {
  const { hash: invitationHash } = newSecretText('invitation')
  const id = newAccessId('person')
  const kind = tenant === 'platform' ? 'staff' : 'member'
  const who = { id, tenant, email, roles, kind, by, name, createdAtMs: Date.now() }
  const mine = { tenant }
  await directory.create(personActor, id, { ...who, kind, invitationHash }, mine)
  const accept = { type: 'accept', invitationHash, password: cheaplyHashed(password) } as const
  await directory.ask(personActor, id, accept, mine)
  // As by the operator of the host, so that they are independent of the person who invited them.
  if (by.kind !== 'system') {
    await directory.ask(personActor, id, { type: 'confirm', by: systemAuthor('host') }, mine)
  }
  const { token, view } = await signIn(directory, id)
  return { id, email, token, author: authorOf(view) }
}

/** Signs a person in again, in a new session. */
export async function signIn(directory: Pick<Directory, 'ask'>, id: PersonId) {
  const { text, hash } = newSecretText('session')
  const sessionId = newAccessId('session')
  const { view } = await directory.ask(personActor, id, { type: 'sign_in', sessionId, hash })
  return { token: text, view }
}

const authorOf = ({ kind, id, roles }: Pick<PersonView, 'kind' | 'id' | 'roles'>): Author => ({
  kind,
  id,
  roles,
})

/** In the form of `runtime/access/people/password-hasher.ts`, which accepts any cost that a stored text names. */
function cheaplyHashed(text: string): string {
  const salt = randomBytes(16)
  const hash = scryptSync(text.normalize('NFKC'), salt, 32, { N: 2, r: 8, p: 1 })
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$scrypt$ln=1,r=8,p=1$${base64(salt)}$${base64(hash)}`
}
