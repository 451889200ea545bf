/** What a gateway knows of sessions and tasks: from memory what runs, and the rest from the archive. */
import type { ActorView } from '../proto/actor.ts'
import type { SessionView } from '../proto/session/session.ts'
import { taskStatusOf, type TaskView } from '../proto/task/task.ts'
import { facet, type ArchivedKind } from '../runtime/actor/archive/archived-kind.ts'
import { KindHistory } from '../runtime/actor/archive/kind-history.ts'
import { openHistory, type OpenHistoryDeps } from '../runtime/actor/archive/open.ts'
import { KeptViews } from '../runtime/actor/kept-views.ts'
import { ViewIndex, type ViewRecord } from '../runtime/actor/views.ts'
import { useOfSession, useOfTask } from '../runtime/usage/figures.ts'
import type { WatchedMap } from '../runtime/store/watched-map.ts'

const kinds: Readonly<Record<string, ArchivedKind>> = {
  session: {
    statusOf: ({ status }: SessionView) => status,
    createdMsOf: ({ createdAtMs }: SessionView) => createdAtMs,
    facetsOf: ({ status, tags }: SessionView) => [
      facet('status', status),
      ...tags.map((tag) => facet('tag', tag)),
    ],
    useOf: (view: SessionView) => useOfSession(view),
  },
  task: {
    statusOf: ({ state }: TaskView) => state,
    createdMsOf: ({ createdAtMs }: TaskView) => createdAtMs,
    facetsOf: ({ state, sessionId }: TaskView) => [
      facet('status', state),
      facet('status', taskStatusOf(state)),
      ...(sessionId === undefined ? [] : [facet('session', sessionId)]),
    ],
    useOf: useOfTask,
  },
}

export async function openKeptViews(
  deps: Omit<OpenHistoryDeps, 'kinds'>,
  held: WatchedMap<ViewRecord>,
) {
  const { history, feed, close } = await openHistory({ ...deps, kinds })
  const kept = <V extends ActorView>(kind: string) =>
    new KeptViews<V>(new ViewIndex<V>(held, kind), new KindHistory<V>(history, kind))
  return {
    views: kept<SessionView>('session'),
    taskViews: kept<TaskView>('task'),
    archive: {
      get isComplete() {
        return feed.isComplete
      },
      archivedBytes: (tenant: string, sinceMs: number) => history.sums.roomOf(tenant, sinceMs),
    },
    close,
  }
}
