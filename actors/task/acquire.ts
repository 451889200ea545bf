/** How a task comes by its session's browser, and how it lets go of it. */
import type { Action } from '../../proto/commands/catalogue.ts'
import { isGone, isNotFound } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { sessionOptions, type SessionOptions } from '../../proto/session.ts'
import { sessionActor } from '../../proto/session-protocol.ts'
import { TaskBrowser } from './browser.ts'
import { ownsSession, type TaskContext, type TaskEffectContext } from './context.ts'
import type { SecretDeps, TaskEffectDeps } from './deps.ts'
import type { Entered, Prepared } from './events.ts'

/** A session of its own is made first; made again after a crash, it is the same one. */
export async function enter(
  { directory }: TaskEffectDeps,
  { state, signal }: TaskEffectContext,
): Promise<Entered> {
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
  // Nobody goes further for a task than it was allowed; elsewhere the order was held against the key.
  const network = allowsPrivateNetwork && { network: { ...asked.network, allowPrivate: true } }
  const options = { ...asked, ...network }
  if (sessionBody.session?.timeout?.max_duration !== undefined) return options
  const minutes = Math.ceil(timeoutMs / 60_000) + limits.taskSessionSpareMinutes
  return { ...options, maxDurationMinutes: Math.max(options.maxDurationMinutes, minutes) }
}

/** Its rules stand before the browser goes anywhere for it. */
export async function prepare(deps: SecretDeps, effect: TaskEffectContext): Promise<Prepared> {
  const task = effect.state
  const { url, opensUrl, allowedDomains, allowsPrivateNetwork } = task.order
  const browser = new TaskBrowser(deps, effect, task.turn!)
  await browser.restrict({ ...(allowedDomains && { allowedDomains }), allowsPrivateNetwork })
  const failure = url !== undefined && opensUrl ? await open(browser, url) : undefined
  const secrets = deps.secrets.of(task)
  // A session that was there may have come to it with a value in it.
  const firstUrl = secrets.mask(await browser.url())
  const notice = failure && secrets.mask(`The page ${url} did not open: ${failure}`)
  return { type: 'prepared', turn: browser.turn, firstUrl, ...(notice && { notice }) }
}

/** What went wrong. A page that does not open is the model's to deal with. */
async function open(browser: TaskBrowser, url: string): Promise<string | undefined> {
  const [reply] = await browser.run([{ command: 'navigate', input: { url } } as Action], 'safe')
  return reply!.ok ? undefined : reply!.error.message
}

/**
 * The session goes on to the next task in line, or ends with the one that it was made for. One
 * that has ended is left. Pages that may have seen secrets keep to the task's rules as long as they stay.
 */
export async function leave(deps: TaskEffectDeps, effect: TaskEffectContext): Promise<void> {
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
 * One that is not there yet may still be on its way, whoever asked for it: it is made here to be
 * ended, so that what arrives later finds it over.
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
