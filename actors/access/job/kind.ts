/** The actor kind of jobs. */
import { jobActor, type JobReply } from '../../../proto/access/jobs/job.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitJob } from './admit.ts'
import type { JobEffectDeps } from './deps.ts'
import { jobEffects } from './effects.ts'
import { jobMachine, type JobEffects } from './machine.ts'
import { jobRehearsal } from './rehearsal.ts'
import { jobView, type JobSnapshot } from './view.ts'

const toReply = (snapshot: JobSnapshot): JobReply => ({ view: jobView(snapshot) })

/** The state in which each effect is wanted; in other states it is aborted. */
const purposes = { record: 'recording', work: 'working', finish: 'ending' } as const

export function jobKind(deps: JobEffectDeps): AnyActorKind {
  return actorKind<JobEffects>()({
    protocol: jobActor,
    machine: jobMachine,
    admit: admitJob,
    view: jobView,
    queries: {
      created: toReply,
      get: toReply,
      cancel: toReply,
      'session.turn': toReply,
      'session.ended': toReply,
    },
    settled: ({ value }, { type }) =>
      type === 'created' ? value !== 'recording' : value === 'ended',
    wants: ({ value }, { kind }) => value === purposes[kind],
    // The loss of its browser is noticed by the agent's answers.
    dependencies: () => [],
    effects: jobEffects(deps),
    rehearsal: jobRehearsal,
  })
}
