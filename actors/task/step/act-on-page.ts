/** Runs one act on the page and returns its outcome. */
import type { CommandCall } from '../../../proto/commands/catalogue.ts'
import { outputText } from '../../../proto/commands/output-text.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { ServiceError, type WireError } from '../../../proto/errors.ts'
import type { StepAction } from '../../../proto/task/task.ts'
import { TaskBrowser, UnansweredError } from '../effects/browser.ts'
import {
  nextAct,
  type PictureGeometry,
  type TaskContext,
  type TaskEffectContext,
} from '../state/context.ts'
import type { SecretDeps } from '../effects/deps.ts'
import type { ActedEvent } from '../state/events.ts'
import { commandCallOf, secretHosts } from '../safety/acts.ts'
import type { SecretMasks } from '../../../runtime/lib/secrets/secret-masks.ts'
import { toActionRecord, type Act } from '../prompting/decision.ts'
import { ticketsFor } from '../../../runtime/site-logins/fill-tickets.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

type ActOutcome = Pick<StepAction, 'outcome' | 'text'> & { readonly movedPage: boolean }

interface ActTools {
  readonly browser: TaskBrowser
  readonly secrets: SecretMasks
  readonly tickets: (actions: readonly CommandCall[]) => ReturnType<typeof ticketsFor>
}

export async function actOnPage(deps: SecretDeps, effect: TaskEffectContext): Promise<ActedEvent> {
  const task = effect.state
  const next = nextAct(task)!
  const { actorId, epoch, signal } = effect
  const actor = { actorId, epoch, signal, step: task.step!.n }
  const browser = new TaskBrowser(deps, actor, task.turn!)
  const secrets = deps.secrets.of(task)
  const begunMs = deps.clock.monotonic()
  const tickets = (actions: readonly CommandCall[]) =>
    ticketsFor(deps.fillTickets, actions, {
      ...{ tenant: task.tenant, sessionId: task.sessionId },
      logins: (task.order.logins ?? []).map(({ name }) => name),
    })
  const { movedPage, outcome, text } = await runAct(task, next, { browser, secrets, tickets })
  const ms = Math.round(deps.clock.monotonic() - begunMs)
  const masked = secrets.mask(text ?? '').slice(0, commandLimits.taskReadChars)
  const action = { ...toActionRecord(next), outcome, ...(masked && { text: masked }), ms }
  return { type: 'acted', action, movedPage, turn: browser.turn }
}

async function runAct(
  task: TaskContext,
  next: Act,
  { browser, secrets, tickets }: ActTools,
): Promise<ActOutcome> {
  if (next.command === 'screenshot') {
    return { outcome: 'done', text: 'A picture comes with the next page.', movedPage: false }
  }
  try {
    const hosts = secretHosts(task.order, task.firstUrl ?? undefined)
    const action = toScreenPlaces(commandCallOf(next, secrets, hosts), task.lens)
    const [reply] = await browser.run([action], next.repeat, tickets([action]))
    return reply!.ok ? toOutcome(reply!, task) : toRefusedOutcome(reply!.error)
  } catch (error) {
    if (error instanceof UnansweredError) {
      return { outcome: 'unknown', text: error.message, movedPage: true }
    }
    if (!(error instanceof ServiceError)) throw error
    return toRefusedOutcome({ type: error.type, message: error.message, details: error.details })
  }
}

function toOutcome({ value }: Extract<Reply, { ok: true }>, { page }: TaskContext): ActOutcome {
  const output = value as Readonly<Record<string, unknown>>
  const isElsewhere = 'url' in output && output['url'] !== page?.url
  const isAnother = output['opened'] !== undefined || output['dialog'] !== undefined
  return { outcome: 'done', text: outputText(output), movedPage: isElsewhere || isAnother }
}

/** Distinguishes a refusal by the task's rules from an act that failed on the page. */
function toRefusedOutcome({ type, message, details }: WireError): ActOutcome {
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
function toScreenPlaces(action: CommandCall, geometry: PictureGeometry | null): CommandCall {
  if (!action.command.match(/^(mouse_|drag_and_drop$)/)) return action
  if (geometry === null) {
    const message = 'Positions refer to a screenshot, and there is none of this page; use refs.'
    throw new ServiceError('forbidden', message)
  }
  const given = action.input as Readonly<Record<string, unknown>>
  const moved = places
    .filter(([field]) => typeof given[field] === 'number')
    .map(
      ([field, edge]) => [field, geometry[edge] + Number(given[field]) / geometry.scale] as const,
    )
  return { ...action, input: { ...given, ...Object.fromEntries(moved) } } as CommandCall
}
