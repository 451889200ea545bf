/** All kinds of actors. */
import type { AnyActorKind } from '../runtime/actor/actor-kind.ts'
import type { CheckEffectDeps } from './access/check/effects.ts'
import { checkKind } from './access/check/kind.ts'
import { changeKind } from './access/change/kind.ts'
import type { EngagementDeps } from './access/client/engagement.ts'
import { clientKind } from './access/client/kind.ts'
import { customKind } from './access/custom/kind.ts'
import { grantKind } from './access/grant/kind.ts'
import type { EndpointEffectDeps } from './access/endpoint/effects.ts'
import { endpointKind } from './access/endpoint/kind.ts'
import type { JobEffectDeps } from './access/job/deps.ts'
import { jobKind } from './access/job/kind.ts'
import { needKind } from './access/need/kind.ts'
import { personKind } from './access/person/kind.ts'
import type { ReportEffectDeps } from './access/report/effects.ts'
import { reportKind } from './access/report/kind.ts'
import { requestKind } from './access/request/kind.ts'
import { accessPolicy } from './access/request/policy.ts'
import { scopeKind } from './access/scope/kind.ts'
import type { SessionEffectDeps } from './session/effects.ts'
import { sessionKind } from './session/kind.ts'
import type { TaskEffectDeps } from './task/effects/deps.ts'
import { taskKind } from './task/kind.ts'
import type { ChangeEffectDeps } from './access/change/deps.ts'

export type ActorDeps = SessionEffectDeps &
  TaskEffectDeps &
  ChangeEffectDeps &
  EngagementDeps &
  JobEffectDeps &
  CheckEffectDeps &
  ReportEffectDeps &
  EndpointEffectDeps

export function actorKinds(deps: ActorDeps): readonly AnyActorKind[] {
  return [
    sessionKind(deps),
    taskKind(deps),
    ...accessActorKinds(deps),
    jobKind(deps),
    checkKind(deps),
    reportKind(deps),
    endpointKind(deps),
  ]
}

/** The kinds of Surface A. */
export function accessActorKinds(deps: ChangeEffectDeps & EngagementDeps): readonly AnyActorKind[] {
  return [
    clientKind(deps),
    scopeKind(deps),
    needKind(deps),
    personKind(deps),
    requestKind({ ...deps, policy: accessPolicy }),
    grantKind(deps),
    changeKind(deps),
    customKind(),
  ]
}
