/**
 * Goal: a route of scoped access without a rule does not compile, and a handler gets an access to
 * records only from a rule that checks it. Method: the compiler, and routes that are called.
 */
import t from 'tap'
import { z } from 'zod'
import { newAccessId } from '../../../../proto/access/ids.ts'
import {
  grantingCaller,
  permissionFor,
  type AuthorizeCaller,
  type Granted,
} from '../../../../gateway/access/gate/access.ts'
import { insufficientScope } from '../../../../gateway/access/gate/authorize.ts'
import type { AccessCaller } from '../../../../gateway/routing/auth/access-caller.ts'
import { anyoneRule } from '../../../../gateway/routing/auth/access-rule.ts'
import { emptyRoute, jsonRoute, rawRoute } from '../../../../gateway/routing/route.ts'
import type { HttpRequest } from '../../../../gateway/server/http.ts'

const form = { method: 'GET', path: '/v1/x', summary: 'Read.', auth: 'access' } as const
const response = z.looseObject({})
const handler = () => ({})
const access = {
  clientId: newAccessId('client'),
  permissions: [{ area: 'contacts', actions: ['read'] }],
  author: { kind: 'integration', id: 'newsletter' },
} as const
const authorize: AuthorizeCaller = (_, area, action) => {
  if (permissionFor(access, area, action)) return access
  throw insufficientScope(area, action)
}
const call = {
  request: { headers: new Map(), query: new URLSearchParams() } as unknown as HttpRequest,
  requestId: 'req_1',
  caller: { keyId: 'tok_1' } as AccessCaller,
  params: {},
}

t.test(
  'a route without a rule does not compile, nor one that names what it does not check',
  async () => {
    // @ts-expect-error: no rule
    jsonRoute({ ...form, response, handler })
    // @ts-expect-error: no rule
    emptyRoute({ ...form, handler })
    // @ts-expect-error: no rule
    rawRoute({ ...form, contentType: 'text/plain', handler: () => ({ status: 200 }) })
    const named = { ...anyoneRule, area: 'contacts', action: 'read' } as const
    // @ts-expect-error: names a permission that nothing checks
    jsonRoute({ ...form, access: named, response, handler })
  },
)

t.test('a rule without a permission grants nothing', async (t) => {
  const route = jsonRoute({
    ...{ ...form, access: anyoneRule, response },
    handler: ({ granted }) => {
      // @ts-expect-error: there is no access to records
      const none: Granted<'contacts', 'read'> = granted
      return { none }
    },
  })
  t.equal((await route.run(call)).body, '{}')
})

t.test('what was granted for one action is not for another', async (t) => {
  let seen: unknown
  const route = emptyRoute({
    ...{ ...form, access: grantingCaller(authorize, 'contacts', 'read') },
    handler: ({ granted }) => {
      // @ts-expect-error: it was not checked for this
      const other: Granted<'contacts', 'write'> = granted
      // @ts-expect-error: nor for another area
      const elsewhere: Granted<'tasks', 'read'> = granted
      const right: Granted<'contacts', 'read'> = granted
      seen = [other, elsewhere, right]
    },
  })
  await route.run(call)
  t.same(seen, [access, access, access])
})

t.test('a refused caller does not reach the handler', async (t) => {
  const route = emptyRoute({
    ...{ ...form, access: grantingCaller(authorize, 'contacts', 'write') },
    handler: () => t.fail('it was called'),
  })
  await t.rejects(route.run(call), /does not include contacts:write/)
})
