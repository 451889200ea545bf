/** The records of the processes that run, for commands. */
import { decode } from '../../../proto/codec.ts'
import { isLiveHost, type HostRecord } from '../../../proto/host.ts'
import { buckets } from '../../../proto/subjects.ts'
import { entriesOf } from '../../store/entries-of.ts'
import type { NatsStore } from '../../store/nats/buckets.ts'

/** Sorted by host, then role. A process that was killed is listed until its lease expires. */
export async function liveHosts(store: NatsStore): Promise<readonly HostRecord[]> {
  const entries = await entriesOf(store.bucket(buckets.hosts))
  const records = entries.map(({ value }) => decode<HostRecord>(value))
  const nameOf = ({ nodeId, role }: HostRecord) => `${nodeId} ${role}`
  return records.filter(isLiveHost).toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
}
