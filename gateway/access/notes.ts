/**
 * What this gateway tells the audit that no actor's log holds. Nothing waits for it: notes are
 * queued, and written in order.
 */
import type { AccessNote } from '../../proto/access/note.ts'
import { platformTenant } from '../../proto/access/ids.ts'
import type { Clock } from '../../runtime/clock.ts'
import { authorOf, tenantOf, type AccessCaller, type Origin } from './caller.ts'
import { netOf } from './net.ts'

/** Takes a note for the audit; what cannot be written in time is counted and logged there. */
export interface NoteSink {
  add(note: AccessNote): void
}

interface Refusal {
  readonly reason: string
  readonly route?: string
  /** It is in the audit of its client, whoever was refused. */
  readonly about?: NonNullable<AccessNote['object']> & { readonly tenant: string }
}

export class AccessNotes {
  readonly #sink: NoteSink
  readonly #clock: Clock

  constructor(sink: NoteSink, clock: Clock) {
    this.#sink = sink
    this.#clock = clock
  }

  /** A credential that opened nothing. */
  authenticationFailed(origin: Origin, action: 'authentication_failed' | 'sign_in_failed'): void {
    const reason = 'no such credential, or no longer'
    this.#add(origin, { action, outcome: 'failed', tenant: platformTenant, reason })
  }

  denied(caller: AccessCaller, { about, ...refusal }: Refusal): void {
    const of = about && { tenant: about.tenant, object: { kind: about.kind, id: about.id } }
    this.#of(caller, { action: 'authorization_denied', outcome: 'denied', ...refusal, ...of })
  }

  /** A path had an id of another client. `reason` is what the caller was told. */
  crossClient(caller: AccessCaller, route: string): void {
    const refusal = { outcome: 'denied', reason: 'not_found', route } as const
    this.#of(caller, { action: 'cross_client_attempt', ...refusal })
  }

  tokenInUrl(caller: AccessCaller): void {
    this.#of(caller, { action: 'token_in_url', outcome: 'denied', reason: 'revoked' })
  }

  secretShown(caller: AccessCaller, object: NonNullable<AccessNote['object']>): void {
    this.#of(caller, { action: 'secret_shown', outcome: 'success', object })
  }

  /** `client`: whose audit; `platform` where it is of all. */
  auditExported(caller: AccessCaller, client: string): void {
    const object = { kind: 'audit', id: client }
    const note = { action: 'audit_exported', outcome: 'success', object } as const
    this.#of(caller, { ...note, tenant: client })
  }

  #of(
    caller: AccessCaller,
    note: Pick<AccessNote, 'action' | 'outcome' | 'reason' | 'object' | 'route'> &
      Partial<Pick<AccessNote, 'tenant'>>,
  ): void {
    const by = authorOf(caller, false)
    const used =
      caller.kind === 'token'
        ? { grantId: caller.grant.id, needId: caller.grant.needId, tokenId: caller.token.id }
        : {}
    this.#add(caller, { tenant: tenantOf(caller) ?? platformTenant, ...note, ...used, by })
  }

  #add({ requestId, address }: Origin, note: Omit<AccessNote, 'atMs' | 'requestId' | 'net'>): void {
    this.#sink.add({ ...note, atMs: this.#clock.now(), requestId, net: netOf(address) })
  }
}
