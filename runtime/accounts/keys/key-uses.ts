/**
 * Records when API keys are used, at most once a minute for each, whichever gateway it is used at.
 * Nothing waits for it.
 */
import type { Logger } from 'pino'
import type { KeyRecord } from '../../../proto/accounts/key.ts'
import type { Clock } from '../../lib/clock.ts'
import { FirstOfPeriod } from '../../lib/repeats/first-of-period.ts'
import type { Bucket } from '../../store/store.ts'
import { accountLimits as limits } from '../limits.ts'
import { recordKeyUse } from './keys.ts'

export interface KeyUsesDeps {
  readonly keyBucket: Bucket
  /** The known keys by id, which follow the bucket. */
  readonly keys: { get(keyId: string): KeyRecord | undefined }
  readonly clock: Clock
  readonly log: Logger
}

export class KeyUses {
  readonly #deps: KeyUsesDeps
  readonly #told: FirstOfPeriod

  constructor(deps: KeyUsesDeps) {
    this.#deps = deps
    this.#told = new FirstOfPeriod(deps.clock, limits.keyUseToldMs)
  }

  /**
   * Records a use at this moment; keys without a record, such as the development key, have none.
   * One that cannot be recorded is logged: the next minute's use is recorded again.
   */
  note(keyId: string): void {
    const { keyBucket, keys, clock, log } = this.#deps
    const record = keys.get(keyId)
    const atMs = clock.now()
    if (!record || isRecent(record, atMs) || !this.#told.isFirst(keyId)) return
    recordKeyUse(keyBucket, keyId, atMs).catch((err: unknown) =>
      log.warn({ err, keyId }, 'keys: a use was not recorded'),
    )
  }
}

/** Another gateway, or this one before a restart, recorded one within the minute. */
const isRecent = ({ lastUsedAtMs }: KeyRecord, nowMs: number) =>
  lastUsedAtMs !== undefined && nowMs - lastUsedAtMs < limits.keyUseToldMs
