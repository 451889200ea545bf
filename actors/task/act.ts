/** Runs one act on the page and returns its outcome. */
import type { Action } from '../../proto/commands/catalogue.ts'
import { textOf } from '../../proto/commands/output-text.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError, type WireError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { StepAction } from '../../proto/task.ts'
import { TaskBrowser, Unanswered } from './browser.ts'
import { nextAct, type Lens, type TaskContext, type TaskEffectContext } from './context.ts'
import type { SecretDeps } from './deps.ts'
import type { Acted } from './events.ts'
import { actionOf, secretHosts } from './safety/acts.ts'
import type { Secrets } from './safety/secrets.ts'
import { told } from './step.ts'
import type { Act } from './thought.ts'

type Came = Pick<StepAction, 'outcome' | 'text'> & { readonly movedPage: boolean }

export async function act(deps: SecretDeps, effect: TaskEffectContext): Promise<Acted> {
  const task = effect.state
  const next = nextAct(task)!
  const browser = new TaskBrowser(deps, effect, task.turn!)
  const secrets = deps.secrets.of(task)
  const begunMs = deps.clock.monotonic()
  const { movedPage, outcome, text } = await come(task, next, browser, secrets)
  const ms = Math.round(deps.clock.monotonic() - begunMs)
  const masked = secrets.mask(text ?? '').slice(0, limits.taskReadChars)
  const action = { ...told(next), outcome, ...(masked && { text: masked }), ms }
  return { type: 'acted', action, movedPage, turn: browser.turn }
}

async function come(
  task: TaskContext,
  next: Act,
  browser: TaskBrowser,
  secrets: Secrets,
): Promise<Came> {
  if (next.command === 'screenshot') {
    return { outcome: 'done', text: 'A picture comes with the next page.', movedPage: false }
  }
  try {
    const hosts = secretHosts(task.order, task.firstUrl ?? undefined)
    const action = placed(actionOf(next, secrets, hosts), task.lens)
    const [reply] = await browser.run([action], next.repeat)
    return reply!.ok ? done(reply!, task) : refused(reply!.error)
  } catch (error) {
    if (error instanceof Unanswered) {
      return { outcome: 'unknown', text: error.message, movedPage: true }
    }
    if (!(error instanceof ServiceError)) throw error
    return refused({ type: error.type, message: error.message, details: error.details })
  }
}

function done({ value }: Extract<Reply, { ok: true }>, { page }: TaskContext): Came {
  const output = value as Readonly<Record<string, unknown>>
  const isElsewhere = 'url' in output && output['url'] !== page?.url
  const isAnother = output['opened'] !== undefined || output['dialog'] !== undefined
  return { outcome: 'done', text: textOf(output), movedPage: isElsewhere || isAnother }
}

/** Distinguishes a refusal by the task's rules from an act that failed on the page. */
function refused({ type, message, details }: WireError): Came {
  const nearest = details?.['nearest']
  const text = nearest === undefined ? message : `${message} Nearest: ${String(nearest)}`
  const isForbidden = ['forbidden', 'origin_not_allowed', 'bad_request'].includes(type)
  return { outcome: isForbidden ? 'refused' : 'failed', text, movedPage: true }
}

const places: readonly (readonly [string, 'left' | 'top'])[] = [
  ['x', 'left'],
  ['y', 'top'],
  ['startX', 'left'],
  ['startY', 'top'],
  ['endX', 'left'],
  ['endY', 'top'],
]

/**
 * Converts positions in the model's screenshot into screen positions. Without a screenshot they are
 * refused, because they would hit the browser's own buttons.
 */
function placed(action: Action, lens: Lens | null): Action {
  if (!action.command.match(/^(mouse_|drag_and_drop$)/)) return action
  if (lens === null) {
    const message = 'Places are those of a picture, and there is none of this page; use refs.'
    throw new ServiceError('forbidden', message)
  }
  const given = action.input as Readonly<Record<string, unknown>>
  const moved = places
    .filter(([field]) => typeof given[field] === 'number')
    .map(([field, edge]) => [field, lens[edge] + Number(given[field]) / lens.scale] as const)
  return { ...action, input: { ...given, ...Object.fromEntries(moved) } } as Action
}
