/** Finds a person in the store of the service, for commands of the operator of its host. */
import { personActor, type PersonView } from '../../../../proto/access/people/person.ts'
import { storedViews } from '../../../actor/views.ts'
import { CommandFailed } from '../../command.ts'

/** By id or e-mail address. */
export async function storedPerson(
  store: Parameters<typeof storedViews>[0],
  who: string,
): Promise<PersonView> {
  const people = await storedViews<PersonView>(store, personActor.kind)
  const person = people.find(
    ({ id, email, status }) => status !== 'removed' && [id, email].includes(who),
  )
  if (person) return person
  throw new CommandFailed(`there is no person with the id or e-mail address ${who}`)
}
