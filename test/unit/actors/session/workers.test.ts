// Goal: a session tells its web tasks and jobs when it is their turn and when it has ended. Method:
// the session's own effects, and a directory that records who is told.
import t from 'tap'
import { sessionEffects, type SessionEffectDeps } from '../../../../actors/session/effects.ts'
import type { EffectContext } from '../../../../runtime/actor/actor-kind.ts'
import type { SessionContext } from '../../../../actors/session/context.ts'

const context = { epoch: 3, signal: new AbortController().signal } as EffectContext<SessionContext>
const turn = { sessionId: 'ses_1', nodeId: 'n1', browserId: 'brw_1' } as const

t.test('each is told under its own actor kind', async (t) => {
  const told: unknown[] = []
  const directory = {
    ask: async ({ kind }: { kind: string }, id: string, { type }: { type: string }) =>
      told.push([kind, id, type]),
  } as unknown as SessionEffectDeps['directory']
  const effects = sessionEffects({ directory } as SessionEffectDeps)
  await effects.give_turn({ task: 'tsk_1', turn }, context)
  await effects.give_turn({ task: 'seo_1', turn }, context)
  const tasks = ['tsk_1', 'seo_1']
  await effects.dismiss({ sessionId: 'ses_1', tasks, reason: 'idle', message: null }, context)
  t.same(told, [
    ['task', 'tsk_1', 'session.turn'],
    ['job', 'seo_1', 'session.turn'],
    ['task', 'tsk_1', 'session.ended'],
    ['job', 'seo_1', 'session.ended'],
  ])
})
