/** An audit in memory: its sources, its chains, and its checkpoints. */
import { pino } from 'pino'
import { subjects } from '../../../../proto/subjects.ts'
import { AuditChain } from '../../../../runtime/access/audit/chain/chain.ts'
import { checkpointPurpose } from '../../../../runtime/access/audit/chain/checkpoints.ts'
import { decodeEntry } from '../../../../runtime/access/audit/chain/entry.ts'
import { AuditSequencer } from '../../../../runtime/access/audit/chain/sequencer.ts'
import {
  logSources,
  noteSource,
  recordSource,
} from '../../../../runtime/access/audit/sources/sources.ts'
import { openSigner } from '../../../../runtime/accounts/seal/signer.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import type { SharedLog } from '../../../../runtime/store/store.ts'
import { MemoryLog } from '../../runtime/memory-store.ts'

const silent = pino({ level: 'silent' })
export const auditSealKey = Buffer.alloc(32, 7).toString('base64')
export const auditSigner = openSigner(
  { SEAL_KEY: auditSealKey, DATA_DIR: '/nowhere' },
  checkpointPurpose,
)

export function auditStage(logs: SharedLog = new MemoryLog()) {
  const notes = new MemoryLog()
  const records = new MemoryLog()
  const audit = new MemoryLog()
  const checkpoints = new MemoryLog()
  const sources = [...logSources(logs), noteSource(notes), recordSource(records, 'records')]
  const sequencer = (positions: Readonly<Record<string, number>> = {}) =>
    new AuditSequencer({
      chain: new AuditChain(audit, systemClock),
      sources,
      log: silent,
      positions,
    })
  const entries = async (of: string) => {
    const found = []
    for await (const { data } of audit.read(subjects.audit(of))) found.push(decodeEntry(data)!)
    return found
  }
  return { logs, notes, records, audit, checkpoints, sequencer, entries }
}

export async function drainAudit(sequencer: AuditSequencer): Promise<void> {
  while (!(await sequencer.round()).isDrained);
}
