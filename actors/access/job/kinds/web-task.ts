/**
 * Market scans, enrichment, extraction and AI assistance: each is a web task with an output schema.
 */
import { defined } from '../../../../proto/defined.ts'
import { isNotFound, ServiceError } from '../../../../proto/errors.ts'
import type { WebTaskJobOrder } from '../../../../proto/access/jobs/job.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { taskActor } from '../../../../proto/task/task-protocol.ts'
import { isTaskOver, type TaskInput, type TaskView } from '../../../../proto/task/task.ts'
import { version } from '../../../../runtime/lib/package.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import { resultFieldsOf } from '../web-task/results.ts'
import type { WebTaskState, WebTaskStep } from '../web-task/state.ts'
import type { JobKind, JobResult } from './kind.ts'
import type { JobEnd } from '../work.ts'

export const webTaskJob: JobKind<WebTaskJobOrder, WebTaskState, WebTaskStep> = {
  tool: { name: 'troupe-web-task', version },
  requestFields: ({ fields }) => fields,
  begin: (order) => ({
    area: order.area,
    order,
    isOrdered: false,
    steps: 0,
    sessionId: null,
    over: null,
  }),
  step: nextStep,
  isStep: (step) => step.area !== 'seo-audits',
  fold(work, step) {
    if (step.kind === 'ordered') return { ...work, isOrdered: true }
    const { steps, sessionId = work.sessionId, over = null } = step
    return { ...work, steps, sessionId, over }
  },
  isDone: ({ over }) => over !== null,
  progress: ({ steps, order }) => ({ progress: Math.min(0.99, steps / order.task.maxSteps) }),
  result: resultOf,
  release,
  usedResources: ({ sessionId, order }) => ({
    session_ids: sessionId === null ? [] : [sessionId],
    web_task_ids: [order.taskId],
  }),
}

async function nextStep(
  { directory }: JobEffectDeps,
  { state: job }: JobEffectContext,
  { area, order, isOrdered, steps }: WebTaskState,
): Promise<WebTaskStep> {
  const { tenant } = job
  if (!isOrdered) {
    await directory.create(taskActor, order.taskId, taskInput(job, order))
    return { area, kind: 'ordered' }
  }
  const untilOver = { tenant, untilSettled: true, timeoutMs: limits.jobWatchMs }
  try {
    const { view } = await directory.ask(taskActor, order.taskId, { type: 'get' }, untilOver)
    return { area, kind: 'watched', ...stepFromView(view) }
  } catch (error) {
    // The task continues; report its progress.
    if (!(error instanceof ServiceError) || error.type !== 'timeout') throw error
    const { view } = await directory.ask(taskActor, order.taskId, { type: 'get' }, { tenant })
    return { area, kind: 'watched', ...stepFromView(view, steps) }
  }
}

function stepFromView(
  { state, steps, sessionId, usage, result, error, end }: TaskView,
  before = 0,
) {
  const progress = { steps: Math.max(before, steps), ...defined({ sessionId }) }
  if (!isTaskOver(state)) return progress
  if (result && JSON.stringify(result).length > limits.jobOutputBytes) {
    return {
      ...progress,
      over: { usage, error: 'The result of the task is too large for a record.' },
    }
  }
  const why = error ?? `The task ended: ${end ?? state}.`
  return { ...progress, over: { usage, ...(result ? { result } : { error: why }) } }
}

function resultOf({ order, over }: WebTaskState, ended: JobEnd): JobResult {
  if (ended.end === 'cancelled') return { status: 'cancelled', fields: {} }
  if (ended.end === 'failed') return { status: 'failed', error: ended.message, fields: {} }
  if (!over?.result)
    return { status: 'failed', error: over?.error ?? 'The task has no result.', fields: {} }
  const fields = resultFieldsOf(order, over)
  if (!fields)
    return { status: 'failed', error: 'The result does not match its schema.', fields: {} }
  const errors = fields['errors']
  const isPartial = Array.isArray(errors) && errors.length > 0
  return { status: isPartial ? 'partial' : 'completed', fields: { ...fields, progress: 1 } }
}

/**
 * If the task does not exist yet, its creation may be on its way: it is created here and cancelled.
 */
async function release(
  { directory }: JobEffectDeps,
  { state: job }: JobEffectContext,
  { order, over }: WebTaskState,
): Promise<void> {
  if (over) return
  const { tenant } = job
  const cancel = () => directory.ask(taskActor, order.taskId, { type: 'cancel' }, { tenant })
  try {
    await cancel()
  } catch (error) {
    if (!isNotFound(error)) throw error
    await directory.create(taskActor, order.taskId, taskInput(job, order))
    await cancel()
  }
}

const taskInput = (
  { id, tenant, createdAtMs }: JobEffectContext['state'],
  { taskId, task, area }: WebTaskJobOrder,
): TaskInput => ({ id: taskId, tenant, keyId: id, keyName: area, createdAtMs, order: task })
