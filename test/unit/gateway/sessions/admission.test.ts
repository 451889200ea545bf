/** Goal: a key keeps to its limit, and a tenant leaves room for others if there are others. */
import t from 'tap'
import type { Principal } from '../../../../gateway/routing/auth/auth.ts'
import { KeyValidity } from '../../../../gateway/routing/auth/key-validity.ts'
import { KeyTenants } from '../../../../gateway/routing/auth/key-tenants.ts'
import { SessionAdmission } from '../../../../gateway/sessions/admission.ts'
import { RunningViews } from '../../../../gateway/routing/running-views.ts'
import { isFinal } from '../../../../proto/session/session.ts'
import type { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { systemClock as clock } from '../../../../runtime/lib/clock.ts'
import { PlayedViews, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf, PlayedKeys } from '../../../helpers/gateway/played/keys.ts'
import { playedSecret } from '../../../helpers/gateway/played/secret.ts'

function stage({ capacity = 8, percent = 75, others = true } = {}) {
  const mine = keyOf('mine').record
  const other = keyOf('other').record
  const keys = new PlayedKeys(others ? [mine, other] : [mine])
  const views = new PlayedViews()
  const admission = new SessionAdmission({
    ...{ views, clock },
    running: new RunningViews(views, ({ status }) => isFinal(status)),
    tenants: new KeyTenants({
      keys,
      keyValidity: new KeyValidity(keys, clock, playedSecret('of the service')),
    }),
    health: { capacity: () => capacity },
    config: { TENANT_SHARE_PERCENT: percent },
    room: { admit: () => undefined },
  })
  const caller: Principal = { keyId: mine.id, keyName: 'mine', tenant: 'mine', scopes: [] }
  const have = (count: number, tenant = 'mine') => {
    for (let n = 0; n < count; n++) {
      const id = newId('ses')
      views.set({ ...playedView(id), tenant, keyId: tenant === 'mine' ? mine.id : other.id })
    }
  }
  const refusal = (by = caller, toCome = [] as { id: string; keyId: string }[]) => {
    try {
      admission.admit(by, toCome)
      return undefined
    } catch (error) {
      const { type, details } = error as ServiceError
      return { type, ...details }
    }
  }
  return { admission, keys, caller, mine, other, have, refusal }
}

const refusedAt = (limit: number) => ({ type: 'session_limit', limit, current: limit })

t.test('a tenant gets three quarters of the service when another has a key', async (t) => {
  const { have, refusal } = stage()
  have(5)
  have(3, 'other')
  t.equal(refusal(), undefined, 'those of others do not count')
  have(1)
  t.match(refusal(), refusedAt(6))
})

t.test('a single tenant gets all of it, also after other tenants’ keys expire', async (t) => {
  const alone = stage({ others: false })
  alone.have(8)
  t.equal(alone.refusal(), undefined)
  const { have, refusal, keys, other } = stage()
  have(8)
  t.match(refusal(), { type: 'session_limit' })
  keys.set({ ...other, revokedAtMs: 1 })
  t.equal(refusal(), undefined)
})

t.test('promised sessions count: creations in progress, sessions of tasks', async (t) => {
  const { admission, caller, have, refusal, mine } = stage()
  have(4)
  const id = newId('ses')
  admission.countPending(id, caller)
  t.same(admission.pendingOf('mine'), [id])
  const toCome = [{ id: newId('ses'), keyId: mine.id }]
  t.match(refusal(caller, toCome), refusedAt(6))
  admission.fulfilled(id)
  t.equal(refusal(caller, toCome), undefined)
})

t.test('at least one, by the operator’s percentage; without hosts no limit', async (t) => {
  const small = stage({ capacity: 1 })
  t.equal(small.refusal(), undefined)
  small.have(1)
  t.match(small.refusal(), refusedAt(1))
  const half = stage({ percent: 50 })
  half.have(4)
  t.match(half.refusal(), refusedAt(4))
  const none = stage({ capacity: 0 })
  none.have(2)
  t.equal(none.refusal(), undefined)
})

t.test('a key’s own limit applies too', async (t) => {
  const { caller, have, refusal, mine } = stage()
  have(2)
  t.match(refusal({ ...caller, sessionsMax: 2 }), refusedAt(2))
  t.equal(refusal({ ...caller, keyId: 'another', sessionsMax: 1 }), undefined)
  t.match(refusal({ ...caller, sessionsMax: 3 }, [{ id: newId('ses'), keyId: mine.id }]), {
    limit: 3,
  })
})
