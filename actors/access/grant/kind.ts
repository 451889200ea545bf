/** The actor kind of grants. */
import type { Entity } from '../../../proto/access/common.ts'
import { grantActor, type GrantView } from '../../../proto/access/grant.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import type { AccessEffectDeps } from '../common/deps.ts'
import { admit } from './admit.ts'
import { grantEffects, type GrantEffects } from './effects.ts'
import { grantMachine } from './machine.ts'
import { grantRehearsal } from './rehearsal.ts'
import { grantView, type GrantSnapshot } from './view.ts'

const shown = (snapshot: GrantSnapshot): Entity<GrantView> => ({ view: grantView(snapshot) })

export function grantKind(deps: AccessEffectDeps): AnyActorKind {
  return actorKind<GrantEffects>()({
    protocol: grantActor,
    machine: grantMachine,
    admit,
    view: grantView,
    answers: {
      created: shown,
      get: shown,
      suspend: shown,
      resume: shown,
      revoke: shown,
      post_review: shown,
      end: shown,
      mint: shown,
      rotate: shown,
      revoke_token: shown,
      used: shown,
    },
    settled: ({ value }) => value !== 'confirming',
    // A grant that ended before its confirmation needs none.
    wants: ({ value }) => value === 'confirming',
    dependencies: () => [],
    effects: grantEffects(deps),
    rehearsal: grantRehearsal,
  })
}
