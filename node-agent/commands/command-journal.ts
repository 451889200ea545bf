/** The last commands of each session, without their inputs, which may be secret. */
import type { JournalEntry } from '../../proto/browser-host/node.ts'
import { agentCommandLimits } from './limits.ts'

export class CommandJournal<K extends object> {
  readonly #entries = new WeakMap<K, JournalEntry[]>()

  add(of: K, entry: JournalEntry): void {
    const entries = this.#entries.get(of) ?? []
    this.#entries.set(of, entries)
    entries.push(entry)
    if (entries.length > agentCommandLimits.journalEntries) entries.shift()
  }

  /** Oldest first. */
  of(which: K): readonly JournalEntry[] {
    return this.#entries.get(which) ?? []
  }
}
