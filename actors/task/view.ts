/** What others may know of a task: its public view, and the answers to commands. */
import type { SnapshotFrom } from 'xstate'
import type { Command } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { isTaskOver, type TaskView } from '../../proto/task.ts'
import type { TaskReply } from '../../proto/task-reply.ts'
import { sealedWith } from '../../runtime/seal/seal.ts'
import { ownsSession, publicState, type TaskContext } from './context.ts'
import type { taskMachine } from './machine.ts'

type TaskSnapshot = SnapshotFrom<typeof taskMachine>

export function taskView({ value, context }: TaskSnapshot): TaskView {
  const { order, deadlines, outcome, question, startedAtMs, endedAtMs } = context
  const note = context.step?.decision.note ?? context.history.steps.at(-1)?.note
  const state = publicState(value, context)
  const isOver = isTaskOver(state)
  const model = context.model ?? order.model
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
    ...(order.url !== undefined && { url: order.url }),
    provider: order.provider,
    ...(model !== undefined && { model }),
    sessionId: context.sessionId,
    ownsSession: ownsSession(context),
    maxSteps: order.maxSteps,
    steps: context.steps,
    ...(note && { note }),
    usage: context.usage,
    ...(sealKey && { sealKey }),
    ...(question && { question }),
    ...(isOver && ended(outcome)),
  }
}

function ended(outcome: TaskContext['outcome']): Pick<TaskView, 'result' | 'end' | 'error'> {
  const { result, end, error } = outcome!
  return { end, ...(result && { result }), ...(error !== undefined && { error }) }
}

/** Another tenant's task does not exist; one that is over, or about to be, takes no more words. */
export function admit({ context }: TaskSnapshot, command: Command): void {
  if (command['tenant'] !== undefined && command['tenant'] !== context.tenant) {
    throw new ServiceError('not_found', 'There is no such task.')
  }
  if (free.has(command.type)) return
  if (context.outcome !== null) {
    throw new ServiceError('conflict', `The task is over (${context.outcome.end}).`)
  }
  if (command.type === 'answer') admitAnswer(context, command)
  if (command.type === 'session.turn') admitTurn(context, command)
}

const free: ReadonlySet<string> = new Set(['created', 'get', 'cancel', 'session.ended'])

function admitAnswer({ question }: TaskContext, command: Command): void {
  if (question === null) throw new ServiceError('conflict', 'The task asks nothing now.')
  if (command['questionId'] !== question.id) {
    const text = `The task asks another question now (${question.id}); read it and answer that.`
    throw new ServiceError('conflict', text)
  }
  const { text, approve } = command
  if (question.kind === 'confirmation' && typeof approve !== 'boolean') {
    throw new ServiceError('bad_request', 'A confirmation is answered with approve: true or false.')
  }
  if (question.kind === 'question' && typeof text !== 'string' && typeof approve !== 'boolean') {
    throw new ServiceError('bad_request', 'A question is answered with text.')
  }
}

/** A turn that came too late for a task must go to the next in line. */
function admitTurn({ sessionId }: TaskContext, command: Command): void {
  if ((command['turn'] as { sessionId?: unknown }).sessionId === sessionId) return
  throw new ServiceError('conflict', 'The task is not in that session.')
}

export const taskReply = (snapshot: TaskSnapshot): TaskReply => ({ view: taskView(snapshot) })
