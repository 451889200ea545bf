/**
 * Tickets for one blob: signed with a key that all core hosts share, so each of them can write a
 * ticket for the folder of another.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { BlobPlace } from '../../proto/session/blob.ts'
import { noKey } from '../accounts/seal/seal.ts'
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
    const text = JSON.stringify({ store, id, use, untilMs } satisfies Claims)
    const signed = this.#signer.sign(text)
    if (!signed) throw noKey()
    const body = Buffer.from(text).toString('base64url')
    return `${body}.${signed.keyId}.${signed.signature}`
  }

  /** The place that the ticket opens. Throws if it does not open one in this store for this use. */
  check(ticket: string, store: string, use: Use): BlobPlace {
    const [body = '', keyId = '', signature = ''] = ticket.split('.')
    const text = Buffer.from(body, 'base64url').toString()
    if (!this.#signer.isSigned(text, { keyId, signature })) throw refused('is not valid')
    const claims = JSON.parse(text) as Claims
    if (claims.store !== store || claims.use !== use) throw refused('is for something else')
    if (claims.untilMs < this.#clock.now()) throw refused('has expired')
    return claims
  }
}

const refused = (why: string) => new ServiceError('unauthorized', `The ticket of the blob ${why}.`)
