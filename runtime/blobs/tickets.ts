/**
 * Tickets for one blob: signed with a key that all core hosts share, so each of them can write a
 * ticket for the folder of another.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { BlobPlace } from '../../proto/session/blob.ts'
import { readClaims, signClaims } from '../accounts/seal/signed-claims.ts'
import type { TextSigner } from '../accounts/seal/signer.ts'
import type { Clock } from '../lib/clock.ts'
import { blobLimits } from './limits.ts'

type Use = 'read' | 'write'

interface Claims extends BlobPlace {
  readonly use: Use
  readonly untilMs: number
}

export class BlobTickets {
  readonly #signer: TextSigner
  readonly #clock: Clock

  constructor(signer: TextSigner, clock: Clock) {
    this.#signer = signer
    this.#clock = clock
  }

  issue({ store, id }: BlobPlace, use: Use): string {
    const untilMs = this.#clock.now() + blobLimits.ticketLifeMs
    return signClaims(this.#signer, { store, id, use, untilMs } satisfies Claims)
  }

  /** The place that the ticket opens. Throws if it does not open one in this store for this use. */
  check(ticket: string, store: string, use: Use): BlobPlace {
    const claims = readClaims(this.#signer, ticket) as Claims | undefined
    if (!claims) throw refused('is not valid')
    if (claims.store !== store || claims.use !== use) throw refused('is for something else')
    if (claims.untilMs < this.#clock.now()) throw refused('has expired')
    return claims
  }
}

const refused = (why: string) => new ServiceError('unauthorized', `The ticket of the blob ${why}.`)
