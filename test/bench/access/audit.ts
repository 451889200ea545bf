/**
 * Audit entries written per second, beside bare appends on the same server, and how far the audit
 * lags.
 */
import { newAccessId } from '../../../proto/access/ids.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import { AuditChain } from '../../../runtime/access/audit/chain/chain.ts'
import { decodeEntry } from '../../../runtime/access/audit/chain/entry.ts'
import { auditSources, openAuditRecorder } from '../../../runtime/access/audit/open.ts'
import { AuditSequencer } from '../../../runtime/access/audit/chain/sequencer.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { AccessLogs } from '../../helpers/access/actors/log.ts'
import { silent, type TestNats } from '../../helpers/nats/nats.ts'
import { joinHosts, onNats } from '../runtime/on-nats.ts'
import { ms, percentile, timings, type Bench, type Figure } from '../lib/report.ts'

const clients = 32
const perClient = 60
const lagSamples = 200

export const accessAudit: Bench = {
  name: 'audit',
  on: 'nothing',
  run: () => onNats(async (nats) => [await rate(nats), await lag(nats)]),
}

/** Past events, replayed from the beginning. */
async function rate(nats: TestNats): Promise<Figure> {
  const store = await nats.store()
  const happened = new AccessLogs(store.log)
  const ids = Array.from({ length: clients }, () => newAccessId('client'))
  const count = clients * perClient
  const [writtenMs] = await timings(1, async () => {
    for (let i = 0; i < perClient; i++) await Promise.all(ids.map((id) => happened.happen(id)))
  })
  const chain = new AuditChain(store.audit, systemClock)
  const sources = auditSources(store)
  const sequencer = new AuditSequencer({ chain, sources, log: silent, positions: {} })
  const [toldMs] = await timings(1, async () => {
    while (!(await sequencer.round()).isDrained);
  })
  const ours = (count / toldMs!) * 1000
  const appends = (count / writtenMs!) * 1000
  return {
    name: 'audit entries/s, told from the beginning',
    ours: `${ours.toFixed(0)} /s`,
    baseline: `${appends.toFixed(0)} /s appends of what happened`,
    ratio: ours / appends,
    target: '≥ 500 /s',
    met: ours >= 500,
  }
}

/** Time from an acknowledged write to its audit entry, one at a time. */
async function lag(nats: TestNats): Promise<Figure> {
  const nc = await nats.connect('bench')
  const store = await nats.store()
  const { lease, membership, leave } = await joinHosts(store)
  const { config } = nats
  const deps = { config, store, bus: new NatsBus(nc), clock: systemClock, lease, membership }
  const keeper = openAuditRecorder({ ...deps, log: silent })
  const client = newAccessId('client')
  const happened = new AccessLogs(store.log)
  const told = async (n: number) => {
    for (;;) {
      const last = await store.audit.last(subjects.audit(client))
      if (last && decodeEntry(last.data)!.n >= n) return
    }
  }
  const samples = await timings(
    lagSamples,
    (run) => told(run + 1),
    () => happened.happen(client),
  )
  keeper.stop()
  await leave()
  const p99 = percentile(samples, 99)
  return {
    name: 'audit lag, from what happened to its entry (p50 · p99)',
    ours: `${ms(percentile(samples, 50))} · ${ms(p99)}`,
    target: `p99 ≤ ${accessLimits.auditStateMs} ms`,
    met: p99 <= accessLimits.auditStateMs,
  }
}
