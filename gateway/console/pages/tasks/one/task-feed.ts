/**
 * The event stream that keeps the page of a task current: its facts, its question, and each new
 * step. When the task is over and its last step was sent, the page is reloaded and needs no stream.
 */
import {
  isTaskOver,
  type StepRecord,
  type TaskRecord,
  type TaskView,
} from '../../../../../proto/task/task.ts'
import { toHtml } from '../../../../html/markup.ts'
import { TaskTail, type TailReader } from '../../../../tasks/following/tail.ts'
import { ChangeTimer } from '../../../live/change-timer.ts'
import type { SendEvent } from '../../../live/feeds.ts'
import { openFeed } from '../../../live/open-feed.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleFile } from '../../../page.ts'
import { ConsoleVisit } from '../../../visit.ts'
import { taskOfPath } from './task-acts.ts'
import { TaskControls, TaskQuestionBox } from './task-controls.tsx'
import { TaskFacts } from './task-facts.tsx'
import { StepItem, stepItemId } from './task-steps.tsx'

/** With `?after=N` the steps after number N are sent too, for keys that may read them. */
export async function feedTask(visit: ConsoleVisit): Promise<ConsoleFile> {
  const view = await taskOfPath(visit)
  const after = visit.has('tasks') ? numberOf(visit.asked('after')) : undefined
  return openFeed(visit, (send, end) => {
    const feed = new TaskFeedOfPage({ visit, view, after, send, end })
    return () => feed.stop()
  })
}

const numberOf = (text: string | undefined) =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined

interface FeedFacts {
  readonly visit: ConsoleVisit
  readonly view: TaskView
  /** The last step on the page; undefined if the page does not show the newest steps. */
  readonly after: number | undefined
  readonly send: SendEvent
  /** Ends the stream; the browser reconnects. */
  readonly end: () => void
}

class TaskFeedOfPage implements TailReader {
  readonly #facts: FeedFacts
  readonly #unwatch: () => void
  readonly #changes: ChangeTimer
  /** The newest view. */
  #view: TaskView
  /** The parts of the page as they were sent last, by id. */
  readonly #sent = new Map<string, string>()
  /** Steps that are not sent yet, oldest first. */
  #steps: StepRecord[] = []
  #tail: TaskTail | undefined
  /** Whether every step was delivered. */
  #isComplete: boolean
  #isStopped = false

  constructor(facts: FeedFacts) {
    const { visit, view, after } = facts
    this.#facts = facts
    this.#view = view
    this.#isComplete = after === undefined
    this.#changes = new ChangeTimer(visit.deps.clock, () => this.#flush())
    this.#unwatch = visit.deps.taskViews.onChange((next, id) => {
      if (id === view.id && next) this.#changed(next)
    })
    this.#flush()
    if (after !== undefined) void this.#follow(after)
  }

  stop(): void {
    this.#isStopped = true
    this.#unwatch()
    this.#changes.stop()
    this.#tail?.leave()
  }

  tell(record: TaskRecord): void {
    if (record.type !== 'step') return
    this.#steps.push(record)
    // The page shows at most this many steps.
    this.#steps = this.#steps.slice(-consoleLimits.taskSteps)
    this.#changes.soon()
  }

  /** Always ready for more, because the delivered steps are bounded by `#steps`. */
  whenWritable(): Promise<void> {
    return Promise.resolve()
  }

  over(): void {
    this.#isComplete = true
    this.#changes.soon()
  }

  failed(): void {
    this.#facts.end()
  }

  /** The tail delivers the steps stored since that one, then new ones, without a gap. */
  async #follow(after: number): Promise<void> {
    const { deps } = this.#facts.visit
    const { taskFeeds: feeds, clock, store } = deps
    const known = { step: after }
    const options = { feeds, clock, steps: store.steps, taskId: this.#view.id, known, reader: this }
    try {
      const tail = await TaskTail.open(options)
      if (this.#isStopped) return tail.leave()
      this.#tail = tail
      if (isTaskOver(this.#view.state)) tail.expectEnd()
    } catch {
      // This gateway is shutting down, or the store does not answer: the browser reconnects.
      this.#facts.end()
    }
  }

  #changed(view: TaskView): void {
    this.#view = view
    if (isTaskOver(view.state)) this.#tail?.expectEnd()
    this.#changes.soon()
  }

  #flush(): void {
    const { visit, send } = this.#facts
    // The parts contain times relative to now.
    const now = new ConsoleVisit(visit.facts, visit.deps)
    const wasSent = this.#sendParts(now) && this.#sendSteps(now)
    if (!wasSent) this.#changes.soon()
    else if (this.#isComplete && isTaskOver(this.#view.state)) send('over', {})
  }

  /** Sends a part only if it differs, so that what somebody types into a form is kept. */
  #sendParts(visit: ConsoleVisit): boolean {
    const of = { view: this.#view, visit }
    const parts = {
      facts: toHtml(TaskFacts(of)),
      controls: toHtml(TaskControls(of)),
      asked: toHtml(TaskQuestionBox(of)),
    }
    const changed = Object.entries(parts).filter(([id, html]) => this.#sent.get(id) !== html)
    if (changed.length === 0) return true
    if (!this.#facts.send('parts', Object.fromEntries(changed))) return false
    for (const [id, html] of changed) this.#sent.set(id, html)
    return true
  }

  #sendSteps(visit: ConsoleVisit): boolean {
    if (this.#steps.length === 0) return true
    const items = this.#steps.map((step) => [stepItemId(step), toHtml(StepItem({ visit, step }))])
    const added = { into: 'steps', items: Object.fromEntries(items), most: consoleLimits.taskSteps }
    if (!this.#facts.send('items', added)) return false
    this.#steps = []
    return true
  }
}
