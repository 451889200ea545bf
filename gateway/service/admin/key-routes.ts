/** API keys over REST, for the operator: list, create, revoke. */
import { z } from 'zod'
import type { KeyRecord } from '../../../proto/accounts/key.ts'
import { keyScopeNames, type KeyScope } from '../../../proto/accounts/key-scopes.ts'
import { defined } from '../../../proto/defined.ts'
import { isToken } from '../../../proto/ids.ts'
import { toIsoTime } from '../../routing/answers/iso-time.ts'
import { pageOfRows, pageQuery } from '../../routing/answers/paging.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { keyPowersOf, type ApiKeys, type KeyState, type ListedKey } from './api-keys.ts'

const scope = z.enum(keyScopeNames as [KeyScope, ...KeyScope[]])
const time = z.iso.datetime()
const tenantName = z.string().refine(isToken, 'must have letters, digits, - and _, at most 64')
const keyStates = ['active', 'expired', 'revoked'] as const satisfies readonly KeyState[]

const keyJson = z.object({
  id: z.string().describe('Names the key in the audit, and where it is revoked.'),
  tenant: z.string(),
  name: z.string(),
  state: z.enum(keyStates),
  scopes: z.array(scope),
  allow_private: z.boolean().describe('Its sessions may reach private networks.'),
  max_sessions: z.number().int().optional().describe('At once; absent: no limit of its own.'),
  sessions: z.number().int().describe('Of this key that are alive.'),
  created_at: time,
  expires_at: time.optional(),
  revoked_at: time.optional(),
})

const keysJson = z.object({
  data: z.object({
    keys: z.array(keyJson),
    ...{ total: z.number().int(), page: z.number().int(), total_pages: z.number().int() },
  }),
})

export const madeKeyJson = z.object({
  data: keyJson.extend({ key: z.string().describe('The key itself. It is shown this once.') }),
})
const revokedKeyJson = z.object({
  data: keyJson.extend({ sessions_ended: z.number().int() }),
})

const keyOrderBody = z.strictObject({
  tenant: tenantName.optional().describe('The tenant of your key when absent.'),
  name: z
    .string()
    .regex(/^\S(.{0,62}\S)?$/, 'must have 1 to 64 characters')
    .describe('What it is for; shown with its sessions.'),
  scopes: z
    .array(scope)
    .min(1)
    .optional()
    .describe('Some of those that your key has. When absent: all of them but admin.'),
  allow_private: z
    .boolean()
    .optional()
    .describe('Its sessions may reach private networks, which yours then must be allowed to.'),
  max_sessions: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('At once. When absent: as many as your key may have.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When absent: the end of your key, if it has one.'),
})

const listQuery = z.strictObject({
  ...pageQuery,
  tenant: z.string().optional().describe('Exactly this tenant.'),
  state: z.enum(keyStates).optional(),
})

const example: z.infer<typeof keyJson> = {
  ...{ id: '3f9c01ab77de', tenant: 'acme', name: 'ci', state: 'active' },
  ...{ scopes: ['sessions', 'drive', 'view'], allow_private: false, max_sessions: 5, sessions: 0 },
  ...{ created_at: '2026-11-22T14:05:00.000Z', expires_at: '2027-11-22T14:05:00.000Z' },
}
const ofKey = z.object({ key_id: z.string() })

export function keyRoutes(keys: ApiKeys): readonly Route[] {
  return [listRoute(keys), makeRoute(keys), revokeRoute(keys)]
}

const listRoute = (keys: ApiKeys): Route =>
  jsonRoute({
    method: 'GET',
    path: '/v1/admin/keys',
    summary: 'List the API keys of all tenants.',
    description:
      'With their scopes, limits and live sessions. Never the keys themselves: they are not stored.',
    auth: 'key',
    scope: 'admin',
    query: listQuery,
    response: keysJson,
    example: { answer: { data: { keys: [example], total: 1, page: 1, total_pages: 1 } } },
    async handler({ query: { tenant, state, ...query } }) {
      const listed = await keys.list(tenant)
      const found = state === undefined ? listed : listed.filter((one) => one.state === state)
      const { rows, counts } = pageOfRows(found, query)
      return { data: { keys: rows.map(toKeyJson), ...counts } }
    },
  })

const makeRoute = (keys: ApiKeys): Route =>
  jsonRoute({
    method: 'POST',
    path: '/v1/admin/keys',
    audit: 'key.create',
    summary: 'Create an API key for a tenant. It is shown only once.',
    description:
      'The new key may do no more than yours: its scopes, its limit of sessions, private networks ' +
      'and its end are held against those of the key that makes it. It is accepted by every ' +
      'gateway within a moment.',
    auth: 'key',
    scope: 'admin',
    makes: true,
    showsSecret: true,
    status: 201,
    body: keyOrderBody,
    response: madeKeyJson,
    example: {
      body: { tenant: 'acme', name: 'ci', scopes: ['sessions', 'drive', 'view'], max_sessions: 5 },
      answer: { data: { ...example, key: 'trp_3f9c01ab77de_…' } },
    },
    about: aboutKey,
    async handler({ caller, body }) {
      const { record, text } = await keys.make(caller, body)
      return { data: { ...toKeyJson({ record, state: 'active', sessions: 0 }), key: text } }
    },
  })

const revokeRoute = (keys: ApiKeys): Route =>
  jsonRoute({
    method: 'DELETE',
    path: '/v1/admin/keys/{key_id}',
    audit: 'key.revoke',
    summary: 'Revoke an API key of any tenant.',
    description:
      'It is refused from now on, and its connections, links and tokens end. Its sessions go on ' +
      'for other keys of its tenant, unless `end_sessions=true`. Revoking it twice changes nothing.',
    auth: 'key',
    scope: 'admin',
    params: ofKey,
    query: z.strictObject({
      end_sessions: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Also end the sessions that were created with it.'),
    }),
    response: revokedKeyJson,
    example: {
      answer: {
        data: {
          ...{ ...example, state: 'revoked', sessions_ended: 0 },
          revoked_at: '2026-11-22T15:05:00.000Z',
        },
      },
    },
    about: aboutKey,
    async handler({ params, query }) {
      const endSessions = query.end_sessions === 'true'
      const revoked = await keys.revoke(params.key_id, { endSessions })
      return { data: { ...toKeyJson(revoked), sessions_ended: revoked.ended } }
    },
  })

/** The audit entry itself contains the caller's key and tenant. */
const aboutKey = ({ data: { id, tenant, name } }: { readonly data: z.infer<typeof keyJson> }) => ({
  detail: { key_id: id, tenant, name },
})

const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : toIsoTime(ms))

function toKeyJson({ record, state, sessions }: ListedKey) {
  const { id, tenant, name, createdAtMs, expiresAtMs, revokedAtMs }: KeyRecord = record
  const { scopes, allowPrivate, sessionsMax } = keyPowersOf(record)
  return {
    ...{ id, tenant, name, state, scopes: [...scopes], allow_private: allowPrivate, sessions },
    created_at: toIsoTime(createdAtMs),
    ...defined({
      max_sessions: sessionsMax,
      expires_at: isoOf(expiresAtMs),
      revoked_at: isoOf(revokedAtMs),
    }),
  }
}
