/** Everything that is kept of a kind, for a process without an index, such as a command. */
import type { ActorView } from '../../../proto/actor.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { SharedLog, Store } from '../../store/store.ts'
import { storedViews } from '../views.ts'
import { unpackSegment } from './segment.ts'

/** Each view once: those of what runs or ended lately, then the archive. Without a tenant, of all. */
export async function* allKeptViews<V extends ActorView>(
  store: Pick<Store, 'bucket'> & { readonly archive: Pick<SharedLog, 'read'> },
  kind: string,
  tenant?: string,
): AsyncIterable<V> {
  const seen = new Set<string>()
  for (const view of await storedViews<V>(store, kind, tenant)) {
    seen.add(view.id)
    yield view
  }
  for await (const record of store.archive.read(subjects.archive(kind, tenant ?? '*'))) {
    for (const view of unpackSegment(record).views) {
      if (seen.has(view.id)) continue
      seen.add(view.id)
      // The subject contains the kind, so the type is known.
      yield view as V
    }
  }
}
