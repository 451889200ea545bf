/**
 * What must hold for changes whatever has happened: no technical record changes without an approved
 * and reported change, each change writes once, and no two are carried out on one target at once.
 */
import { validReviews } from '../../../proto/access/grants/review-slots.ts'
import { decode } from '../../../proto/codec.ts'
import { buckets, viewKey } from '../../../proto/subjects.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { readLastEntry } from '../../../runtime/actor/log.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import { checkHistory, readHistory } from '../../helpers/runtime/log-checker.ts'
import { monitor } from '../../helpers/access/actors/changes.ts'
import { client } from '../../helpers/access/actors/story.ts'
import type { ChangeWorld } from './change-world.ts'
import type { ChangeContext } from '../../../actors/access/change/context.ts'

interface State {
  readonly id: string
  readonly value: string
  readonly context: ChangeContext
}

export async function statesOf({ struck, changes }: ChangeWorld): Promise<readonly State[]> {
  const all = await Promise.all(
    changes.map(async ({ id }) => {
      const last = await readLastEntry(struck.world.memory.log, 'change', id)
      return last && { id, ...(last.entry.snapshot as Omit<State, 'id'>) }
    }),
  )
  return all.filter((state) => state !== undefined)
}

async function recordsOf({ records }: ChangeWorld): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = []
  for await (const { record } of records.scan(client)) found.push(record)
  return found
}

/** Holds at any moment. */
export async function checkNow(changed: ChangeWorld): Promise<void> {
  const { world } = changed.struck
  // Read first, so that later writes do not count against it.
  const records = await recordsOf(changed)
  const states = await statesOf(changed)
  for (const record of records) {
    for (const finding of unfounded(record, states)) world.finding(finding)
  }
  const underWay = states.filter(({ value, context }) => {
    return ['in_progress', 'applying'].includes(value) && 'id' in context.terms.work
  })
  if (underWay.length > 1) world.finding('two changes are under way on one target')
}

/**
 * Every change that has written a record was approved by others, and reported with its evidence.
 */
function unfounded({ changes = [] }: StoredRecord, states: readonly State[]): string[] {
  return changes.flatMap(({ id }) => {
    const by = states.find((state) => state.id === id)
    if (!by) return [`a record was written by ${id}, which is none`]
    const { value, context } = by
    const approvers = validReviews(context).filter(({ decision }) => decision === 'approve')
    const parties = [context.createdBy.id, context.implementer?.id]
    return [
      ...(['applying', 'done'].includes(value) ? [] : [`it is ${value}`]),
      ...(context.result ? [] : ['it has no evidence']),
      ...(approvers.length > 0 ? [] : ['nobody has approved it']),
      ...(approvers.some(({ reviewerId }) => parties.includes(reviewerId)) ? ['by itself'] : []),
    ].map((what) => `a record was written by ${id}: ${what}`)
  })
}

/** Holds once the world was healed and left alone. */
export async function checkAtRest(changed: ChangeWorld): Promise<void> {
  await checkNow(changed)
  const { world } = changed.struck
  const states = await statesOf(changed)
  const records = await recordsOf(changed)
  for (const { id, value, context } of states) {
    if (['checking', 'booking', 'applying'].includes(value))
      world.finding(`${id} is ${value} for good`)
    const written = records.flatMap(({ changes = [] }) => changes.filter((one) => one.id === id))
    const times = value === 'done' ? 1 : 0
    if (written.length !== times)
      world.finding(`${id} is ${value}, and wrote ${written.length} times`)
    if (times === 1 && written[0]?.version !== context.applied?.version) {
      world.finding(`${id} says that it wrote another version`)
    }
    for (const finding of await checkLog(changed, id, written[0]?.version)) world.finding(finding)
  }
  const record = records.find(({ id }) => id === monitor)!
  const versions = 1 + changed.meddled + (record.changes ?? []).length
  if (record.version !== versions) world.finding(`version ${record.version} of ${versions} writes`)
  const last = record.changes?.at(-1)?.id
  const by = states.find(({ id }) => id === last)?.context.terms.work
  const interval = by && 'patch' in by ? by.patch['interval_s'] : 300
  if (record.fields['interval_s'] !== interval)
    world.finding('the record is not as the last change')
}

/** `own`: the version that the change has written. */
async function checkLog(
  { struck }: ChangeWorld,
  id: string,
  own: number | undefined,
): Promise<string[]> {
  const { memory } = struck.world
  const entries = await readHistory(memory.log, 'change', id)
  const last = entries.at(-1)!
  const pending = last.pending.filter(({ kind }) => kind !== 'unbook')
  const stored = await memory.bucket(buckets.views).get(viewKey('change', client, id))
  const shown = stored && decode<ViewRecord>(stored.value).n
  const isInItsOwnWay = entries.some(({ event }) => {
    const { type, version } = event as { readonly type: string; readonly version?: number }
    return type === 'conflicted' && version === own
  })
  return [
    ...checkHistory(entries),
    ...(isInItsOwnWay ? [`${id} took what it had written for another’s`] : []),
    ...pending.map(({ kind }) => `${id}: ${kind} is still pending`),
    ...(shown === last.n ? [] : [`the view of ${id} shows entry ${shown} of ${last.n}`]),
  ]
}
