/** How a task enters its session's browser, and how it leaves it. */
import type { CommandCall } from '../../../proto/commands/catalogue.ts'
import { isGone, isNotFound } from '../../../proto/errors.ts'
import { sessionOptions, type SessionOptions } from '../../../proto/session/session.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { TaskBrowser } from './browser.ts'
import { ownsSession, type TaskContext, type TaskEffectContext } from '../state/context.ts'
import type { SecretDeps, TaskEffectDeps } from './deps.ts'
import type { EnteredEvent, PreparedEvent } from '../state/events.ts'
import { taskRunLimits } from '../limits.ts'

/** Creates the task's own session first; a repeat after a crash creates the same one. */
export async function enterSession(
  { directory }: TaskEffectDeps,
  { state, signal }: TaskEffectContext,
): Promise<EnteredEvent> {
  const task = state
  if (ownsSession(task)) {
    await makeSession(directory, task)
    signal.throwIfAborted()
  }
  const { id, tenant } = task
  const message = { type: 'task.enter', task: id } as const
  const { turn } = await directory.ask(sessionActor, task.sessionId, message, { tenant })
  return { type: 'entered', ...(turn && { turn }) }
}

function makeSession(directory: TaskEffectDeps['directory'], task: TaskContext): Promise<unknown> {
  const { sessionId: id, tenant, keyId, keyName, createdAtMs } = task
  const input = { id, tenant, keyId, keyName, createdAtMs, options: optionsFor(task) }
  return directory.create(sessionActor, id, input)
}

/** Unless the order says otherwise, the session lasts as long as the task may. */
function optionsFor({
  order: { sessionBody = {}, timeoutMs, allowsPrivateNetwork },
}: TaskContext): SessionOptions {
  const asked = sessionOptions(sessionBody)
  // The task's own session may reach private networks if the task may; for an existing session, the
  // order was checked against the key.
  const network = allowsPrivateNetwork && { network: { ...asked.network, allowPrivate: true } }
  const options = { ...asked, ...network }
  if (sessionBody.session?.timeout?.max_duration !== undefined) return options
  const minutes = Math.ceil(timeoutMs / 60_000) + taskRunLimits.taskSessionSpareMinutes
  return { ...options, maxDurationMinutes: Math.max(options.maxDurationMinutes, minutes) }
}

/** Applies the task's network rules before the browser navigates for it. */
export async function prepareBrowser(
  deps: SecretDeps,
  effect: TaskEffectContext,
): Promise<PreparedEvent> {
  const task = effect.state
  const { url, opensUrl, allowedDomains, allowsPrivateNetwork } = task.order
  const browser = new TaskBrowser(deps, effect, task.turn!)
  await browser.restrict({ ...(allowedDomains && { allowedDomains }), allowsPrivateNetwork })
  const failure = url !== undefined && opensUrl ? await openStartUrl(browser, url) : undefined
  const secrets = deps.secrets.of(task)
  // An existing session's URL may contain a secret.
  const firstUrl = secrets.mask(await browser.url())
  const notice = failure && secrets.mask(`The page ${url} did not open: ${failure}`)
  return { type: 'prepared', turn: browser.turn, firstUrl, ...(notice && { notice }) }
}

/** Returns the error. The model has to handle a page that does not open. */
async function openStartUrl(browser: TaskBrowser, url: string): Promise<string | undefined> {
  const [reply] = await browser.run(
    [{ command: 'navigate', input: { url } } as CommandCall],
    'safe',
  )
  return reply!.ok ? undefined : reply!.error.message
}

/**
 * Passes the session to the next task, or ends the session that was created for this one. An ended
 * session is skipped. Pages that may have seen secrets stay under the task's network rules until
 * they close.
 */
export async function leaveSession(deps: TaskEffectDeps, effect: TaskEffectContext): Promise<void> {
  const { id, tenant, sessionId, order, isSessionGone, turn } = effect.state
  if (isSessionGone) return
  const isKept = order.sessionId !== undefined || order.keepsSession
  try {
    if (!isKept) return await endSession(deps, effect)
    const sawSecrets = order.sealedSecrets !== undefined
    if (turn !== null) await new TaskBrowser(deps, effect, turn).lift(sawSecrets)
    await deps.directory.ask(sessionActor, sessionId, { type: 'task.leave', task: id }, { tenant })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/**
 * If the session does not exist yet, its creation may be on its way: it is created here and ended,
 * so that a late creation finds it ended.
 */
async function endSession(
  { directory }: TaskEffectDeps,
  { state }: TaskEffectContext,
): Promise<void> {
  const task = state
  const { sessionId, tenant, turn } = task
  const end = () => {
    const message = { type: 'end', reason: 'task_over' } as const
    return directory.ask(sessionActor, sessionId, message, { tenant })
  }
  try {
    await end()
  } catch (error) {
    if (!isNotFound(error) || turn !== null) throw error
    await makeSession(directory, task)
    await end()
  }
}
