/** The actor kind of reports: machine, answers, view and effects. */
import { reportActor } from '../../../proto/access/reports/report.ts'
import { actorKind, type AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { admitReport } from './admit.ts'
import { reportEffects, type ReportEffectDeps } from './effects.ts'
import { reportMachine, type ReportEffects } from './machine.ts'
import { reportRehearsal } from './rehearsal.ts'
import { reportView, type ReportSnapshot } from './view.ts'

const toReply = (snapshot: ReportSnapshot) => ({ view: reportView(snapshot) })

export function reportKind(deps: ReportEffectDeps): AnyActorKind {
  return actorKind<ReportEffects>()({
    protocol: reportActor,
    machine: reportMachine,
    admit: admitReport,
    view: reportView,
    queries: {
      created: toReply,
      get: toReply,
      update: toReply,
      publish: toReply,
      withdraw: toReply,
      supersede: toReply,
    },
    settled: ({ context: { recorded, version, isPredecessorUntold } }) =>
      recorded >= version && !isPredecessorUntold,
    dependencies: () => [],
    effects: reportEffects(deps),
    rehearsal: reportRehearsal,
  })
}
