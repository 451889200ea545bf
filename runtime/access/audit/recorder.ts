/**
 * Keeps the audit up to date, on one actor host at a time, which is chosen by rendezvous hashing.
 * Two hosts that both think they are chosen do no harm, see `chain.ts`. It publishes its progress
 * every `auditStateMs`; gateways refuse decisions while it is too far behind.
 */
import type { Logger } from 'pino'
import {
  auditStateKey,
  type AuditEntry,
  type AuditState,
} from '../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { MessageSubscriber, BusService } from '../../store/bus.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import type { Lease } from '../../cluster/lease.ts'
import type { Membership } from '../../cluster/membership.ts'
import type { NatsStore } from '../../store/nats/buckets.ts'
import { rendezvousHost } from '../../cluster/placement.ts'
import type { TextSigner } from '../../accounts/seal/signer.ts'
import { AuditChain } from './chain/chain.ts'
import { Checkpoints, type CheckpointCopy } from './chain/checkpoints.ts'
import { AuditSequencer, type SequencerRound } from './chain/sequencer.ts'
import type { AuditSource } from './sources/sources.ts'

export interface AuditRecorderOptions {
  readonly store: Pick<NatsStore, 'audit' | 'checkpoints' | 'bucket'>
  readonly bus: MessageSubscriber
  readonly clock: Clock
  readonly lease: Pick<Lease, 'incarnation' | 'isValid'>
  readonly membership: Pick<Membership, 'available'>
  readonly signer: TextSigner
  readonly copy?: CheckpointCopy
  readonly sources: readonly AuditSource[]
  readonly log: Logger
}

export class AuditRecorder {
  readonly #options: AuditRecorderOptions
  readonly #chain: AuditChain
  readonly #checkpoints: Checkpoints
  readonly #subscriptions: readonly BusService[]
  /** Undefined while another host is chosen. */
  #sequencer: AuditSequencer | undefined
  #entries = 0
  #checkpointedAtMs = 0
  #publishedAtMs = -Infinity
  /** Announced messages that have not been read yet; 0 once every source is drained. */
  #waiting = 0
  /** An announced message may be stored a moment later, so another round follows soon. */
  #isAnnounced = false
  #turning = false
  #isWanted = false
  #stopped = false
  #timer: Timer | undefined

  constructor(options: AuditRecorderOptions) {
    const { store, bus, clock, signer, sources, copy } = options
    this.#options = options
    this.#chain = new AuditChain(store.audit, clock)
    this.#checkpoints = new Checkpoints(store, signer, clock, copy)
    this.#subscriptions = sources.map(({ subject }) =>
      bus.subscribe(subject, () => this.#onMessage()),
    )
    void this.#turn()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    for (const service of this.#subscriptions) service.stop()
  }

  #onMessage(): void {
    if (!this.#sequencer) return
    this.#waiting++
    this.#isAnnounced = true
    void this.#turn()
  }

  /** Runs until no message waits, one run at a time; an announcement during a run starts another. */
  async #turn(): Promise<void> {
    this.#isWanted = true
    if (this.#turning) return
    this.#turning = true
    this.#timer?.cancel()
    let waitMs: number = this.#isAnnounced ? limits.auditSettleMs : limits.auditStateMs
    this.#isAnnounced = false
    try {
      while (this.#isWanted && !this.#stopped) {
        this.#isWanted = false
        await this.#work()
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'audit: the update failed and will be retried')
      waitMs = limits.auditRetryMs
    }
    this.#turning = false
    if (!this.#stopped) {
      this.#timer = this.#options.clock.timer(waitMs, () => void this.#turn())
    }
  }

  async #work(): Promise<void> {
    if (!this.#isChosen()) {
      this.#sequencer = undefined
      return
    }
    const sequencer = (this.#sequencer ??= await this.#begin())
    for (;;) {
      const round = await sequencer.round()
      const read = Object.values(round.read).reduce((sum, n) => sum + n, 0)
      this.#waiting = round.isDrained ? 0 : Math.max(1, this.#waiting - read)
      await this.#publish(sequencer, round)
      if (round.isDrained || this.#stopped || !this.#isChosen()) break
    }
    await this.#checkpoint()
  }

  #isChosen(): boolean {
    const { lease, membership } = this.#options
    const chosen = rendezvousHost('audit', membership.available('actors'))
    return lease.isValid() && chosen?.incarnation === lease.incarnation
  }

  /** Starts at the positions of the previous recorder; without them, at the beginning. */
  async #begin(): Promise<AuditSequencer> {
    const { store, sources, log } = this.#options
    const entry = await store.bucket(buckets.audit).get(auditStateKey)
    const state = entry && decode<AuditState>(entry.value)
    this.#entries = Math.max(this.#entries, state?.entries ?? 0)
    this.#checkpointedAtMs = state?.checkpointedAtMs ?? 0
    this.#waiting = 0
    log.info({ entries: this.#entries }, 'audit: this host now writes the audit')
    const onEntry = (made: AuditEntry, seq: number) => this.#onEntry(made, seq)
    const positions = state?.positions ?? {}
    return new AuditSequencer({ chain: this.#chain, sources, log, positions, onEntry })
  }

  async #onEntry(entry: AuditEntry, seq: number): Promise<void> {
    // Nothing is ever removed from the stream, so its sequence is the number of entries.
    this.#entries = Math.max(this.#entries, seq)
    if (Checkpoints.isDue(entry.n)) await this.#checkpoints.sign(entry.client, entry)
  }

  async #checkpoint(): Promise<void> {
    const { clock, log } = this.#options
    if (clock.now() - this.#checkpointedAtMs < limits.checkpointMs) return
    const signed = await this.#checkpoints.signAll()
    this.#checkpointedAtMs = clock.now()
    if (signed > 0) log.info({ signed }, 'audit: checkpoints signed')
  }

  async #publish(
    sequencer: AuditSequencer,
    { isDrained, reachedMs }: SequencerRound,
  ): Promise<void> {
    const { store, clock, lease } = this.#options
    if (clock.monotonic() - this.#publishedAtMs < limits.auditStateMs * 0.9) return
    const state: AuditState = {
      atMs: clock.now(),
      by: lease.incarnation,
      entries: this.#entries,
      backlogEntries: isDrained ? 0 : this.#waiting,
      ...(!isDrained && reachedMs !== undefined && { oldestMs: reachedMs }),
      positions: sequencer.positions,
      checkpointedAtMs: this.#checkpointedAtMs,
    }
    await store.bucket(buckets.audit).put(auditStateKey, encode(state))
    this.#publishedAtMs = clock.monotonic()
  }
}
