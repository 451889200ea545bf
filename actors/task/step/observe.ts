/** Reads the page for the model: as text, masked. */
import { createHash } from 'node:crypto'
import type { CommandOutput } from '../../../proto/commands/catalogue.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { fromWireError } from '../../../proto/errors.ts'
import { TaskBrowser } from '../effects/browser.ts'
import type { ObservedPage, TaskEffectContext } from '../state/context.ts'
import type { SecretDeps } from '../effects/deps.ts'
import type { SecretMasks } from '../../../runtime/lib/secrets/secret-masks.ts'
import type { Observation } from '../prompting/decision.ts'
import { taskRunLimits } from '../limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export interface PageReading {
  readonly observation: Observation
  readonly browser: TaskBrowser
}

export async function observePage(
  deps: SecretDeps,
  effect: TaskEffectContext,
): Promise<PageReading> {
  const task = effect.state
  const browser = new TaskBrowser(deps, effect, task.turn!)
  const started = deps.clock.monotonic()
  const maxTokens = Math.round(commandLimits.snapshotTokens / 2 ** task.squeezed)
  const replies = await browser.run(
    [
      { command: 'tab_list', input: {} },
      { command: 'snapshot', input: { urls: false, boxes: false, max_tokens: maxTokens } },
    ],
    'safe',
  )
  const observation = toObservation(replies, deps.secrets.of(task), () => {
    return Math.round(deps.clock.monotonic() - started)
  })
  return { observation, browser }
}

export function observedPageOf({ url, title, fingerprint, visual, ms }: Observation): ObservedPage {
  return { url, title, fingerprint, visual, ms }
}

function toObservation(
  replies: readonly Reply[],
  secrets: SecretMasks,
  msSince: () => number,
): Observation {
  const [listed, read] = replies
  const { tabs } = valueOf<CommandOutput<'tab_list'>>(listed) ?? { tabs: [] }
  const selected = tabs.find((tab) => tab.selected)
  const { url = '', title = '' } = selected ?? {}
  const failure = [listed, read].find((reply) => reply?.ok === false)
  const page = valueOf<CommandOutput<'snapshot'>>(read) ?? {
    url,
    title,
    text: failure?.ok === false ? failure.error.message : '',
    more: 0,
  }
  const showsSecret = [page.text, page.title, page.url].some((text) => secrets.isIn(text))
  const masked = secrets.maskAll({ ...page, tabs })
  return {
    ...masked,
    visual: isVisual(page),
    showsSecret,
    fingerprint: fingerprintOf(`${page.url}\n${page.text}`),
    ms: msSince(),
  }
}

/** Throws if the session is gone; other errors become part of what the model reads. */
function valueOf<T>(reply: Reply | undefined): T | undefined {
  if (reply?.ok === false && reply.error.type === 'session_ended') throw fromWireError(reply.error)
  return reply?.ok ? (reply.value as T) : undefined
}

/** True if most of the viewport is canvas, or some of it with hardly any text. */
function isVisual({ drawn = 0, text }: Pick<CommandOutput<'snapshot'>, 'drawn' | 'text'>): boolean {
  return (
    drawn > 0 &&
    (drawn >= taskRunLimits.visualPercent || text.length < taskRunLimits.visualPageChars)
  )
}

const fingerprintOf = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
