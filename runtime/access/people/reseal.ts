/** Reseals the TOTP secrets of people with the first key of this host. */
import { personActor, type PersonView } from '../../../proto/access/people/person.ts'
import {
  resealActors,
  type ResealActorsDeps,
  type ResealedActor,
} from '../../accounts/seal/reseal-actors.ts'
import { sealedWith } from '../../accounts/seal/seal.ts'
import { totpPlace } from './totp.ts'

export function resealCodes(deps: ResealActorsDeps): AsyncIterable<ResealedActor> {
  const { directory, sealer } = deps
  return resealActors<PersonView>(deps, personActor.kind, async ({ id }) => {
    const { totp: was } = await directory.ask(personActor, id, { type: 'secrets' })
    if (was === undefined || sealedWith(was) === sealer.keyIds()[0]) return false
    const place = totpPlace(id)
    const totp = sealer.seal(sealer.open(was, place), place)
    await directory.ask(personActor, id, { type: 'resealed', was, totp })
    return true
  })
}
