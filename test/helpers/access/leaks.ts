/**
 * Marks that would tell one client of another: ids, names and addresses that only the other has.
 */
import { decode } from '../../../proto/codec.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'

/** A place whose content for one client could contain an id of another. */
export interface Place {
  readonly name: string
  /** All of its content, or what is new since the last call. */
  look(): Promise<string> | string
}

const id = /\b(?:cli|scp|nd|acr|gr|usr|tok|rv|pss|rec)_[0-9a-z]{26}\b/g
const email = /\b[\w-]+@[\w.-]+\b/g

/** Everything that the views of `other` contain and those of `own` do not. */
export async function marksOf(
  store: NatsStore,
  other: ClientId,
  own: ClientId,
): Promise<readonly string[]> {
  const entries = await entriesOf(store.bucket(buckets.views))
  const texts = (tenant: ClientId) =>
    entries
      .map(({ value }) => decode<ViewRecord>(value).view)
      .filter((view) => view.tenant === tenant)
      .map((view) => JSON.stringify(view))
      .join('\n')
  const named = (text: string) => [...(text.match(id) ?? []), ...(text.match(email) ?? [])]
  const shared = new Set(named(texts(own)))
  return [...new Set(named(texts(other)))].filter((mark) => !shared.has(mark))
}

/** A line such as `audit: cli_…` for each mark found in each place. */
export async function leaksIn(
  places: readonly Place[],
  marks: readonly string[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    places.map(async ({ name, look }) => {
      const text = await look()
      return marks.filter((mark) => text.includes(mark)).map((mark) => `${name}: ${mark}`)
    }),
  )
  return found.flat()
}
