/**
 * Writes notes for the audit, in order. Failed credentials are counted and noted once a minute per
 * network, so that guessing does not fill the audit.
 */
import type { AccessNote } from '../../../proto/access/note.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { Timer } from '../../clock.ts'
import { Outbox, type OutboxOptions } from './outbox.ts'
import { clientOf } from './sources.ts'

/** The first of its kind is written at once; later ones of the same minute are only counted. */
interface Collapsed {
  readonly note: AccessNote
  count: number
}

export class NoteWriter {
  readonly #clock: OutboxOptions['clock']
  readonly #outbox: Outbox
  readonly #failed = new Map<string, Collapsed>()
  #timer: Timer | undefined

  constructor(options: Omit<OutboxOptions, 'what'>) {
    this.#clock = options.clock
    this.#outbox = new Outbox({ ...options, what: 'notes' })
  }

  get lost(): number {
    return this.#outbox.lost
  }

  add(note: AccessNote): void {
    if (note.action !== 'authentication_failed' && note.action !== 'sign_in_failed') {
      return this.#write(note)
    }
    const key = this.#keyOf(note)
    const known = this.#failed.get(key)
    this.#timer ??= this.#clock.timer(limits.noteCollapseMs, () => this.#tellCounts())
    if (known) {
      known.count++
    } else {
      this.#failed.set(key, { note, count: 0 })
      this.#write(note)
    }
  }

  async close(): Promise<void> {
    this.#tellCounts()
    await this.#outbox.close()
  }

  #keyOf({ action, tenant, net = '' }: AccessNote): string {
    const key = `${action} ${tenant} ${net}`
    const isKnown = this.#failed.has(key) || this.#failed.size < limits.noteNetsPerMinute
    return isKnown ? key : `${action} others`
  }

  #tellCounts(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    for (const { note, count } of this.#failed.values()) {
      if (count > 0) this.#write({ ...note, atMs: this.#clock.now(), count })
    }
    this.#failed.clear()
  }

  #write(note: AccessNote): void {
    this.#outbox.send(subjects.note(clientOf(note.tenant)), note)
  }
}
