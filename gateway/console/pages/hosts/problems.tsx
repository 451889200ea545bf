/**
 * Recent problems: sessions that failed, what cannot be loaded, and processes that ended without
 * shutting down.
 */
import { isLiveHost, type HostRecord } from '../../../../proto/host.ts'
import type { FailedActor } from '../../../../proto/host-counts.ts'
import type { SessionView } from '../../../../proto/session/session.ts'
import { EmptyState, PageSection, TimeText } from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { Markup } from '../../../html/markup.ts'
import { visibleViews } from '../../lists/list-query.ts'
import { consoleLimits } from '../../limits.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { sessionReason } from '../sessions/session-words.ts'
import { roleWords } from './host-words.ts'

interface RecentProblem {
  readonly atMs: number
  readonly host: string
  readonly what: Markup
  readonly why: string
}

/** Newest first. */
export function problemsOf(visit: ConsoleVisit): readonly RecentProblem[] {
  const sinceMs = visit.now - consoleLimits.problemsSinceMs
  const newest = <T,>(all: readonly T[], atMsOf: (one: T) => number) =>
    all
      .filter((one) => atMsOf(one) >= sinceMs)
      .toSorted((a, b) => atMsOf(b) - atMsOf(a))
      .slice(0, consoleLimits.problemRows)
  const failed = newest(
    visibleViews(visit.deps.views, undefined).views.filter(isFailed),
    endOfSession,
  )
  const hosts = visit.deps.membership.hosts()
  const lost = newest(hosts.filter(isLost), lastSignOf)
  const found = [...failed.map((view) => ofSession(visit, view)), ...lost.map(ofProcess)]
  // Of any age: they stay until something is done.
  const stuck = hosts.filter(isLiveHost).flatMap(stuckIn)
  return [...stuck, ...newest(found, ({ atMs }) => atMs)]
}

const endOfSession = ({ endedAtMs, createdAtMs }: SessionView) => endedAtMs ?? createdAtMs

const lastSignOf = ({ wallMs = 0 }: HostRecord) => wallMs

const isFailed = ({ status }: SessionView) => status === 'failed' || status === 'lost'

/** A process that shuts down declares itself dead; a lost one is declared dead by another. */
const isLost = ({ state, by, incarnation }: HostRecord) => state === 'dead' && by !== incarnation

const ofSession = (visit: ConsoleVisit, view: SessionView): RecentProblem => ({
  atMs: endOfSession(view),
  host: view.nodeId ?? '–',
  what: <a href={visit.at(`/sessions/${view.id}`)}>Session of {view.tenant}</a>,
  why: [sessionReason(view), view.message].filter(Boolean).join('. '),
})

const ofProcess = (record: HostRecord): RecentProblem => ({
  atMs: lastSignOf(record),
  host: record.nodeId,
  what: roleWords[record.role],
  why: 'The process ended unexpectedly or lost contact. This was its last sign of life.',
})

const stuckIn = ({ nodeId, actors }: HostRecord): readonly RecentProblem[] =>
  (actors?.failures ?? []).map((one) => ofStuck(nodeId, one))

const ofStuck = (host: string, { kind, id, sinceMs, reason }: FailedActor): RecentProblem => ({
  atMs: sinceMs,
  host,
  what: (
    <>
      The {kind} <bdi>{id}</bdi> cannot be loaded
    </>
  ),
  why: reason,
})

export const RecentProblems = ({ problems }: { problems: readonly RecentProblem[] }) => (
  <div id="recent-problems">
    <PageSection title="Recent problems">
      {problems.length === 0 ? (
        <EmptyState title="No problems in the last 24 hours">
          <p>Failed sessions and lost processes appear here, with the reason.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption={`Last 24 hours, newest first, at most ${consoleLimits.problemRows}`}
          rows={problems}
          columns={[
            { label: 'Problem', isHead: true, cell: ({ what }) => what },
            { label: 'When', cell: ({ atMs }) => <TimeText ms={atMs} zone="UTC" /> },
            { label: 'Host', cell: ({ host }) => <bdi>{host}</bdi> },
            { label: 'Reason', cell: ({ why }) => <span class="breaks">{why}</span> },
          ]}
        />
      )}
    </PageSection>
  </div>
)
