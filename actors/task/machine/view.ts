/** The public view of a task. */
import { defined } from '../../../proto/defined.ts'
import type { SnapshotFrom } from 'xstate'
import { isTaskOver, type TaskView } from '../../../proto/task/task.ts'
import { sealedWith } from '../../../runtime/accounts/seal/seal.ts'
import { ownsSession, publicState, waitIn, type TaskContext } from '../state/context.ts'
import type { taskMachine } from './machine.ts'

export type TaskSnapshot = SnapshotFrom<typeof taskMachine>

export function taskView({ value, context }: TaskSnapshot): TaskView {
  const { order, deadlines, outcome, question, startedAtMs, endedAtMs } = context
  const note = context.step?.decision.note ?? context.history.steps.at(-1)?.note
  const state = publicState(value, context)
  const isOver = isTaskOver(state)
  const model = context.model ?? order.model
  const waiting = waitIn(state, context)
  const sealKey = order.sealedSecrets && sealedWith(order.sealedSecrets)
  return {
    id: context.id,
    tenant: context.tenant,
    keyId: context.keyId,
    keyName: context.keyName,
    state,
    createdAtMs: context.createdAtMs,
    ...(startedAtMs !== null && { startedAtMs }),
    ...(endedAtMs !== null && { endedAtMs }),
    ...(deadlines['max'] !== undefined && { expiresAtMs: deadlines['max'] }),
    prompt: order.prompt,
    ...defined({ url: order.url }),
    provider: order.provider,
    ...defined({ model }),
    sessionId: context.sessionId,
    ownsSession: ownsSession(context),
    maxSteps: order.maxSteps,
    steps: context.steps,
    ...(note && { note }),
    usage: context.usage,
    ...(sealKey && { sealKey }),
    ...(question && { question }),
    ...defined({ waiting }),
    ...(isOver && endOf(outcome)),
  }
}

function endOf(outcome: TaskContext['outcome']): Pick<TaskView, 'result' | 'end' | 'error'> {
  const { result, end, error } = outcome!
  return { end, ...(result && { result }), ...defined({ error }) }
}
