/** The actor kind of reports: machine, answers, view and effects. */
import { reportActor } from '../../../proto/access/report.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor-kind.ts'
import { admit } from './admit.ts'
import { reportEffects, type ReportEffectDeps, type ReportEffects } from './effects.ts'
import { reportMachine } from './machine.ts'
import { reportRehearsal } from './rehearsal.ts'
import { reportView, type ReportSnapshot } from './view.ts'

const shown = (snapshot: ReportSnapshot) => ({ view: reportView(snapshot) })

export function reportKind(deps: ReportEffectDeps): AnyActorKind {
  return actorKind<ReportEffects>()({
    protocol: reportActor,
    machine: reportMachine,
    admit,
    view: reportView,
    answers: {
      created: shown,
      get: shown,
      update: shown,
      publish: shown,
      withdraw: shown,
      supersede: shown,
    },
    settled: ({ context: { recorded, version, isPredecessorUntold } }) =>
      recorded >= version && !isPredecessorUntold,
    dependencies: () => [],
    effects: reportEffects(deps),
    rehearsal: reportRehearsal,
  })
}
