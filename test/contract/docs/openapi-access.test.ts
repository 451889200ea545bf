/**
 * Goal: what `/openapi.json` says of every route of scoped access is so. Method: each operation is
 * called by somebody who may, with requests made from its own schemas, valid ones and broken ones;
 * each answer must be declared: its status, type and body. Ids are those of a client with access.
 */
import t from 'tap'
import { defined } from '../../../proto/defined.ts'
import { recordRow } from '../../helpers/access/matrix/records.ts'
import { rows } from '../../helpers/access/matrix/matrix.ts'
import {
  credentialsIn,
  principals,
  type Principal,
} from '../../helpers/access/matrix/principals.ts'
import type { Person } from '../../helpers/access/people.ts'
import { contracted, grantTo } from '../../helpers/access/clients.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'
import { fuzz, type DocumentedCall } from '../../helpers/openapi/calls.ts'
import type { HeardAnswer } from '../../helpers/openapi/answers.ts'
import { operationsOf, type Operation } from '../../helpers/openapi/document.ts'
import type { Known } from '../../helpers/openapi/values.ts'

const world = await openWorld(t)
const { a, ada } = world
const credentials = await credentialsIn(world)
const daysOn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** Ids of what the client has, and texts of forms that schemas do not tell. */
const fields: Known = {
  client_id: [a.id],
  scope_id: [a.scope],
  need_id: [a.need],
  grant_id: [a.all.id],
  owner_id: [a.owner.id],
  subject: [{ kind: 'integration', id: 'other' }, a.all.tokenId],
  sort: ['created_at'],
  fields: ['id'],
  area: ['tasks'],
  areas: [[{ area: 'tasks', actions: ['read'] }]],
  permissions: [[{ area: 'tasks', actions: ['read'] }]],
  window: [{ start: daysOn(1), end: daysOn(2) }],
  effective_from: [daysOn(1)],
  effective_to: [daysOn(2)],
  expected_end_at: [daysOn(3)],
  ends_at: [daysOn(2)],
  events: [['contact.created']],
  digest: ['0'.repeat(64)],
  url: ['https://hooks.example/in'],
  provider: ['openai'],
  hostname: ['shop.example.com'],
  cursor: [],
}

/** Refusals of ids of nothing that this client has, and of fields that a change of a kind has not. */
const refersToNothing =
  /must be (the id of|an id of|one of|absent)|must belong to an active domain|is not valid|This passkey was not created for this service|must have at least|Emergency access/

const all = await operationsOf(world.service.baseUrl)
const operations = all.filter(
  ({ security, path }) =>
    security.some((way) => 'accessToken' in way) || path.startsWith('/v1/sign-in'),
)
/** What ends or locks something comes late, and the end of the sign-in last. */
const order = ({ method, path }: Operation): number => {
  if (path === '/v1/sign-in' && method === 'DELETE') return 3
  if (/^\/v1\/(sign-in|me)\b/.test(path) && method !== 'GET') return 2
  if (method === 'DELETE' || /\/(close|offboard|suspend|revoke|remove|reset)$/.test(path)) return 2
  return method === 'GET' ? 1 : 0
}
const ordered = [...operations].sort((one, other) => order(one) - order(other))

const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const rowOf = (operation: Operation) =>
  rows[nameOf(operation)] ?? recordRow(operation.method, operation.path)

/** The first who gets as far as the operation itself. */
function callerOf(operation: Operation): Principal {
  const answers = rowOf(operation)?.answers
  const may = (who: Principal) => answers && ![401, 403].includes(Number(answers[who]))
  return principals.find((who) => who !== 'nobody' && may(who)) ?? 'owner'
}

/** Records that were made here, by the path that lists them. */
const made = new Map<string, string>()

function knownFor(operation: Operation): Known {
  const [, , area] = operation.path.split('/')
  const id = made.get(`/v1/${area}`) ?? rowOf(operation)?.id?.(world) ?? ada.id
  return { ...fields, id: [id] }
}

/** These call most, and rates are counted by person and by token: among several no call waits. */
const crowds: Partial<Record<Principal, readonly Pick<Person, 'token'>[]>> = {
  'token of another client': await several(16, () =>
    grantTo(world.insider.directory, world.b, world.deciders, { permissions: contracted }),
  ),
  'operator without a grant': await several(16, () => world.staff('operator')),
  admin: await several(8, () => world.staff('admin')),
}

async function several<T>(count: number, make: () => Promise<T>): Promise<readonly T[]> {
  const made: T[] = []
  while (made.length < count) made.push(await make())
  return made
}

/** What belongs to a person is asked of one person. */
function credentialsOf(who: Principal, { path }: Operation) {
  const crowd = path.startsWith('/v1/me') ? undefined : crowds[who]
  if (crowd === undefined) return credentials[who]
  return { authorization: `Bearer ${crowd[asked % crowd.length]!.token}` }
}

let asked = 0
const send = (who: Principal) => (call: DocumentedCall, operation: Operation) =>
  until('it is within its rate', async (): Promise<HeardAnswer | false> => {
    const { method, path, body } = call
    const { status, headers, text } = await world.ask(method, path, {
      headers: credentialsOf(who, operation),
      ...(body !== undefined && { body }),
      ...(operation.responses['428'] && { seen: '*' as const }),
      // Failures are counted by address, so each request comes from another one.
      from: `10.${Math.floor(asked / 62_500)}.${Math.floor(asked / 250) % 250}.${asked++ % 250}`,
    })
    if (status === 429) return false
    if (method === 'POST' && status === 201) remember(path, text)
    return { status, contentType: headers.get('content-type') ?? undefined, text }
  })

function remember(path: string, text: string): void {
  const { data } = JSON.parse(text) as { readonly data?: { readonly id?: string } }
  if (data?.id !== undefined) made.set(path, data.id)
}

let calls = 0
const succeeded: string[] = []

for (const operation of ordered) {
  t.test(nameOf(operation), async (t) => {
    const who = callerOf(operation)
    // Of some fields the caller or the kind decides whether they are needed.
    const body = rowOf(operation)?.body?.(world, who)
    const seen = await fuzz(operation, {
      known: knownFor(operation),
      send: send(who),
      ...(operation.requestBody && { needed: defined({ body }) }),
    })
    calls += seen.calls
    if (seen.succeeded) succeeded.push(nameOf(operation))
    t.same(
      seen.found.filter((one) => !refersToNothing.test(one)),
      [],
    )
  })
}

t.test('many of them were seen to succeed', async (t) => {
  t.comment(`${calls} calls, ${succeeded.length} of ${operations.length} operations succeeded`)
  t.comment(operations.map(nameOf).filter((name) => !succeeded.includes(name)))
  // Of many verbs the state is not there: they are for what was proposed, suspended, running.
  t.ok(succeeded.length > operations.length / 3)
})
