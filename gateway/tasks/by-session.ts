/**
 * An index of tasks by session, kept up to date with their views: lists, live views and routes read
 * it often.
 */
import type { TaskView } from '../../proto/task/task.ts'
import { facet } from '../../runtime/actor/archive/archived-kind.ts'
import { GroupedMap } from '../../runtime/lib/grouped-map.ts'
import type { TaskViews } from './task-views.ts'

export class TasksBySession {
  readonly #bySession = new GroupedMap<TaskView>()
  readonly #taskViews: Pick<TaskViews, 'archivedWith'>
  /** By task id, because the event for a deleted view does not contain the session. */
  readonly #sessionOf = new Map<string, string>()

  /** Must be constructed before other listeners of view changes that read this index. */
  constructor(taskViews: Pick<TaskViews, 'all' | 'onChange' | 'archivedWith'>) {
    this.#taskViews = taskViews
    for (const view of taskViews.all()) this.#seen(view, view.id)
    taskViews.onChange((view, id) => this.#seen(view, id))
  }

  /** Includes finished tasks; oldest first, since ids sort by creation. */
  of(sessionId: string): readonly TaskView[] {
    const held = this.#bySession.of(sessionId)
    const archived = this.#taskViews.archivedWith(facet('session', sessionId))
    if (archived.length === 0) return held
    const byId = new Map([...archived, ...held].map((view) => [view.id, view]))
    return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #seen(view: TaskView | undefined, id: string): void {
    const sessionId = view ? view.sessionId : this.#sessionOf.get(id)
    if (sessionId === undefined) return
    if (view) {
      this.#sessionOf.set(id, sessionId)
      this.#bySession.set(sessionId, view)
    } else {
      this.#sessionOf.delete(id)
      this.#bySession.delete(sessionId, id)
    }
  }
}
