/** Webhooks and reports for the screenshots of the portal: endpoints, deliveries, reports. */
import { generateReport } from '../../gateway/access/reports/generate/generate.ts'
import { newEndpoint } from '../../gateway/webhooks/settings.ts'
import type { Author } from '../../proto/access/author.ts'
import type { Delivery, DeliveryStatus } from '../../proto/access/webhooks/delivery.ts'
import { endpointActor, signatureKinds } from '../../proto/access/webhooks/endpoint.ts'
import type { MessageTo } from '../../proto/actor.ts'
import {
  newAccessId,
  type EndpointId,
  type GrantId,
  type PersonId,
} from '../../proto/access/ids.ts'
import { reportKinds } from '../../proto/access/reports/report-content.ts'
import { reportActor } from '../../proto/access/reports/report.ts'
import { newId } from '../../proto/ids.ts'
import { eventTypes } from '../../runtime/webhooks/events/registry.ts'
import { deliveryStore } from '../../runtime/webhooks/open.ts'
import { contracted, grantTo, type Client, type Deciders } from '../helpers/access/clients.ts'
import { demoMaterial } from '../helpers/access/jobs/demo-reports.ts'
import type { Insider } from '../helpers/service/insider.ts'

const hourMs = 3_600_000
const readAll = contracted.map(({ area }) => ({ area, actions: ['read'] }) as const)

/** Makes that many endpoints, deliveries and reports, with some in each possible state. */
export async function furnishOutward(
  insider: Insider,
  client: Client,
  deciders: Deciders,
  { rows, maker }: { readonly rows: number; readonly maker: PersonId },
): Promise<void> {
  const { directory } = insider
  const subject = { kind: 'person', id: client.member.id } as const
  const permissions = readAll
  for (const id of [client.member.id, maker]) {
    const one = { kind: 'person', id } as const
    await grantTo(directory, client, deciders, { permissions, subject: one, path: 'portal' })
  }
  const { id } = await grantTo(directory, client, deciders, {
    permissions,
    subject,
    path: 'webhooks',
  })
  const endpoints = await several(rows, (n) => addEndpoint(insider, client, id, n))
  const [first] = endpoints
  await several(rows, (n) => addDelivery(insider, client, first!, n))
  await several(rows, (n) => addReport(insider, client, deciders, n))
}

const atOnce = 20

async function several<T>(count: number, make: (n: number) => Promise<T>): Promise<readonly T[]> {
  const made: T[] = []
  while (made.length < count) {
    const some = Array.from({ length: Math.min(atOnce, count - made.length) }, (_, i) => i)
    const from = made.length
    made.push(...(await Promise.all(some.map((i) => make(from + i)))))
  }
  return made
}

type Told = 'verified' | 'gone' | 'delivery_failed' | 'disable'

async function addEndpoint(
  { directory }: Insider,
  { id: tenant, need: needId, member }: Client,
  grantId: GrantId,
  n: number,
): Promise<EndpointId> {
  const by: Author = member.author
  const owner = { tenant, grantId, needId, by }
  const names = [
    'crm-sync',
    'warehouse',
    'newsletter',
    'a-very-long-name-of-a-service-that-listens',
  ]
  const body = {
    url: `https://${names[n % 4]}.example/hooks/${n}`,
    events:
      n % 2 === 0
        ? ['onboarding.*']
        : ['seo_audit.completed', 'domain.*', 'monitoring.*', 'deployment.*', 'onboarding.*'],
    description: n % 3 === 0 ? 'Keeps the addresses of the mailing in step' : '',
    signature: signatureKinds[n % 5 === 4 ? 1 : 0],
    rate_per_second: 10,
    payload: 'thin' as const,
  }
  const sealer = { seal: (text: string) => text }
  const made = newEndpoint(
    owner,
    { ...body, events: [...body.events] },
    { sealer, nowMs: Date.now() },
  )
  const { input } = made
  await directory.create(endpointActor, input.id, input, { tenant })
  const tell = (message: MessageTo<typeof endpointActor, Told>) =>
    directory.ask(endpointActor, input.id, message, { tenant })
  if (n % 3 !== 1) await tell({ type: 'verified', url: input.url })
  if (n % 6 === 2) await tell({ type: 'gone' })
  if (n % 6 === 3) await tell({ type: 'delivery_failed', atMs: Date.now() + hourMs })
  if (n % 6 === 5) await tell({ type: 'disable', by, reason: 'It is being moved to another host.' })
  return input.id
}

const ends: readonly DeliveryStatus[] = ['delivered', 'exhausted', 'retrying', 'cancelled']

async function addDelivery(
  { store }: Insider,
  { id: tenant }: Client,
  endpointId: EndpointId,
  n: number,
): Promise<void> {
  const atMs = Date.now() - n * hourMs
  const { type, area } = eventTypes.access[1 + (n % 20)]!
  const status = ends[n % ends.length]!
  const attempts: Delivery['attempts'] = [
    ...(status === 'delivered'
      ? []
      : [{ n: 1, atMs, durationMs: 15_000, error: 'timeout' } as const]),
    ...(status === 'exhausted'
      ? [
          {
            n: 2,
            atMs,
            durationMs: 72,
            statusCode: 503,
            error: 'status',
            excerpt: '<h1>Service unavailable</h1>',
          } as const,
        ]
      : []),
    ...(status === 'delivered' ? [{ n: 1, atMs, durationMs: 48, statusCode: 204 }] : []),
  ]
  await deliveryStore(store).create({
    ...{
      v: 1,
      id: newAccessId('delivery', atMs),
      surface: 'access',
      tenant,
      endpointId,
      trigger: 'event',
    },
    ...{ status, attempt: attempts.length, attempts, createdAtMs: atMs },
    event: {
      ...{ id: newId('evt', atMs), type, atMs },
      object: { ...(area && { area }), kind: 'grant', id: newId('con', atMs), version: 3 },
    },
    ...(status === 'retrying' && { nextAttemptAtMs: Date.now() + 5 * hourMs }),
    ...(status === 'cancelled' && { reason: 'endpoint_disabled' }),
    ...(status !== 'retrying' && { completedAtMs: atMs + 1_000 }),
  })
}

/** Generated from the demo's records, as the service would. */
async function addReport(
  { directory }: Insider,
  { id: tenant }: Client,
  { first, second }: Deciders,
  n: number,
): Promise<void> {
  const kind = reportKinds[n % reportKinds.length]!
  const nowMs = Date.now() - n * 7 * 24 * hourMs
  const material = demoMaterial(nowMs)
  const content = generateReport({ kind, areas: ['tasks', 'monitoring', 'seo-audits'] }, material)
  const id = newAccessId('report', Date.now())
  const options = { tenant, untilSettled: true }
  const input = { id, tenant, createdAtMs: Date.now(), by: first, content }
  const { view } = await directory.create(reportActor, id, input, options)
  if (n % 5 === 1) return
  const { digest } = view
  await directory.ask(reportActor, id, { type: 'publish', by: second, digest }, options)
  if (n % 5 !== 2) return
  const reason = 'The figures of one monitor were of another client.'
  await directory.ask(reportActor, id, { type: 'withdraw', by: second, reason }, options)
}
