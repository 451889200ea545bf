/** The check of a grant before it opens. */
import { requestActor } from '../../../proto/access/grants/request.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { checkBasis, citeBasis } from '../common/basis.ts'
import type { AccessEffectDeps } from '../common/deps.ts'
import type { GrantContext, grantMachine, GrantEffects } from './machine.ts'

type Outcome = OutcomeOf<typeof grantMachine>

export function grantEffects(
  deps: AccessEffectDeps,
): EffectHandlers<GrantEffects, GrantContext, Outcome> {
  return { confirm: (_, { state }) => confirm(deps, state) }
}

/** Fails if the grant has no approved request, or something it depends on has ended. */
async function confirm(
  { directory, clock }: AccessEffectDeps,
  grant: GrantContext,
): Promise<Outcome> {
  const { id, tenant, requestId, startsAtMs } = grant
  const { view } = await directory.ask(requestActor, requestId, { type: 'get' }, { tenant })
  const isApproved = view.status === 'approved' || view.status === 'fulfilled'
  if (!isApproved || view.grantId !== id) {
    throw new ServiceError('conflict', `The request of this grant is ${view.status}.`)
  }
  const basis = await citeBasis(directory, tenant, grant, id)
  checkBasis(grant, basis, Math.max(startsAtMs, clock.now()))
  return { type: 'confirmed' }
}
