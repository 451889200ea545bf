/** The actor kind of checkers. */
import { checkActor, type CheckReply } from '../../../proto/access/jobs/check.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitCheck } from './admit.ts'
import { checkEffects, type CheckEffectDeps } from './effects.ts'
import { checkMachine, type CheckEffects } from './machine.ts'
import { checkRehearsal } from './rehearsal.ts'
import { checkView, type CheckSnapshot } from './view.ts'

const toReply = (snapshot: CheckSnapshot): CheckReply => ({ view: checkView(snapshot) })

export function checkKind(deps: CheckEffectDeps): AnyActorKind {
  return actorKind<CheckEffects>()({
    protocol: checkActor,
    machine: checkMachine,
    admit: admitCheck,
    view: checkView,
    queries: { created: toReply, get: toReply, switch_on: toReply, switch_off: toReply },
    settled: ({ value }) => value !== 'checking',
    wants: ({ value }) => value === 'checking',
    dependencies: () => [],
    effects: checkEffects(deps),
    rehearsal: checkRehearsal,
  })
}
