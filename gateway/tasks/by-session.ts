/** The tasks of each session, level with their views: lists, live views and routes ask all the time. */
import type { TaskView } from '../../proto/task.ts'
import { Grouped } from '../../runtime/grouped.ts'
import type { TaskViews } from './tasks.ts'

export class TasksBySession {
  readonly #bySession = new Grouped<TaskView>()
  /** By task: a view that has gone does not say where it was. */
  readonly #sessionOf = new Map<string, string>()

  /** To be made before whoever asks it when a view changes. */
  constructor(taskViews: Pick<TaskViews, 'all' | 'onChange'>) {
    for (const view of taskViews.all()) this.#seen(view, view.id)
    taskViews.onChange((view, id) => this.#seen(view, id))
  }

  /** Those that are over too; oldest first: ids sort by creation. */
  of(sessionId: string): readonly TaskView[] {
    return this.#bySession.of(sessionId)
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
