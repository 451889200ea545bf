/**
 * Events that the audit needs and no actor's log contains: refusals, sign-ins, secrets that were
 * shown. Appended to stream NOTES, one subject per client, and read by the audit's sequencer.
 */
import type { Author } from '../author.ts'

const noteActions = [
  'authentication_failed',
  'authorization_denied',
  'token_in_url',
  'cross_client_attempt',
  'rate_limited',
  'secret_shown',
  'audit_exported',
  'sign_in_failed',
] as const
export type NoteAction = (typeof noteActions)[number]

export interface AccessNote {
  readonly action: NoteAction
  readonly outcome: 'success' | 'denied' | 'failed'
  /** Wall-clock ms. */
  readonly atMs: number
  /** A client's id, or `platform` if the client is unknown. */
  readonly tenant: string
  readonly by?: Author
  readonly requestId: string
  /** The request's route: `GET /v1/contacts/{id}`. */
  readonly route?: string
  readonly object?: { readonly kind: string; readonly id: string }
  /** An error's type, or one sentence. */
  readonly reason?: string
  readonly grantId?: string
  readonly needId?: string
  readonly tokenId?: string
  /** How many events of the same kind this note stands for; 1 if absent. */
  readonly count?: number
  /** The client address, cut to /24 or /48. */
  readonly net?: string
}
