/** Assembles the audit: the recorder for actor hosts, and the notes and state for gateways. */
import { appendFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { buckets } from '../../../proto/subjects.ts'
import type { MessageSubscriber } from '../../store/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { Lease } from '../../cluster/lease.ts'
import type { Membership } from '../../cluster/membership.ts'
import type { NatsStore } from '../../store/nats/buckets.ts'
import type { KeySettings } from '../../accounts/seal/seal-keys.ts'
import { openSigner, type TextSigner } from '../../accounts/seal/signer.ts'
import type { Config } from '../../config/config.ts'
import { checkpointPurpose, type CheckpointCopy } from './chain/checkpoints.ts'
import { AuditRecorder } from './recorder.ts'
import { NoteWriter } from './sources/notes.ts'
import { ReadLog } from './sources/reads.ts'
import { logSources, noteSource, recordSource, type AuditSource } from './sources/sources.ts'
import { AuditWatch } from './watch.ts'

interface Shared {
  readonly config: KeySettings
  readonly store: NatsStore
  readonly clock: Clock
  readonly log: Logger
}

export interface AuditRecorderDeps extends Shared {
  readonly config: KeySettings & Pick<Config, 'AUDIT_CHECKPOINT_FILE'>
  readonly bus: MessageSubscriber
  readonly lease: Pick<Lease, 'incarnation' | 'isValid'>
  readonly membership: Pick<Membership, 'available'>
}

export const auditSigner = (config: KeySettings): TextSigner =>
  openSigner(config, checkpointPurpose)

export const auditSources = (store: NatsStore): readonly AuditSource[] => [
  ...logSources(store.log),
  noteSource(store.notes),
  recordSource(store.changes(buckets.records), buckets.records),
]

/** For an actor host; call `stop()` when it drains. */
export const openAuditRecorder = (deps: AuditRecorderDeps): AuditRecorder =>
  new AuditRecorder({
    ...deps,
    signer: auditSigner(deps.config),
    ...(deps.config.AUDIT_CHECKPOINT_FILE !== '' && { copy: fileCopy(deps) }),
    sources: auditSources(deps.store),
  })

/**
 * One append at a time: the file may be on another machine, which answers late or not at all. A
 * failure is told in the log: the next checkpoint covers the same entries.
 */
function fileCopy({ config, log }: Pick<AuditRecorderDeps, 'config' | 'log'>): CheckpointCopy {
  const file = config.AUDIT_CHECKPOINT_FILE
  const appends = new SerialQueue()
  return (line) => {
    appends
      .run(() => appendFile(file, `${line}\n`, { mode: 0o600 }))
      .catch((err: unknown) =>
        log.error({ err, file }, 'audit: AUDIT_CHECKPOINT_FILE did not get a checkpoint'),
      )
  }
}

export interface GatewayAudit {
  readonly notes: NoteWriter
  readonly reads: ReadLog
  /** Throws `audit_unavailable` while the audit is behind. */
  assertAudited(): void
  readonly watch: AuditWatch
  /** Used by the audit's routes. */
  readonly store: Pick<NatsStore, 'audit' | 'checkpoints' | 'bucket'>
  readonly signer: TextSigner
  /** Writes the waiting notes, for a limited time. */
  close(): Promise<void>
}

/** For a gateway. */
export async function openAudit(deps: Shared): Promise<GatewayAudit> {
  const { config, store, clock, log } = deps
  const notes = new NoteWriter({ stream: store.notes, clock, log })
  const reads = new ReadLog({ stream: store.reads, clock, log })
  const watch = await AuditWatch.open(store, clock)
  return {
    notes,
    reads,
    assertAudited: () => watch.assertAudited(),
    watch,
    store,
    signer: auditSigner(config),
    async close() {
      await Promise.all([notes.close(), reads.close()])
      watch.stop()
    },
  }
}
