/**
 * Loop detection: the model is warned first, and the task ends if that does not help. Only the same
 * action on the same page counts: paging through a list is one button on many pages, and not a
 * loop. Waiting may take long, and reading is useful the first time. Pure.
 */
import { defined } from '../../../../proto/defined.ts'
import { createHash } from 'node:crypto'
import type { StepAction, TaskEnd } from '../../../../proto/task/task.ts'
import type { Observation, ProgressTrail } from '../decision.ts'
import { isReading } from '../history.ts'
import { taskRunLimits } from '../../limits.ts'

export const emptyTrail: ProgressTrail = { acts: [], page: '', unchanged: 0, idle: 0 }

/** A finished step, with the page that it was decided on. */
export interface ClosedStep {
  readonly page: Pick<Observation, 'fingerprint' | 'visual'>
  /** Including refused and dropped actions, which were not done and do not count. */
  readonly actions: readonly StepAction[]
  /** True if it stored facts, which counts as progress. */
  readonly remembered: boolean
}

export interface LoopVerdict {
  readonly trail: ProgressTrail
  /** A warning for the model, beside the next page. */
  readonly nudge?: string
  /** The task has to end. */
  readonly end?: {
    readonly end: Extract<TaskEnd, 'loop' | 'no_progress'>
    readonly error: string
  }
}

export function detectLoop(
  before: ProgressTrail,
  { page, actions, remembered }: ClosedStep,
): LoopVerdict {
  const done = actions.filter(({ outcome }) => outcome !== 'refused' && outcome !== 'dropped')
  const acts = done
    .filter(({ tool }) => tool !== 'wait_for')
    .map((action) => ({ ...action, hash: hashOf(action, page.fingerprint) }))
  const hashes = acts.map(({ hash }) => hash)
  const onlyWaited = done.length > 0 && acts.length === 0
  const learned = acts.some(({ tool, hash }) => isReading(tool) && !before.acts.includes(hash))
  const isSame = page.fingerprint === before.page
  const trail: ProgressTrail = {
    acts: [...before.acts, ...hashes].slice(-taskRunLimits.trailActs),
    page: page.fingerprint,
    unchanged: isSame ? before.unchanged + (onlyWaited || learned ? 0 : 1) : 0,
    idle: done.length > 0 || remembered ? 0 : before.idle + 1,
  }
  const repeats = hashes.map((hash) => ({
    was: before.acts.filter((act) => act === hash).length,
    is: trail.acts.filter((act) => act === hash).length,
  }))
  // A canvas changes without a change of the page's text: there only the budgets end a loop.
  const end = endOf(trail, page.visual)
  if (end !== undefined) return { trail, end }
  const nudge = nudgeOf(trail, repeats, page.visual)
  return { trail, ...defined({ nudge }) }
}

/** Ignores the model's text beside the action, letter case and spaces. */
function hashOf({ tool, input, element }: StepAction, page: string): string {
  const { target, ...others } = input
  const aim = element ?? target
  const sorted = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify([tool, aim, sorted]).toLowerCase().replace(/\s+/g, ' ')
  return createHash('sha256').update(`${page}\n${text}`).digest('base64url').slice(0, 10)
}

function endOf(trail: ProgressTrail, visual: boolean): LoopVerdict['end'] {
  const { acts, unchanged, idle } = trail
  if (idle >= taskRunLimits.idleStepsMax) {
    const error = `In ${idle} steps in a row, none of the model's actions could be done.`
    return { end: 'no_progress', error }
  }
  if (visual) return undefined
  const most = Math.max(0, ...acts.map((act) => acts.filter((other) => other === act).length))
  const isCycle =
    acts.length >= taskRunLimits.trailActs && new Set(acts).size <= taskRunLimits.cycleActs
  if (most >= taskRunLimits.loopActs || isCycle) {
    const error =
      `The model repeated itself: its last ${acts.length} actions were ` +
      `${new Set(acts).size} different ones, on pages that it had seen.`
    return { end: 'loop', error }
  }
  if (unchanged >= taskRunLimits.unchangedStepsMax) {
    const error = `The page has not changed for ${unchanged} steps, whatever the model did.`
    return { end: 'no_progress', error }
  }
  return undefined
}

const warningCounts = [5, 8, 12]

function nudgeOf(
  { unchanged, idle }: ProgressTrail,
  repeats: readonly { readonly was: number; readonly is: number }[],
  visual: boolean,
): string | undefined {
  const repeated = repeats.find(({ was, is }) =>
    warningCounts.some((bound) => was < bound && is >= bound),
  )
  if (repeated !== undefined) {
    return (
      `You have done the same thing on the same page ${repeated.is} times. It does not help: try ` +
      'another element, another way or another page, or end with done and success: false.'
    )
  }
  if (!visual && unchanged > 0 && unchanged % taskRunLimits.unchangedSteps === 0) {
    return (
      `For ${unchanged} steps nothing you did has changed the page. Look at it once more, take ` +
      'another way, or end with done and success: false if there is none.'
    )
  }
  if (idle >= taskRunLimits.idleSteps) {
    return `In the last ${idle} steps nothing was done: your calls could not be used. Read why above.`
  }
  return undefined
}
