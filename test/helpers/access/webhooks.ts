/** Endpoints of an existing client, and the fields that tests read of them. */
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import type { Receiver } from '../lib/receiver.ts'
import { until } from '../lib/until.ts'
import { dataOf, patient, type Ask } from './asking.ts'
import { grantTo, type Client, type Granted } from './clients.ts'
import type { Furnished } from './world.ts'

/** Treats loopback as public, over plain http. */
export const loopbackWebhooks = {
  ACCESS_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  ACCESS_WEBHOOK_ALLOW_HTTP: '1',
} as const

export interface EndpointJson {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly status_reason?: string
  readonly failing_since?: string
  readonly secret: string
  readonly secrets: readonly { readonly public_key?: string; readonly expires_at?: string }[]
}

export interface DeliveryJson {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly object: { readonly id: string }
  readonly status: string
  readonly trigger: string
  readonly reason?: string
  readonly attempt: number
  readonly next_attempt_at?: string
  readonly attempts: readonly {
    readonly n: number
    readonly status_code?: number
    readonly error?: string
    readonly response_excerpt?: string
  }[]
}

const path = '/v1/webhook-endpoints'

const readsAll: readonly Permission[] = [
  { area: 'contacts', actions: ['read'] },
  { area: 'tasks', actions: ['read'] },
]

export const webhookGrant = (
  { insider, deciders }: Furnished,
  client: Client,
  permissions: readonly Permission[] = readsAll,
): Promise<Granted> =>
  grantTo(insider.directory, client, deciders, { permissions, path: 'webhooks' })

export async function makeEndpoint(
  ask: Ask,
  owner: { readonly token: string },
  body: { readonly grant_id: string; readonly url: string; readonly [field: string]: unknown },
): Promise<EndpointJson> {
  const made = await until('the gateway knows the grant', async () => {
    const answer = await ask('POST', path, {
      ...{ token: owner.token, body: { events: ['contact.*'], rate_per_second: 50, ...body } },
    })
    return answer.status !== 404 && answer
  })
  return dataOf<EndpointJson>(made)
}

export const readEndpoint = async (ask: Ask, owner: { readonly token: string }, id: string) =>
  dataOf<EndpointJson>(await ask('GET', `${path}/${id}`, { token: owner.token }))

/** Pings the endpoint and answers, so that it becomes active. */
export async function verifyEndpoint(
  ask: Ask,
  owner: { readonly token: string },
  id: string,
): Promise<void> {
  dataOf(await ask('POST', `${path}/${id}/verify`, { token: owner.token }))
  await until('the endpoint is active', async () => {
    return (await readEndpoint(ask, owner, id)).status === 'active'
  })
}

/** An active endpoint with its own grant. */
export async function openEndpoint(
  world: Furnished,
  client: Client,
  receiver: Pick<Receiver, 'url'>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<EndpointJson & { readonly grant: Granted }> {
  const grant = await webhookGrant(world, client)
  const body = { grant_id: grant.id, url: receiver.url, ...more }
  const ask = patient(world.ask)
  const made = await makeEndpoint(ask, client.owner, body)
  await verifyEndpoint(ask, client.owner, made.id)
  return { ...made, grant }
}

export async function deliveriesOf(
  ask: Ask,
  owner: { readonly token: string },
  query: Readonly<Record<string, string>>,
): Promise<readonly DeliveryJson[]> {
  const search = new URLSearchParams({ limit: '100', ...query })
  const answer = await ask('GET', `/v1/webhook-deliveries?${search}`, { token: owner.token })
  return dataOf<readonly DeliveryJson[]>(answer)
}

/** Writes contacts directly into the store, as fast as it accepts them. */
export function contactWriter(store: Pick<NatsStore, 'bucket'>) {
  const records = new RecordStore(store.bucket(buckets.records))
  return async (client: ClientId): Promise<string> => {
    const id = newRecordId('contacts')
    const fields = { first_name: 'Ada', last_name: 'Lovelace' }
    const made = { client, area: 'contacts', id, fields, action: 'create' } as const
    await records.create(createdRecord(made, { by: systemAuthor('test') }, Date.now()))
    return id
  }
}
