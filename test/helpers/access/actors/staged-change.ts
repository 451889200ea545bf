/** A change on a stage of actors, each of whose verbs waits for its effects. */
import { systemAuthor, type Author } from '../../../../proto/access/author.ts'
import { changedRecord } from '../../../../runtime/access/records/change.ts'
import { changeOn, hourMs, makeRecord, manager, monitor, termsOf } from './changes.ts'
import { AccessStage } from './stage.ts'
import { client } from './story.ts'

export async function beginChange(
  more: Readonly<Record<string, unknown>> = {},
  on?: AccessStage,
  n = 1,
) {
  const stage = on ?? (await AccessStage.begin())
  const { clock, records } = stage
  if (!on) await makeRecord(records, clock.now())
  const said = changeOn(stage.directory, n)
  const done = <A extends unknown[], T>(word: (...args: A) => Promise<T>) => {
    return (...args: A) => stage.until(word(...args))
  }
  const words = {
    ...{ get: done(said.get), revise: done(said.revise), propose: done(said.propose) },
    ...{ review: done(said.review), start: done(said.start), complete: done(said.complete) },
    ...{ fail: done(said.fail), rollBack: done(said.rollBack), cancel: done(said.cancel) },
    postReview: done(said.postReview),
    schedule: done(said.schedule),
  }
  await stage.until(said.draft(termsOf(more), clock.now()))
  const soon = (by?: Author) => words.schedule(clock.now() + hourMs, clock.now() + 2 * hourMs, by)
  return {
    ...words,
    stage,
    id: said.id,
    soon,
    /** Advances the clock. */
    pass: (ms: number) => stage.timeline.run(ms),
    record: async (area: 'monitoring' | 'deployments' = 'monitoring', id = monitor) =>
      (await records.get(client, area, id))?.record,
    /** Another author writes the record. */
    meddle: async (fields: object, by = systemAuthor('import')) => {
      const held = (await records.get(client, 'monitoring', monitor))!
      const next = { ...held.record.fields, ...fields }
      await records.replace(changedRecord(held.record, next, { by }, clock.now()), held.revision)
    },
    approved: async () => words.review(manager, await words.propose()),
    started: async () => {
      await words.review(manager, await words.propose())
      await soon()
      await stage.timeline.run(hourMs)
      return words.start()
    },
  }
}
