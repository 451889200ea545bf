// Goal: a session tells those who work in it, web tasks and jobs alike, that it is their turn or
// that it has ended. Method: the session's own effects, and a directory that writes down who is told.
import t from 'tap'
import { sessionEffects, type SessionEffectDeps } from '../../actors/session/effects.ts'
import type { SessionContext } from '../../actors/session/machine.ts'
import type { EffectContext } from '../../runtime/actor-kind.ts'

const context = { epoch: 3, signal: new AbortController().signal } as EffectContext<SessionContext>
const turn = { sessionId: 'ses_1', nodeId: 'n1', browserId: 'brw_1' } as const

t.test('each is told as the actor that it is', async (t) => {
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
