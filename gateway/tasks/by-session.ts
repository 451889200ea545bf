/** The tasks of each session, level with their views: lists, live views and routes ask all the time. */
import type { TaskView } from '../../proto/task.ts'
import type { TaskViews } from './tasks.ts'

export class TasksBySession {
  readonly #bySession = new Map<string, Map<string, TaskView>>()
  /** By task: a view that has gone does not say where it was. */
  readonly #sessionOf = new Map<string, string>()

  /** To be made before whoever asks it when a view changes. */
  constructor(taskViews: Pick<TaskViews, 'all' | 'onChange'>) {
    for (const view of taskViews.all()) this.#seen(view, view.id)
    taskViews.onChange((view, id) => this.#seen(view, id))
  }

  /** Those that are over too; oldest first: ids sort by creation. */
  of(sessionId: string): readonly TaskView[] {
    const views = [...(this.#bySession.get(sessionId)?.values() ?? [])]
    return views.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #seen(view: TaskView | undefined, id: string): void {
    const sessionId = view ? view.sessionId : this.#sessionOf.get(id)
    if (sessionId === undefined) return
    const ofSession = this.#bySession.get(sessionId) ?? new Map<string, TaskView>()
    if (view) {
      this.#sessionOf.set(id, sessionId)
      this.#bySession.set(sessionId, ofSession.set(id, view))
    } else {
      this.#sessionOf.delete(id)
      ofSession.delete(id)
      if (ofSession.size === 0) this.#bySession.delete(sessionId)
    }
  }
}
