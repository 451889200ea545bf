/**
 * Decides whether a caller may have one more session: a key has its own limit, and if several
 * tenants share the service, none may take all of it.
 */
import { defined } from '../../proto/defined.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { Health } from './health.ts'
import type { KeyTenants } from '../routing/auth/key-tenants.ts'
import type { RunningSessions, SessionViews } from './session-views.ts'
import type { StoreRoom } from '../../runtime/actor/store-room.ts'

export interface AdmissionDeps {
  readonly views: Pick<SessionViews, 'get'>
  readonly running: RunningSessions
  readonly tenants: Pick<KeyTenants, 'hasOthers' | 'validKeys'>
  readonly health: Pick<Health, 'capacity'>
  readonly config: Pick<Config, 'TENANT_SHARE_PERCENT'>
  readonly room: Pick<StoreRoom, 'admit'>
  readonly clock: Clock
}

/** A requested session that is not in the views yet. */
export interface PendingSession {
  readonly id: string
  readonly keyId: string
}

/** A tenant's use of the service. */
export interface Usage {
  readonly tenant: string
  /** The number of its valid keys. */
  readonly keys: number
  /** The number of its sessions that are alive or requested. */
  readonly sessions: number
  /** Absent if no other tenant has a valid key. */
  readonly sessionsMax?: number
}

interface Pending {
  readonly keyId: string
  readonly tenant: string
  readonly sinceMs: number
}

export class SessionAdmission {
  readonly #deps: AdmissionDeps
  readonly #pending = new Map<string, Pending>()

  constructor(deps: AdmissionDeps) {
    this.#deps = deps
  }

  /** Counts the session from now on, even before its view arrives. */
  countPending(id: string, { keyId, tenant }: Principal): void {
    this.#pending.set(id, { keyId, tenant, sinceMs: this.#deps.clock.monotonic() })
  }

  pendingOf(tenant: string): readonly string[] {
    return [...this.#unseen()].filter(([, of]) => of.tenant === tenant).map(([id]) => id)
  }

  fulfilled(id: string): void {
    this.#pending.delete(id)
  }

  /**
   * Throws `session_limit` if the key or the tenant has reached its limit, and `storage_full` if the
   * tenant has used its share of the store. `toCome` are sessions
   * that the tenant's tasks will create. Gateways do not synchronise, so the limit may be exceeded
   * for a moment.
   */
  admit({ keyId, tenant, sessionsMax }: Principal, toCome: readonly PendingSession[] = []): void {
    this.admitToStore(tenant)
    const share = this.#shareOf(tenant)
    if (sessionsMax === undefined && share === undefined) return
    const { views, running } = this.#deps
    const requested = [
      ...[...this.#unseen().values()].filter((each) => each.tenant === tenant),
      ...toCome.filter(({ id }) => views.get(id) === undefined),
    ]
    if (sessionsMax !== undefined) {
      const ofKey = requested.filter((each) => each.keyId === keyId)
      const current = running.countOfKey(keyId) + ofKey.length
      refuseAt(sessionsMax, current, `This key can have at most ${sessionsMax} sessions at once`)
    }
    if (share === undefined) return
    const text =
      `Capacity is shared with other tenants: your keys together can have at most ${share} ` +
      'sessions at once'
    refuseAt(share, running.countOfTenant(tenant) + requested.length, text)
  }

  /** Throws `storage_full` if the tenant has used its share of the store. */
  admitToStore(tenant: string): void {
    this.#deps.room.admit(tenant)
  }

  /** The use of each tenant that has a key or a session, sorted by name. */
  usage(): readonly Usage[] {
    const { running } = this.#deps
    const keys = [...this.#deps.tenants.validKeys()]
    const requested = [...this.#unseen().values()].map((of) => of.tenant)
    const tenants = new Set([...keys.map((key) => key.tenant), ...running.tenants(), ...requested])
    return [...tenants].sort().map((tenant) => {
      const sessionsMax = this.#shareOf(tenant)
      return {
        tenant,
        keys: keys.filter((key) => key.tenant === tenant).length,
        sessions: running.countOfTenant(tenant) + requested.filter((of) => of === tenant).length,
        ...defined({ sessionsMax }),
      }
    })
  }

  /** Undefined if no other tenant has a valid key, or while no browser host is alive. */
  #shareOf(tenant: string): number | undefined {
    const { health, config, tenants } = this.#deps
    if (!tenants.hasOthers(tenant)) return undefined
    const capacity = health.capacity()
    if (capacity === 0) return undefined
    return Math.max(1, Math.floor((capacity * config.TENANT_SHARE_PERCENT) / 100))
  }

  #unseen(): ReadonlyMap<string, Pending> {
    const { views, clock } = this.#deps
    const oldestMs = clock.monotonic() - limits.requestHeldMs
    for (const [id, { sinceMs }] of this.#pending) {
      if (views.get(id) !== undefined || sinceMs < oldestMs) this.#pending.delete(id)
    }
    return this.#pending
  }
}

function refuseAt(limit: number, current: number, text: string): void {
  if (current < limit) return
  const message = `${text}; end one (DELETE /v1/sessions/{id}) or wait.`
  throw new ServiceError('session_limit', message, { current, limit })
}
