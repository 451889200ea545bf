/** The audit of a page or a site: one page per step, in a browser of our own pool. */
import { failureText } from '../../../../runtime/lib/text/failure-text.ts'
import { isGone, isNotFound } from '../../../../proto/errors.ts'
import type { SeoAuditOrder } from '../../../../proto/access/jobs/job.ts'
import { sessionActor } from '../../../../proto/session/session-protocol.ts'
import { sleep } from '../../../../runtime/lib/clock.ts'
import { version } from '../../../../runtime/lib/package.ts'
import type { JobEffectContext, JobEffectDeps } from '../deps.ts'
import { AuditBrowser, isBrowserLost, sessionInput } from '../seo/browser.ts'
import { checkLinks } from '../seo/check-links.ts'
import { foldAudit, isAudited, pagesFound } from '../seo/fold.ts'
import { readOrigin } from '../seo/origin.ts'
import { findingsOf, metricsOf, scoresOf, summaryOf } from '../seo/report.ts'
import { delayMs, isAllowed } from '../seo/robots.ts'
import { beginAudit, type SeoState, type SeoStep } from '../seo/state.ts'
import { visitPage } from '../seo/visit.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { JobKind, JobResult } from './kind.ts'
import type { JobEnd } from '../work.ts'

export const seoAuditJob: JobKind<SeoAuditOrder, SeoState, SeoStep> = {
  tool: { name: 'troupe-seo-audit', version },
  requestFields: ({ siteUrl, strategy, pagesMost }) => ({
    site_url: siteUrl,
    strategy,
    pages_most: pagesMost,
  }),
  begin: beginAudit,
  step: nextStep,
  isStep: (step) => step.area === 'seo-audits',
  fold: foldAudit,
  isDone: isAudited,
  progress: (work) => ({
    pages_crawled: work.pages.length,
    pages_found: pagesFound(work),
    progress: Math.min(0.99, work.pages.length / Math.max(1, pagesFound(work))),
  }),
  result: resultOf,
  release,
  usedResources: ({ order, session }) => ({ session_ids: order.sessionIds.slice(0, session + 1) }),
}

async function nextStep(
  deps: JobEffectDeps,
  effect: JobEffectContext,
  work: SeoState,
): Promise<SeoStep> {
  try {
    if (work.turn === null) {
      const turn = await AuditBrowser.open(deps, effect, work)
      return { area: 'seo-audits', kind: 'opened', turn }
    }
    return await stepIn(new AuditBrowser(deps, effect, work.turn), deps, effect, work)
  } catch (error) {
    if (effect.signal.aborted || !isBrowserLost(error)) throw error
    const why = failureText(error)
    return { area: 'seo-audits', kind: 'session_lost', why }
  }
}

async function stepIn(
  browser: AuditBrowser,
  deps: JobEffectDeps,
  effect: JobEffectContext,
  work: SeoState,
): Promise<SeoStep> {
  const [url] = work.queue
  if (url === undefined) return checkLinks(browser, work)
  const { origin } = new URL(url)
  const skipped = (why: string) => ({ area: 'seo-audits', kind: 'skipped', url, why }) as const
  const site = work.origins.find((one) => one.origin === origin)
  if (!site) {
    if (work.origins.length < limits.seoOrigins) return readOrigin(browser, work, origin)
    return skipped(`This site has too many origins; ${origin} was not visited.`)
  }
  if (!isAllowed(origin, site.robots, url)) return skipped(`robots.txt forbids ${url}.`)
  await sleep(deps.clock, delayMs(origin, site.robots), effect.signal)
  return visitPage(browser, work, url)
}

function resultOf(work: SeoState, ended: JobEnd): JobResult {
  const hasPages = work.pages.some(({ kind }) => kind !== 'failed')
  const message = ended.end === 'failed' ? ended.message : work.failure
  const findings = work.pages.length > 0 ? findingsOf(work) : []
  const fields = {
    pages_crawled: work.pages.length,
    pages_found: pagesFound(work),
    findings,
    summary: summaryOf(findings),
    scores: scoresOf(work, findings),
    metrics: metricsOf(work),
    ...(work.warnings.length > 0 && { warnings: work.warnings }),
  }
  if (ended.end === 'cancelled') return { status: 'cancelled', fields }
  if (message === null) return { status: 'completed', fields: { ...fields, progress: 1 } }
  return { status: hasPages ? 'partial' : 'failed', error: message, fields }
}

/**
 * Only the last session can still exist. If it does not exist yet, its creation may be on its way:
 * it is created here and ended, so that a late creation finds it ended.
 */
async function release(
  { directory }: JobEffectDeps,
  { state: job }: JobEffectContext,
  work: SeoState,
): Promise<void> {
  const { tenant } = job
  const input = sessionInput(job, work)
  if (!input) return
  const end = () =>
    directory.ask(sessionActor, input.id, { type: 'end', reason: 'task_over' }, { tenant })
  try {
    await end()
  } catch (error) {
    if (!isGone(error)) throw error
    if (!isNotFound(error) || work.turn !== null) return
    await directory.create(sessionActor, input.id, input)
    await end()
  }
}
