/**
 * A browser of our own pool for one audit. It can reach only the site, and private addresses only
 * if the operator has allowed that host.
 */
import { accessLimits } from '../../../../proto/access/limits.ts'
import type {
  CommandCall,
  CommandInput,
  CommandOutput,
} from '../../../../proto/commands/catalogue.ts'
import { fromWireError, isGone, ServiceError, type WireError } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import {
  sessionActor,
  type SessionInput,
  type SessionTurn,
} from '../../../../proto/session/session-protocol.ts'
import { sessionOptions } from '../../../../proto/session/session.ts'
import { isOfDomains } from '../../../../runtime/lib/network/domains.ts'
import { TaskBrowser } from '../../../task/effects/browser.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import { domainOfSite } from './addresses.ts'
import type { SeoState } from './state.ts'
import type { JobContext } from '../context.ts'

const viewports = {
  mobile: { width: 412, height: 823 },
  desktop: { width: 1440, height: 900 },
} as const

/** Extra life of a session, for a browser that is booted for the last page of a job. */
const spareMinutes = 5

interface Evaluated {
  readonly value?: unknown
  readonly error?: WireError
}

export type NetworkRequest = Omit<CommandOutput<'network'>['requests'][number], 'id'>

/** Undefined if all sessions have been lost. */
export function sessionInput(
  { id: jobId, tenant, createdAtMs }: Pick<JobContext, 'id' | 'tenant' | 'createdAtMs'>,
  { order, session }: SeoState,
  isPrivate = false,
): SessionInput | undefined {
  const id = order.sessionIds[session]
  if (id === undefined) return undefined
  const options = sessionOptions({
    browser: {
      headless: { active: true },
      viewport: viewports[order.strategy],
      evaluate: { active: true },
      pdf_viewer: { active: false },
    },
    session: {
      tags: ['seo-audit'],
      network: { allow_private: isPrivate },
      // Ended by the job; if the job is gone, by its maximum duration.
      timeout: { idle_timeout: -1, max_duration: accessLimits.jobMs / 60_000 + spareMinutes },
    },
  })
  return { id, tenant, keyId: jobId, keyName: 'seo-audit', createdAtMs, options }
}

export class AuditBrowser {
  readonly #browser: TaskBrowser

  constructor(deps: JobEffectDeps, effect: JobEffectContext, turn: SessionTurn) {
    this.#browser = new TaskBrowser(deps, effect, turn)
  }

  /** Creates the session, or finds the one that was created before a crash. */
  static async open(
    deps: JobEffectDeps,
    effect: JobEffectContext,
    work: SeoState,
  ): Promise<SessionTurn> {
    const { id: jobId, tenant } = effect.state
    const { order } = work
    const isPrivate = isOfDomains(new URL(order.siteUrl), deps.privateHosts)
    const input = sessionInput(effect.state, work, isPrivate)
    if (!input) throw new ServiceError('conflict', 'This job has used up its sessions.')
    const { id: sessionId } = input
    await deps.directory.create(sessionActor, sessionId, input, {
      timeoutMs: limits.requestHeldMs,
      untilSettled: true,
    })
    const message = { type: 'task.enter', task: jobId } as const
    const { turn } = await deps.directory.ask(sessionActor, sessionId, message, { tenant })
    if (!turn) throw new ServiceError('session_ended', 'The session has no browser.')
    const browser = new AuditBrowser(deps, effect, turn)
    const domain = domainOfSite(order.siteUrl)
    await browser.#browser.restrict({
      allowedDomains: [domain],
      allowsPrivateNetwork: isPrivate,
    })
    // The first call starts the recording of requests.
    await browser.network()
    return browser.turn
  }

  get turn(): SessionTurn {
    return this.#browser.turn
  }

  /** Returns the error, if any. Throws if the browser is lost. */
  async open(url: string): Promise<WireError | undefined> {
    return (await this.#one('navigate', { url })).error
  }

  /** Dismisses a dialog of the page first. */
  async evaluate(expression: string): Promise<Evaluated> {
    const first = await this.#evaluate(expression)
    if (first.error === undefined) return first
    if (first.error.type === 'dialog_open') {
      await this.#one('handle_dialog', { accept: false })
    }
    return this.#evaluate(expression)
  }

  /** The last requests, oldest first; empty if there are too many to return. */
  async network(): Promise<readonly NetworkRequest[]> {
    const { output } = await this.#one('network', { bodies: false })
    return output?.requests ?? []
  }

  async #evaluate(expression: string): Promise<Evaluated> {
    const { output, error } = await this.#one('evaluate', { expression })
    return error ? { error } : { value: output?.value }
  }

  async #one<N extends 'navigate' | 'evaluate' | 'handle_dialog' | 'network'>(
    command: N,
    input: CommandInput<N>,
  ): Promise<{ readonly output?: CommandOutput<N>; readonly error?: WireError }> {
    const [reply] = await this.#browser.run([{ command, input } as CommandCall], 'safe')
    if (reply!.ok) return { output: reply!.value as CommandOutput<N> }
    const error = fromWireError(reply!.error)
    if (isGone(error)) throw error
    return { error: reply!.error }
  }
}

/** True if the browser does not exist any more, or could not be obtained. */
export function isBrowserLost(error: unknown): boolean {
  if (isGone(error)) return true
  if (!(error instanceof ServiceError)) return false
  return error.retry === 'later' || error.type === 'browser_start_failed'
}
