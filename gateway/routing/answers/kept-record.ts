/** The record of a request with an `Idempotency-Key`, in KV `idempotency`. */
import type { StoredAnswer } from './stored-answer.ts'

interface OfRequest {
  /** Whose room it uses; absent in records of an older version. */
  readonly tenant?: string
  readonly fingerprint: string
}

/** Times are wall-clock, because other gateways read them. */
export type KeptRecord = OfRequest &
  (
    | {
        readonly state: 'running'
        readonly id: string
        readonly aliveAtMs: number
        /**
         * Makes it larger than the record of an answer that found no room, which a full bucket
         * then takes in its place.
         */
        readonly padding?: string
      }
    | { readonly state: 'done'; readonly doneAtMs: number; readonly answer: StoredAnswer }
    /** The request was refused or failed in a way that a retry may change. */
    | { readonly state: 'free'; readonly id: string }
  )
