/**
 * Notes of this gateway for the audit, about events that no actor's log contains. Requests do not
 * wait for them: notes are queued and written in order.
 */
import type { AccessNote } from '../../../proto/access/audit/note.ts'
import { platformTenant } from '../../../proto/access/ids.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import {
  authorOf,
  callerTenantOf,
  type AccessCaller,
  type RequestOrigin,
} from '../../routing/auth/access-caller.ts'
import { networkPrefixOf } from './network-prefix.ts'

/** Queues a note; notes that cannot be written in time are counted and logged by the sink. */
export interface NoteSink {
  add(note: AccessNote): void
}

interface Refusal {
  readonly reason: string
  readonly route?: string
  /** The entity concerned; the note is then written to the audit of the entity's client. */
  readonly about?: NonNullable<AccessNote['object']> & { readonly tenant: string }
}

export class AccessNotes {
  readonly #sink: NoteSink
  readonly #clock: Clock

  constructor(sink: NoteSink, clock: Clock) {
    this.#sink = sink
    this.#clock = clock
  }

  /** A credential was invalid. */
  authenticationFailed(
    origin: RequestOrigin,
    action: 'authentication_failed' | 'sign_in_failed',
  ): void {
    const reason = 'unknown, expired or revoked credential'
    this.#add(origin, { action, outcome: 'failed', tenant: platformTenant, reason })
  }

  denied(caller: AccessCaller, { about, ...refusal }: Refusal): void {
    const of = about && { tenant: about.tenant, object: { kind: about.kind, id: about.id } }
    this.#of(caller, { action: 'authorization_denied', outcome: 'denied', ...refusal, ...of })
  }

  /** A path contained an id of another client. `reason` is the error that the caller got. */
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

  /** `client` is the client whose audit was exported, or `platform` for all. */
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
    this.#add(caller, { tenant: callerTenantOf(caller) ?? platformTenant, ...note, ...used, by })
  }

  #add(
    { requestId, address }: RequestOrigin,
    note: Omit<AccessNote, 'atMs' | 'requestId' | 'net'>,
  ): void {
    this.#sink.add({ ...note, atMs: this.#clock.now(), requestId, net: networkPrefixOf(address) })
  }
}
