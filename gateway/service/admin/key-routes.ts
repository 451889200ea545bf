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
const tenantName = z.string().refine(isToken, 'must have at most 64 letters, digits, - and _')
const keyStates = ['active', 'expired', 'revoked'] as const satisfies readonly KeyState[]

const keyJson = z.object({
  id: z.string().describe('Identifies the key in the audit and when you revoke it.'),
  tenant: z.string(),
  name: z.string(),
  state: z.enum(keyStates),
  scopes: z.array(scope),
  allow_private: z.boolean().describe('Whether its sessions can reach private networks.'),
  max_sessions: z
    .number()
    .int()
    .optional()
    .describe('Maximum number of its sessions at once; absent if it has no limit of its own.'),
  sessions: z.number().int().describe('Number of its sessions that are alive.'),
  created_at: time,
  expires_at: time.optional(),
  revoked_at: time.optional(),
  last_used_at: time
    .optional()
    .describe('When a request or a connection last came with it, accurate to the minute.'),
})

const keysJson = z.object({
  data: z.object({
    keys: z.array(keyJson),
    ...{ total: z.number().int(), page: z.number().int(), total_pages: z.number().int() },
  }),
})

export const madeKeyJson = z.object({
  data: keyJson.extend({ key: z.string().describe('The key itself, shown only once.') }),
})
const revokedKeyJson = z.object({
  data: keyJson.extend({ sessions_ended: z.number().int() }),
})

const keyOrderBody = z.strictObject({
  tenant: tenantName.optional().describe('If absent, the tenant of your key.'),
  name: z
    .string()
    .regex(/^\S(.{0,62}\S)?$/, 'must have 1 to 64 characters')
    .describe('What the key is for; shown with its sessions.'),
  scopes: z
    .array(scope)
    .min(1)
    .optional()
    .describe(
      'Scopes of the new key; your key must have each of them. If absent, all scopes of your ' +
        'key except admin and metrics.',
    ),
  allow_private: z
    .boolean()
    .optional()
    .describe('Whether its sessions can reach private networks; requires that your key allows it.'),
  max_sessions: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Maximum number of its sessions at once. If absent, the limit of your key.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('If absent, the expiry of your key, if it has one.'),
})

const listQuery = z.strictObject({
  ...pageQuery,
  tenant: z.string().optional().describe('Only keys of this tenant.'),
  state: z.enum(keyStates).optional(),
})

const example: z.infer<typeof keyJson> = {
  ...{ id: '3f9c01ab77de', tenant: 'acme', name: 'ci', state: 'active' },
  ...{ scopes: ['sessions', 'drive', 'view'], allow_private: false, max_sessions: 5, sessions: 0 },
  ...{ created_at: '2026-11-22T14:05:00.000Z', expires_at: '2027-11-22T14:05:00.000Z' },
  last_used_at: '2026-11-26T09:31:00.000Z',
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
      'Returns their scopes, limits and number of live sessions. The keys themselves are not ' +
      'stored and never returned.',
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
      'The new key cannot have more scopes, more sessions, a later expiry or wider network ' +
      'access than yours. All gateways accept it within moments.',
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
      'The key is refused from now on, and its connections, links and tokens end. Its ' +
      'sessions continue for other keys of its tenant, unless you send `end_sessions=true`. ' +
      'Revoking a key twice has no further effect.',
    auth: 'key',
    scope: 'admin',
    params: ofKey,
    query: z.strictObject({
      end_sessions: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to end the sessions created with the key.'),
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
  const { id, tenant, name, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs }: KeyRecord =
    record
  const { scopes, allowPrivate, sessionsMax } = keyPowersOf(record)
  return {
    ...{ id, tenant, name, state, scopes: [...scopes], allow_private: allowPrivate, sessions },
    created_at: toIsoTime(createdAtMs),
    ...defined({
      max_sessions: sessionsMax,
      expires_at: isoOf(expiresAtMs),
      revoked_at: isoOf(revokedAtMs),
      last_used_at: isoOf(lastUsedAtMs),
    }),
  }
}
