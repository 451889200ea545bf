/**
 * Writes notes for the audit, in order. Failed credentials are counted and noted once a minute per
 * network, so that guessing does not fill the audit.
 */
import type { AccessNote } from '../../../../proto/access/audit/note.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { Repeats } from '../../../lib/repeats/repeats.ts'
import { StreamOutbox, type StreamOutboxOptions } from '../../../store/stream-outbox.ts'
import { clientOfSubject } from './sources.ts'

export class NoteWriter {
  readonly #outbox: StreamOutbox
  readonly #failed: Repeats<AccessNote>

  constructor(options: Omit<StreamOutboxOptions, 'what'>) {
    const { clock } = options
    this.#outbox = new StreamOutbox({ ...options, what: 'notes' })
    this.#failed = new Repeats({
      clock,
      everyMs: limits.noteCollapseMs,
      keysMax: limits.noteNetsPerMinute,
      write: (note, count) =>
        this.#write(count === undefined ? note : { ...note, atMs: clock.now(), count }),
    })
  }

  get lost(): number {
    return this.#outbox.lost
  }

  add(note: AccessNote): void {
    if (note.action !== 'authentication_failed' && note.action !== 'sign_in_failed') {
      return this.#write(note)
    }
    const { action, tenant, net = '' } = note
    this.#failed.add(`${action} ${tenant} ${net}`, `${action} others`, note)
  }

  async close(): Promise<void> {
    this.#failed.flush()
    await this.#outbox.close()
  }

  #write(note: AccessNote): void {
    this.#outbox.send(subjects.note(clientOfSubject(note.tenant)), note)
  }
}
