/** The actor kind of checkers. */
import { checkActor, type CheckReply } from '../../../proto/access/check.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import { admit } from './admit.ts'
import { checkEffects, type CheckEffectDeps, type CheckEffects } from './effects.ts'
import { checkMachine } from './machine.ts'
import { checkRehearsal } from './rehearsal.ts'
import { checkView, type CheckSnapshot } from './view.ts'

const shown = (snapshot: CheckSnapshot): CheckReply => ({ view: checkView(snapshot) })

export function checkKind(deps: CheckEffectDeps): AnyActorKind {
  return actorKind<CheckEffects>()({
    protocol: checkActor,
    machine: checkMachine,
    admit,
    view: checkView,
    answers: { created: shown, get: shown, switch_on: shown, switch_off: shown },
    settled: ({ value }) => value !== 'checking',
    wants: ({ value }) => value === 'checking',
    dependencies: () => [],
    effects: checkEffects(deps),
    rehearsal: checkRehearsal,
  })
}
