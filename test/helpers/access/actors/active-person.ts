/** A person of the staff who has accepted their invitation, as an actor without a runtime. */
import { personKind } from '../../../../actors/access/person/kind.ts'
import { ann, ben, PlayedActor } from './actor.ts'

const kind = personKind({ directory: { ask: () => Promise.reject(new Error('not asked here')) } })
const invitationHash = 'a'.repeat(64)

export function activePerson(): PlayedActor {
  const who = { email: 'ben@example.com', name: 'Ben', kind: 'staff', roles: ['reviewer'] }
  const it = new PlayedActor(kind, {
    ...{ id: ben.id, tenant: 'platform', by: ann, ...who, invitationHash },
  })
  it.say({ type: 'accept', invitationHash, password: '$scrypt$the-hash' })
  return it
}
