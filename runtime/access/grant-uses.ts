/**
 * Tells grants that they are used, at most once a minute for each token, and for each grant that is
 * used without one: by a person in the portal, by a delivery of a webhook. Nothing waits for it.
 */
import type { Logger } from 'pino'
import { defined } from '../../proto/defined.ts'
import { grantActor, type GrantView } from '../../proto/access/grants/grant.ts'
import type { GrantId, TokenId } from '../../proto/access/ids.ts'
import { accessLimits as limits } from '../../proto/access/limits.ts'
import type { Directory } from '../actor/directory.ts'
import type { Clock } from '../lib/clock.ts'
import { FirstOfPeriod } from '../lib/repeats/first-of-period.ts'

export interface GrantUse {
  readonly grantId: GrantId
  /** Absent: used without a token. */
  readonly tokenId?: TokenId
}

export interface GrantUsesDeps {
  readonly directory: Pick<Directory, 'ask'>
  readonly clock: Clock
  readonly log: Logger
  /** Gets the grant as it is after the use. */
  readonly onView?: (view: GrantView) => void
}

export class GrantUses {
  readonly #deps: GrantUsesDeps
  /** By token, or by grant. */
  readonly #told: FirstOfPeriod

  constructor(deps: GrantUsesDeps) {
    this.#deps = deps
    this.#told = new FirstOfPeriod(deps.clock, limits.tokenUseToldMs)
  }

  /**
   * Records a use at this moment. One that cannot be told is logged: the next minute's use tells
   * the grant again.
   */
  note({ grantId, tokenId }: GrantUse): void {
    const { directory, clock, log, onView } = this.#deps
    if (!this.#told.isFirst(tokenId ?? grantId)) return
    const atMs = clock.now()
    directory.ask(grantActor, grantId, { type: 'used', atMs, ...defined({ tokenId }) }).then(
      ({ view }) => onView?.(view),
      (err: unknown) => log.warn({ err, grantId }, 'access: a use was not recorded'),
    )
  }
}
