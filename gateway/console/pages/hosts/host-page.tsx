/** The page of hosts, and the event stream that keeps it current. */
import { ErrorSummary } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import { toHtml, type Markup } from '../../../html/markup.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { processesIn } from '../../../service/admin/processes.ts'
import { LiveMark } from '../../html/live-mark.tsx'
import { feedRegions, regionRows, type LiveRegion, type LiveRegions } from '../../live/regions.ts'
import type { ConsoleFile, ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { BrowserHosts, browserHostColumns, browserHostsIn, hostRowId } from './browser-hosts.tsx'
import { HostSummary } from './host-summary.tsx'
import { problemsOf, RecentProblems } from './problems.tsx'
import { Processes, processColumns, processRowId } from './processes.tsx'
import { StoreRegion } from './store.tsx'

async function partsOf(visit: ConsoleVisit) {
  const processes = processesIn(visit.deps.membership.hosts())
  const hosts = browserHostsIn(processes)
  const problems = problemsOf(visit)
  const store = await visit.deps.storeReadings.read()
  return { visit, processes, hosts, problems, store }
}

export async function showHosts(visit: ConsoleVisit, problem?: FormProblem): Promise<PageContent> {
  const parts = await partsOf(visit)
  return {
    title: 'Hosts',
    body: (
      <>
        <ErrorSummary problem={problem} />
        <LiveMark visit={visit} feed={visit.at('/hosts/feed')} />
        <HostSummary {...parts} />
        <BrowserHosts {...parts} />
        <RecentProblems {...parts} />
        <Processes {...parts} />
        <StoreRegion {...parts} />
      </>
    ),
  }
}

/** Processes renew their records every few seconds, so other changes are shown then too. */
export const feedHosts = (visit: ConsoleVisit): ConsoleFile =>
  feedRegions(visit, {
    render: regionsOf,
    watch: (changed) => visit.deps.membership.onChange(changed),
  })

async function regionsOf(visit: ConsoleVisit): Promise<LiveRegions> {
  const parts = await partsOf(visit)
  const region = (html: Markup): LiveRegion => ({ html: toHtml(html) })
  return {
    'host-summary': region(HostSummary(parts)),
    'browser-hosts': {
      ...region(BrowserHosts(parts)),
      rows: regionRows(parts.hosts, browserHostColumns(visit), hostRowId),
    },
    'recent-problems': region(RecentProblems(parts)),
    processes: {
      ...region(Processes(parts)),
      rows: regionRows(parts.processes, processColumns(visit), processRowId),
    },
    store: region(StoreRegion(parts)),
  }
}

const notices = { drain: 'host-draining', undrain: 'host-undrained' } as const

/** What the button of a host does: `drain`, or `undrain`. */
export const submitHost =
  (verb: keyof typeof notices) =>
  async (visit: ConsoleVisit): Promise<ConsoleRedirect> => {
    const params = { host: visit.param('host') }
    await visit.do(`POST /v1/admin/hosts/{host}/${verb}`, { params })
    return { to: visit.at('/hosts'), notice: notices[verb] }
  }
