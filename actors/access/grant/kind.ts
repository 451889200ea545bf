/** The actor kind of grants. */
import type { EntityReply } from '../../../proto/access/common.ts'
import { grantActor, type GrantView } from '../../../proto/access/grants/grant.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import type { AccessEffectDeps } from '../common/deps.ts'
import { admitGrant } from './admit.ts'
import { grantEffects } from './effects.ts'
import { grantMachine, type GrantEffects } from './machine.ts'
import { grantRehearsal } from './rehearsal.ts'
import { grantView, type GrantSnapshot } from './view.ts'

const toReply = (snapshot: GrantSnapshot): EntityReply<GrantView> => ({ view: grantView(snapshot) })

export function grantKind(deps: AccessEffectDeps): AnyActorKind {
  return actorKind<GrantEffects>()({
    protocol: grantActor,
    machine: grantMachine,
    admit: admitGrant,
    view: grantView,
    queries: {
      created: toReply,
      get: toReply,
      suspend: toReply,
      resume: toReply,
      revoke: toReply,
      post_review: toReply,
      end: toReply,
      mint: toReply,
      rotate: toReply,
      revoke_token: toReply,
      used: toReply,
    },
    settled: ({ value }) => value !== 'confirming',
    // A grant that ended before its confirmation needs none.
    wants: ({ value }) => value === 'confirming',
    dependencies: () => [],
    effects: grantEffects(deps),
    rehearsal: grantRehearsal,
  })
}
