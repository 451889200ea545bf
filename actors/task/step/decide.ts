/** Asks the model what to do next, and at the end whether the task is done. */
import { defined } from '../../../proto/defined.ts'
import { randomBytes } from 'node:crypto'
import { encode } from '../../../proto/codec.ts'
import { briefOf } from './brief.ts'
import { TaskBrowser } from '../effects/browser.ts'
import { doneWith, type TaskContext, type TaskEffectContext } from '../state/context.ts'
import type { SecretDeps } from '../effects/deps.ts'
import type {
  CheckedEvent,
  DecidedEvent,
  StepFailure,
  FaultedEvent,
  TaskEvent,
} from '../state/events.ts'
import { validateResult } from './validate-result.ts'
import { parseAnswer } from '../prompting/answer/answer.ts'
import { checkPromptOf, parseVerdict } from '../prompting/answer/final-check.ts'
import { promptOf } from '../prompting/prompt.ts'
import {
  ModelFailure,
  type BudgetLeft,
  type ModelTask,
  type ModelUsage,
  type TaskModel,
} from '../models/model.ts'
import { observePage } from './observe.ts'
import type { PageMemory } from './page-memory.ts'
import type { TaskPictures } from '../effects/pictures.ts'
import { applyPolicy } from '../safety/policy.ts'
import type { AnswerFault, Observation } from '../prompting/decision.ts'
import { taskRunLimits } from '../limits.ts'

export interface DecideDeps extends SecretDeps {
  readonly pages: PageMemory
  readonly shots: TaskPictures
}

type Forgotten = Extract<TaskEvent, { readonly type: 'forgotten' }>

export async function decideStep(
  deps: DecideDeps,
  effect: TaskEffectContext,
): Promise<DecidedEvent | FaultedEvent | Omit<Forgotten, 'at'>> {
  const task = effect.state
  const observation = deps.pages.of(task.id)
  if (observation === undefined) return { type: 'forgotten' }
  const begunMs = deps.clock.monotonic()
  // A screenshot of each step is stored; it is awaited only if the model is to see it.
  const taking = takePicture(deps, effect, observation)
  const shot = isShown(task, observation) ? await taking : undefined
  const baseBrief = briefOf(task, observation, deps.clock.now())
  const brief = isBlind(task, observation)
    ? { ...baseBrief, notices: [...baseBrief.notices, blind] }
    : baseBrief
  const asking = { ...promptQuestionOf(effect), picture: shot?.picture }
  const isAnswered = logSilence(deps, effect)
  try {
    const model = await openModel(deps, effect)
    const answer = await model.ask(promptOf(brief, asking), effect.signal)
    const reading = await validateResult(deps, task, parseAnswer(answer, brief))
    if (reading.kind === 'fault') return toFaulted(faultOf(reading.fault), answer.usage)
    const allowed = applyPolicy(task, observation, reading.decision)
    const decision = deps.secrets.of(task).maskAll(allowed)
    if (encode(decision).byteLength > taskRunLimits.decisionBytes)
      return toFaulted(tooMuch, answer.usage)
    return {
      type: 'decided',
      decision,
      model: answer.model,
      usage: answer.usage,
      ...(shot && { lens: shot.lens }),
      ms: Math.round(deps.clock.monotonic() - begunMs),
    }
  } catch (error) {
    return toModelFault(error)
  } finally {
    isAnswered()
  }
}

/** Logs that a model does not answer, at the same time as the task reports it. */
function logSilence({ clock, log }: DecideDeps, { state }: TaskEffectContext): () => void {
  const { id: task, order } = state
  const timer = clock.timer(taskRunLimits.modelWaitNoticeMs, () =>
    log.info({ task, provider: order.provider }, 'waiting for the model'),
  )
  return () => timer.cancel()
}

/** Checks the model's claimed result against the goal and the current page. */
export async function checkResult(
  deps: DecideDeps,
  effect: TaskEffectContext,
): Promise<CheckedEvent | FaultedEvent> {
  const task = effect.state
  const { result } = doneWith(task)!
  const isAnswered = logSilence(deps, effect)
  try {
    const { observation, browser } = await observePage(deps, effect)
    const isSeen = isShown(task, observation) && !observation.showsSecret
    const picture = isSeen ? await deps.shots.takeUnstored(task.id, browser) : undefined
    const brief = briefOf(task, observation, deps.clock.now())
    const model = await openModel(deps, effect)
    const asking = { ...promptQuestionOf(effect), picture }
    const answer = await model.ask(checkPromptOf(brief, result, asking), effect.signal)
    const verdict = deps.secrets.of(task).maskAll(parseVerdict(answer))
    return { type: 'checked', verdict, usage: answer.usage }
  } catch (error) {
    return toModelFault(error)
  } finally {
    isAnswered()
  }
}

/** The marks around page text have a new random name each time, so no page can know it. */
const promptQuestionOf = ({ effectId }: TaskEffectContext) => ({
  nonce: randomBytes(6).toString('hex'),
  question: effectId,
})

function openModel({ models }: DecideDeps, effect: TaskEffectContext): Promise<TaskModel> {
  const { tenant, order } = effect.state
  const { provider, model } = order
  return models.open({
    tenant,
    provider,
    ...defined({ model }),
    task: taskOf(effect),
  })
}

export function taskOf({ state, epoch }: TaskEffectContext): ModelTask {
  const { id, sessionId, createdAtMs, order } = state
  const expiresAtMs = createdAtMs + order.timeoutMs
  return { id, sessionId, epoch, expiresAtMs, budget: budgetLeft(state) }
}

function budgetLeft({ order, steps, usage }: TaskContext): BudgetLeft {
  const { maxSteps, tokensMax, costMaxUsd } = order
  const tokens = tokensMax && Math.max(0, tokensMax - usage.inputTokens - usage.outputTokens)
  const costUsd = costMaxUsd && Math.max(0, costMaxUsd - (usage.costUsd ?? 0))
  return { steps: Math.max(0, maxSteps - steps), ...defined({ tokens, costUsd }) }
}

/** No screenshot is taken of a page that shows a secret. */
function takePicture(deps: DecideDeps, effect: TaskEffectContext, { showsSecret }: Observation) {
  const task = effect.state
  if (showsSecret || task.turn === null) return Promise.resolve(undefined)
  const browser = new TaskBrowser(deps, effect, task.turn)
  return deps.shots.take(task.id, task.steps + 1, browser, task.stored?.pictures)
}

const blind = 'No picture is shown of this page, for it shows a secret.'
const isBlind = ({ wantsPicture }: TaskContext, { showsSecret }: Observation) =>
  wantsPicture && showsSecret

/** True if the model is to see a screenshot of the page. */
function isShown({ order, wantsPicture }: TaskContext, { visual }: Observation): boolean {
  if (order.vision === 'never') return false
  return order.vision === 'always' || visual || wantsPicture
}

const toFaulted = (failure: StepFailure, usage?: ModelUsage): FaultedEvent => ({
  type: 'faulted',
  failure,
  ...(usage && { usage }),
})

const faultOf = ({ kind, notice }: AnswerFault): StepFailure => ({
  kind,
  message: {
    malformed:
      'The model does not answer in a way that can be used: it may not know how to call tools.',
    bad_result: `The result does not fit output_schema: ${notice}`,
    overloaded: `The result could not be validated against output_schema: ${notice}`,
  }[kind],
  notice,
})

const tooMuch: StepFailure = {
  kind: 'malformed',
  message: 'The model answers with more at once than a step can hold.',
  notice: 'Your last answer was too long, and nothing of it was done: do less at a time.',
}

/** Failures of the model are returned to the machine; other errors are retried. */
function toModelFault(error: unknown): FaultedEvent {
  if (!(error instanceof ModelFailure)) throw error
  const { kind, message, retryAfterMs, usage } = error
  const repairable = ['truncated', 'malformed', 'empty'].includes(kind)
  const notice = `Your last answer could not be used (${message}). Answer with tool calls, briefly.`
  const failure: StepFailure = {
    kind,
    message,
    ...(repairable && { notice }),
    ...defined({ retryAfterMs }),
  }
  return toFaulted(failure, usage)
}
