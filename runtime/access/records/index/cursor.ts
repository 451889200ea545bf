/**
 * Cursors of lists: what was listed, in which order, and after which row, with a MAC. A cursor is
 * valid for the same client, area, order and filter only; otherwise the error is `invalid_cursor`,
 * always with the same text.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ClientId } from '../../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { IndexPosition } from './area-index.ts'

/** The list to which a cursor is bound. */
export interface ListIdentity {
  readonly client: ClientId
  readonly area: AreaKey
  /** For example `-created_at`. */
  readonly sort: string
  /** Digest of all filters. */
  readonly digest: string
}

const macBytes = 16

const payloadSchema = z.tuple([
  z.literal(1),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
  z.string(),
])

export class Cursors {
  readonly #secret: () => string

  constructor(secret: () => string) {
    this.#secret = secret
  }

  write({ client, area, sort, digest }: ListIdentity, { value, id }: IndexPosition): string {
    const payload = Buffer.from(JSON.stringify([1, client, area, sort, digest, value ?? null, id]))
    return Buffer.concat([this.#mac(payload), payload]).toString('base64url')
  }

  read({ client, area, sort, digest }: ListIdentity, text: string): IndexPosition {
    const bytes = text.length <= limits.cursorChars ? Buffer.from(text, 'base64url') : undefined
    // Node's decoder ignores invalid characters, so the text must equal its own re-encoding.
    if (!bytes || bytes.length <= macBytes || bytes.toString('base64url') !== text)
      throw invalidError()
    const payload = bytes.subarray(macBytes)
    if (!timingSafeEqual(this.#mac(payload), bytes.subarray(0, macBytes))) throw invalidError()
    const [, ...parts] = payloadSchema.parse(JSON.parse(payload.toString()))
    const [ofClient, ofArea, ofSort, ofDigest, value, id] = parts
    const isSame = ofClient === client && ofArea === area && ofSort === sort && ofDigest === digest
    if (!isSame) throw invalidError()
    return { value: value ?? undefined, id }
  }

  #mac(payload: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret()).update(payload).digest().subarray(0, macBytes)
  }
}

function invalidError(): ServiceError {
  const message =
    'This cursor belongs to another list: use `next_cursor` of the last page unchanged, with the ' +
    'same sort and filters, or start without a cursor.'
  return new ServiceError('invalid_cursor', message)
}
