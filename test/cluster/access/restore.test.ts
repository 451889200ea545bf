/**
 * Goal: a store copied message by message into another nats-server has chains that verify and can
 * be continued. Method: actors and records of two clients; each stream of the audit and of its
 * sources is read in order and published to a fresh server in that order.
 */
import t from 'tap'
import { newAccessId, platformTenant } from '../../../proto/access/ids.ts'
import { streams, subjects } from '../../../proto/subjects.ts'
import { AuditChain } from '../../../runtime/access/audit/chain/chain.ts'
import { auditSigner, auditSources } from '../../../runtime/access/audit/open.ts'
import { readCheckpoints } from '../../../runtime/access/audit/chain/checkpoints.ts'
import { NoteWriter } from '../../../runtime/access/audit/sources/notes.ts'
import { AuditSequencer } from '../../../runtime/access/audit/chain/sequencer.ts'
import { verifyChain } from '../../../runtime/access/audit/chain/verify.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { auditOf } from '../../helpers/access/audit/audit.ts'
import { AccessLogs } from '../../helpers/access/actors/log.ts'
import { silent, startNats, type TestNats } from '../../helpers/nats/nats.ts'

const sealKey = Buffer.alloc(32, 7).toString('base64')
const signer = auditSigner({ SEAL_KEY: sealKey, DATA_DIR: '' })

async function sequence(store: NatsStore): Promise<void> {
  const chain = new AuditChain(store.audit, systemClock)
  const deps = { chain, sources: auditSources(store), log: silent, positions: {} }
  const sequencer = new AuditSequencer(deps)
  while (!(await sequencer.round()).isDrained);
}

/** Copies every message of a stream to the same subject of another server. */
async function copy(from: TestNats, to: TestNats, stream: string): Promise<number> {
  const [source, target] = [await from.connect(), await to.connect()]
  const { streams: sources } = await source.jetstreamManager()
  const { messages, first_seq: first, last_seq: last } = (await sources.info(stream)).state
  const { streams: targets } = await target.jetstreamManager()
  const js = target.jetstream()
  for (let seq = first; messages > 0 && seq <= last; seq++) {
    const { subject, data } = await sources.getMessage(stream, { seq })
    await js.publish(subject, data)
  }
  return (await targets.info(stream)).state.messages
}

async function verdictOf({ audit, checkpoints }: NatsStore, client: string) {
  const kept = []
  for await (const one of readCheckpoints(checkpoints, client)) kept.push(one)
  const entries = audit.read(subjects.audit(client))
  return verifyChain({ client, entries, checkpoints: kept, signer })
}

t.test('a copy of every stream verifies, and its chains can be continued', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const clients = [newAccessId('client'), newAccessId('client')]
  const happened = new AccessLogs(store.log)
  for (let n = 0; n < 20; n++) await happened.happen(clients[n % 2]!)
  const notes = new NoteWriter({ stream: store.notes, clock: systemClock, log: silent })
  const denied = { action: 'authorization_denied', outcome: 'denied', atMs: 1 } as const
  for (const tenant of [...clients, platformTenant])
    notes.add({ ...denied, tenant, requestId: 'r' })
  await notes.close()
  await sequence(store)

  const fresh = await startNats(t)
  const restored = await fresh.store()
  for (const stream of [streams.log, streams.notes, streams.audit, streams.checkpoints]) {
    await copy(nats, fresh, stream)
  }
  for (const [client, entries] of [
    ...clients.map((client) => [client, 11] as const),
    [platformTenant, 1] as const,
  ]) {
    t.match(await verdictOf(restored, client), { n: entries, entries, firstBad: undefined })
    t.same(await auditOf(restored, client), await auditOf(store, client))
  }

  // Entries that the copy has are not written again, and new events follow them.
  const [client] = clients
  const after = new NoteWriter({ stream: restored.notes, clock: systemClock, log: silent })
  after.add({ ...denied, tenant: client!, requestId: 'after' })
  await after.close()
  await sequence(restored)
  t.match(await verdictOf(restored, client!), { n: 12, entries: 12, firstBad: undefined })
  t.equal((await auditOf(restored, client!)).at(-1)?.requestId, 'after')
})
