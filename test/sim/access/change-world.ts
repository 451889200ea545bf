/**
 * Two changes of one monitor, and one that makes a record, on hosts that are struck right after
 * they wrote; in some worlds another author changes the monitor meanwhile.
 */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ChangeView } from '../../../proto/access/changes/change.ts'
import type { ChangeTerms } from '../../../proto/access/changes/change-terms.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { buckets } from '../../../proto/subjects.ts'
import { changedRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import {
  changeOn,
  implementer,
  makeRecord,
  manager,
  monitor,
  termsOf,
} from '../../helpers/access/actors/changes.ts'
import { client, layBasis } from '../../helpers/access/actors/story.ts'
import { worldBeginsAtMs } from '../world/clock.ts'
import { calm } from '../world/link.ts'
import { askMs, StruckWorld } from './struck-world.ts'

/** The approximate number of entries from the drafts to the ends, when nothing fails. */
const storyEntries = 40
const windowMs = 60_000

/** What another author writes into the monitor, and whether it conflicts. */
const meddlings = ['none', 'checked', 'renamed'] as const
export type Meddling = (typeof meddlings)[number]

const wanted: readonly ChangeTerms[] = [
  termsOf({ patch: { interval_s: 60 } }),
  termsOf({ patch: { interval_s: 90 } }),
  termsOf({
    ...{ kind: 'deployment', target: undefined },
    patch: { environment: 'production', release: '2.0' },
  }),
]

export class ChangeWorld {
  readonly struck: StruckWorld
  readonly records: RecordStore
  readonly meddling: Meddling
  readonly changes: readonly ReturnType<typeof changeOn>[]
  /** Versions of the record that were not written by a change. */
  meddled = 0

  private constructor(struck: StruckWorld) {
    const { world, directory } = struck
    const { random } = world
    this.struck = struck
    this.records = new RecordStore(world.memory.bucket(buckets.records))
    this.meddling = random.pick(meddlings)
    this.changes = wanted.map((_, i) => changeOn(directory, i + 1))
    // Soon enough that some hosts die after the record was written and before the entry that says
    // so.
    struck.strikeWithinMs = 40
    const strikes = random.int(2, 6)
    struck.strikesAt = Array.from({ length: strikes }, () => random.int(1, storyEntries))
  }

  static async begin(seed: number, tell?: (line: string) => void): Promise<ChangeWorld> {
    const struck = await StruckWorld.begin(seed, tell)
    const { world, directory } = struck
    const self = new ChangeWorld(struck)
    await world.timeline.until(layBasis(directory, worldBeginsAtMs), 10 * askMs)
    await makeRecord(self.records, worldBeginsAtMs)
    world.setFaults({ ...calm, delayMs: [0.1, 8], lost: world.random.pick([0, 0, 0.01, 0.03]) })
    const meddlesAt = world.random.int(4, storyEntries)
    struck.onEntry = (n) => {
      if (n === meddlesAt && self.meddling !== 'none') void self.#meddle()
    }
    return self
  }

  /** Runs them side by side, each repeated from the step that a conflict has sent it back to. */
  async live(): Promise<void> {
    await Promise.all(wanted.map((terms, i) => this.#follow(i, terms)))
  }

  async #follow(i: number, terms: ChangeTerms): Promise<void> {
    const { clock, world } = this.struck
    const change = this.changes[i]!
    const insist = <T>(what: string, ask: () => Promise<T>) =>
      this.struck.insist(`${what} ${i + 1}`, ask)
    // The second one waits for the first, sometimes without success.
    const target = 'id' in terms.work ? await this.#versionNow() : undefined
    const work = target === undefined ? terms.work : { ...terms.work, version: target }
    await insist('draft', () => change.draft({ ...terms, work } as ChangeTerms, clock.now()))
    for (let round = 0; round < 6; round++) {
      await insist('propose', () => change.propose())
      const seen = await insist('get', () => change.get())
      if (seen instanceof ServiceError) continue
      await insist('review', () => change.review(manager, seen))
      await insist('schedule', () => {
        return change.schedule(clock.now() - 1_000, clock.now() + windowMs)
      })
      await insist('start', () => change.start())
      await insist('complete', () => change.complete(implementer))
      const { status } = (await this.#viewOf(i)) ?? {}
      if (status === 'done') return
      // Another change has the target, or the change itself has moved on.
      await sleep(clock, world.random.between(1_000, windowMs))
      if (status === 'returned' || status === 'draft') await insist('revise', () => this.#revise(i))
    }
  }

  /** Bases the change on the target's current version. */
  async #revise(i: number): Promise<unknown> {
    const { work } = wanted[i]!
    const version = await this.#versionNow()
    const terms = { ...wanted[i]!, work: 'id' in work ? { ...work, version } : work }
    return this.changes[i]!.revise(terms as ChangeTerms)
  }

  async #versionNow(): Promise<number> {
    return (await this.records.get(client, 'monitoring', monitor))?.record.version ?? 0
  }

  async #viewOf(i: number): Promise<ChangeView | undefined> {
    const answer = await this.struck.insist(`look ${i + 1}`, () => this.changes[i]!.get())
    return answer instanceof ServiceError ? undefined : answer
  }

  async #meddle(): Promise<void> {
    const by = systemAuthor(this.meddling === 'checked' ? 'checks' : 'import')
    const more = this.meddling === 'checked' ? { status: 'down' } : { name: 'The shop' }
    const held = (await this.records.get(client, 'monitoring', monitor))!
    const fields = { ...held.record.fields, ...more }
    const next = changedRecord(held.record, fields, { by }, this.struck.clock.now())
    await this.records.replace(next, held.revision)
    this.meddled++
  }
}
