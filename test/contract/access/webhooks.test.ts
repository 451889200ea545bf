/**
 * Goal: changes to a client's records reach a receiver that the owner has verified, signed, and for
 * as long as the grant lasts. Method: a real service, real receivers on loopback, signatures
 * checked with the packages that receivers use.
 */
import { createPublicKey, verify as verifyText } from 'node:crypto'
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import { dataOf, errorOf, patient } from '../../helpers/access/asking.ts'
import { grantTo } from '../../helpers/access/clients.ts'
import {
  deliveriesOf,
  webhookGrant,
  loopbackWebhooks,
  makeEndpoint,
  openEndpoint,
  readEndpoint,
  verifyEndpoint,
  type EndpointJson,
} from '../../helpers/access/webhooks.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startReceiver, type Received, type Receiver } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t, loopbackWebhooks)
const { a, b } = world
const ask = patient(world.ask)
const path = '/v1/webhook-endpoints'
const isOver = new Set(['delivered', 'cancelled'])
let contacts = 0

async function addContact(client = a): Promise<string> {
  const body = { first_name: 'Ada', last_name: `Lovelace ${++contacts}` }
  return dataOf(await ask('POST', '/v1/contacts', { token: client.all.token, body })).id
}

const verified = (secret: string, { body, headers }: Received) => [
  new Webhook(secret).verify(body, headers),
  new SvixWebhook(secret).verify(body, headers),
]

const isVerified = (secret: string, received: Received): boolean => {
  try {
    return verified(secret, received).length > 0
  } catch {
    return false
  }
}

/** Waits for the next delivery: workers learn of a changed endpoint a moment after the answer. */
async function nextTold(receiver: Receiver): Promise<Received> {
  const before = receiver.of('contact.created').length
  await addContact()
  return until('it is told of', () => receiver.of('contact.created')[before])
}

t.test('an endpoint is verified by a signed ping, and then receives its events', async (t) => {
  const receiver = await startReceiver(t)
  const grant = await webhookGrant(world, a)
  const made = await makeEndpoint(ask, a.owner, { grant_id: grant.id, url: receiver.url })
  t.match(made, { status: 'pending', secret: /^whsec_[A-Za-z0-9+/]{43}=$/ })
  const early = await addContact()
  await verifyEndpoint(ask, a.owner, made.id)
  const [ping] = receiver.received
  t.equal(ping?.json.type, 'webhook.ping')
  verified(made.secret, ping!)
  const id = await addContact()
  const [told] = await until('the contact is told of', () => {
    const found = receiver.of('contact.created')
    return found.length > 0 && found
  })
  t.match(told!.json.data, { client_id: a.id, object: { area: 'contacts', id, version: 1 } })
  t.equal(told!.json.data.url, `https://access.example/v1/contacts/${id}`)
  t.equal(told!.headers['webhook-id'], told!.json.data.id)
  t.notOk(told!.body.includes('Lovelace'), 'it is thin')
  t.notOk(receiver.received.some(({ body }) => body.includes(early)))
  for (const body of verified(made.secret, told!)) t.same(body, told!.json)
  const forged = { ...told!.headers, 'webhook-id': 'evt_0' }
  t.throws(() => new Webhook(made.secret).verify(told!.body, forged))
  t.throws(() => new Webhook(made.secret).verify(`${told!.body} `, told!.headers))
  const [delivery] = await until('it is written down', async () => {
    const query = { endpoint_id: made.id, event_type: 'contact.created', status: 'delivered' }
    const found = await deliveriesOf(ask, a.owner, query)
    return found.length === 1 && found
  })
  t.match(delivery, { attempt: 1, event_id: told!.json.data.id })
  t.match(delivery!.attempts, [{ n: 1, status_code: 204 }])
})

t.test('emergency access is sent at once, marked as emergency access', async (t) => {
  const receiver = await startReceiver(t)
  await openEndpoint(world, a, receiver, { events: ['grant.activated'] })
  const permissions = [{ area: 'contacts', actions: ['read'] }] as const
  const endsAtMs = Date.now() + 3_600_000
  const { directory } = world.insider
  const usual = await grantTo(directory, a, world.deciders, { permissions })
  const wish = { permissions, endsAtMs, emergency: true }
  const urgent = await grantTo(directory, a, world.deciders, wish)
  const told = await until('both are told of', () => {
    const found = receiver.of('grant.activated').map(({ json }) => json.data)
    return found.length === 2 && found
  })
  const of = (id: string) => told.find(({ object }) => object.id === id)
  t.match(of(urgent.id), {
    ...{ status: 'active', reason: 'emergency', client_id: a.id },
    url: `https://access.example/v1/grants/${urgent.id}`,
  })
  t.notOk(Object.hasOwn(of(usual.id) ?? {}, 'reason'))
})

t.test('a task still open at its due date is sent as overdue', async (t) => {
  const receiver = await startReceiver(t)
  await openEndpoint(world, a, receiver, { events: ['task.overdue'], payload: 'full' })
  const { token } = a.all
  // A write that lands after its due date causes no event; then another one is made.
  const made = (more: object) =>
    until('it is written before it is due', async () => {
      const due = new Date(Date.now() + 2_000).toISOString()
      const body = { title: 'Send the offer', due_at: due, ...more }
      const answer = await ask('POST', '/v1/tasks', { token, body })
      const task = dataOf<{ readonly id: string; readonly created_at: string }>(answer)
      return task.created_at < due && task.id
    })
  const done = await made({ status: 'completed' })
  const open = await made({})
  const [told] = await until('its date has passed', () => {
    const found = receiver.of('task.overdue')
    return found.length > 0 && found
  })
  t.match(told!.json.data, {
    ...{ object: { area: 'tasks', id: open, version: 1 }, client_id: a.id },
    record: { title: 'Send the offer' },
  })
  t.notOk(receiver.received.some(({ body }) => body.includes(done)))
  const types = await ask('GET', '/v1/webhook-event-types', { token: a.owner.token })
  const described = dataOf<readonly { readonly type: string; readonly schema: object }[]>(types)
  const { schema } = described.find(({ type }) => type === 'task.overdue')!
  const validate = new Ajv({ validateFormats: false }).compile(schema)
  t.ok(validate(told!.json), JSON.stringify(validate.errors))
  t.ok(described.some(({ type }) => type === 'grant.expiring'))
})

t.test('nothing of another client is sent or shown', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(world, a, receiver)
  const theirs = await addContact(b)
  const ours = await addContact()
  await until('ours is told of', () => receiver.of('contact.created').length > 0)
  t.same(
    receiver.of('contact.created').map(({ json }) => json.data.object.id),
    [ours],
  )
  t.notOk(receiver.received.some(({ body }) => body.includes(theirs) || body.includes(b.id)))
  const [delivery] = await deliveriesOf(ask, a.owner, { endpoint_id: endpoint.id })
  for (const [method, at] of [
    ['GET', `/v1/webhook-deliveries/${delivery!.id}`],
    ['POST', `/v1/webhook-deliveries/${delivery!.id}/replay`],
    ['POST', `${path}/${endpoint.id}/recover`],
    ['GET', `${path}/${endpoint.id}`],
  ] as const) {
    const body = at.endsWith('recover') ? { body: { since: '2030-01-01T00:00:00Z' } } : {}
    t.equal((await ask(method, at, { token: b.owner.token, ...body })).status, 404, at)
  }
  t.same(await deliveriesOf(ask, b.owner, { endpoint_id: endpoint.id }), [])
})

t.test('an endpoint asks for no more than its grant has, and cannot point inside', async (t) => {
  const { id } = await webhookGrant(world, a)
  const good = { grant_id: id, url: 'https://hooks.example/in' }
  await until('the gateway knows the grant', async () => {
    return (await ask('GET', `/v1/grants/${id}`, { token: a.owner.token })).status === 200
  })
  const refused = async (more: object) =>
    errorOf(await ask('POST', path, { token: a.owner.token, body: { ...good, ...more } }))
  const events = ['contact.*', 'seo_audit.completed']
  t.match(await refused({ events }), { type: 'not_in_scope', pointers: ['/events/1'] })
  t.match(await refused({ events: ['*'] }), { type: 'validation_failed' })
  t.match(await refused({ events: ['contact.painted'] }), { type: 'validation_failed' })
  t.match(await refused({ events: ['session.created'] }), { type: 'validation_failed' })
  const inside = 'http://10.0.0.1/in'
  t.match(await refused({ events: ['contact.*'], url: inside }), {
    type: 'url_not_allowed',
    code: 422,
  })
  const other = { grant_id: a.reader.id, events: ['contact.*'] }
  t.match(await refused(other), { type: 'conflict' })
})

t.test('a secret is rotated with both signing, and an Ed25519 key pair signs too', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(world, a, receiver)
  const rotated = await ask('POST', `${path}/${endpoint.id}/secret/rotate`, {
    ...{ token: a.owner.token, body: { grace_seconds: 600 } },
  })
  t.equal(rotated.status, 201)
  const { secret, secrets } = dataOf<EndpointJson>(rotated)
  t.equal(secrets.length, 2)
  const both = await until('the new one signs', async () => {
    const told = await nextTold(receiver)
    return isVerified(secret, told) && told
  })
  verified(endpoint.secret, both)
  const at = `${path}/${endpoint.id}/secret/rotate`
  await ask('POST', at, { token: a.owner.token, body: { grace_seconds: 0 } })
  await until('neither signs any more', async () => {
    const told = await nextTold(receiver)
    return !isVerified(secret, told) && !isVerified(endpoint.secret, told)
  })

  const keyed = await openEndpoint(world, a, receiver, { signature: 'ed25519' })
  t.equal(keyed.secret, null)
  const [ping] = receiver.received.slice(-1)
  const {
    'webhook-id': id,
    'webhook-timestamp': sentAt,
    'webhook-signature': signed,
  } = ping!.headers
  const raw = Buffer.from(keyed.secrets[0]!.public_key!.replace('whpk_', ''), 'base64')
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const content = Buffer.from(`${id}.${sentAt}.${ping!.body}`)
  const signature = Buffer.from(signed!.replace('v1a,', ''), 'base64')
  t.ok(verifyText(null, content, key, signature))
})

t.test('with payload full a delivery has the record as the grant shows it', async (t) => {
  const receiver = await startReceiver(t)
  const grant = await webhookGrant(world, a, [
    { area: 'contacts', actions: ['read'], fields: ['first_name'] },
  ])
  const order = { grant_id: grant.id, url: receiver.url, payload: 'full' }
  const made = await makeEndpoint(ask, a.owner, order)
  await verifyEndpoint(ask, a.owner, made.id)
  await addContact()
  const [told] = await until('it is told of', () => {
    const found = receiver.of('contact.created')
    return found.length > 0 && found
  })
  t.match(told!.json.data.record, { first_name: 'Ada', version: 1 })
  t.notOk(told!.body.includes('Lovelace'), 'other fields are left out')
})

t.test('a failed delivery is retried under its id, can be replayed and recovered', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(world, a, receiver)
  const since = new Date(Date.now() - 1_000).toISOString()
  receiver.answer((_, count) => (count === 2 ? 500 : 204))
  await addContact()
  const delivery = await until('the second attempt succeeds', async () => {
    const [found] = await deliveriesOf(ask, a.owner, {
      ...{ endpoint_id: endpoint.id, event_type: 'contact.created', status: 'delivered' },
    })
    return found
  })
  t.match(delivery.attempts, [{ n: 1, status_code: 500, error: 'status' }, { n: 2 }])
  const sent = receiver.of('contact.created')
  t.same(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1)

  const replay = await ask('POST', `/v1/webhook-deliveries/${delivery.id}/replay`, {
    token: a.owner.token,
  })
  t.equal(replay.status, 202)
  await until('it comes once more', () => receiver.of('contact.created').length === 3)
  t.same(new Set(receiver.of('contact.created').map(({ json }) => json.data.id)).size, 1)

  const { version } = await readEndpoint(ask, a.owner, endpoint.id)
  const off = { token: a.owner.token, seen: version, body: { reason: 'It is being moved.' } }
  t.equal((await ask('POST', `${path}/${endpoint.id}/disable`, off)).status, 200)
  const missed = await until('one is kept and not sent', async () => {
    const id = await addContact()
    const decided = await until('it is decided', async () => {
      const found = await deliveriesOf(ask, a.owner, { endpoint_id: endpoint.id })
      return found.find(({ object, status }) => object.id === id && isOver.has(status))
    })
    return decided.reason === 'endpoint_disabled' && id
  })
  const already = receiver.of('contact.created').length
  const seen = (await readEndpoint(ask, a.owner, endpoint.id)).version
  await ask('POST', `${path}/${endpoint.id}/enable`, { token: a.owner.token, seen })
  await verifyEndpoint(ask, a.owner, endpoint.id)
  const recover = { token: a.owner.token, body: { since } }
  t.equal((await ask('POST', `${path}/${endpoint.id}/recover`, recover)).status, 202)
  await until('what was missed comes', () =>
    receiver.of('contact.created').some(({ json }) => json.data.object.id === missed),
  )
  t.equal(receiver.of('contact.created').length, already + 1, 'and nothing else')
})

t.test('an endpoint ends with its grant: waiting deliveries are cancelled', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(world, a, receiver)
  receiver.answer(503)
  await addContact()
  await until('the first attempt has failed', async () => {
    const query = { endpoint_id: endpoint.id, status: 'retrying' }
    return (await deliveriesOf(ask, a.owner, query)).length === 1
  })
  const grant = await ask('GET', `/v1/grants/${endpoint.grant.id}`, { token: a.owner.token })
  const { version } = dataOf(grant)
  const revoke = { token: a.owner.token, seen: version, body: { reason: 'The tool was given up.' } }
  dataOf(await ask('POST', `/v1/grants/${endpoint.grant.id}/revoke`, revoke))
  await until('the endpoint is disabled', async () => {
    const { status, status_reason: why } = await readEndpoint(ask, a.owner, endpoint.id)
    return status === 'disabled' && why === 'grant_ended'
  })
  await until('the delivery is cancelled', async () => {
    const [found] = await deliveriesOf(ask, a.owner, {
      endpoint_id: endpoint.id,
      status: 'cancelled',
    })
    return found?.reason === 'grant_ended'
  })
  const { version: seen } = await readEndpoint(ask, a.owner, endpoint.id)
  const again = await ask('POST', `${path}/${endpoint.id}/enable`, { token: a.owner.token, seen })
  t.match(errorOf(again), { type: 'invalid_transition' })
})

t.test('an endpoint that answers 410 is disabled at once', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(world, a, receiver)
  receiver.answer(410)
  await addContact()
  await until('it is disabled', async () => {
    return (await readEndpoint(ask, a.owner, endpoint.id)).status_reason === 'gone'
  })
})

t.test('a receiver’s answer is shown escaped', async (t) => {
  const receiver = await startReceiver(t)
  const endpoint = await openEndpoint(world, a, receiver)
  receiver.answer({
    with: (_, response) => void response.writeHead(418).end('\u001b[31m<script>\u202e'),
  })
  await addContact()
  const delivery = await until('it has failed', async () => {
    const query = { endpoint_id: endpoint.id, status: 'retrying' }
    return (await deliveriesOf(ask, a.owner, query))[0]
  })
  t.equal(delivery.attempts[0]?.response_excerpt, '\\u001b[31m<script>\\u202e')
})

t.test('decisions on endpoints and displays of secrets are in the audit', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const actions = await until('the audit has them', async () => {
    const answer = await ask('GET', `/v1/audit-entries?object=${id}`, { token: a.owner.token })
    const found = dataOf<readonly { readonly action: string }[]>(answer).map((one) => one.action)
    return found.includes('endpoint.verified') && found
  })
  for (const action of ['endpoint.created', 'endpoint.pinged', 'access.secret_shown']) {
    t.ok(actions.includes(action), action)
  }
})

t.test('an endpoint switched off and on is verified again, however soon', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  for (let n = 0; n < 2; n++) {
    for (const verb of ['disable', 'enable'] as const) {
      const seen = (await readEndpoint(ask, a.owner, id)).version
      const body = verb === 'disable' ? { body: { reason: 'It is being moved.' } } : {}
      dataOf(await ask('POST', `${path}/${id}/${verb}`, { token: a.owner.token, seen, ...body }))
    }
    await verifyEndpoint(ask, a.owner, id)
  }
  t.equal(receiver.of('webhook.ping').length, 3)
})

t.test('a removed endpoint is not found any more', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const seen = (await readEndpoint(ask, a.owner, id)).version
  t.equal((await ask('DELETE', `${path}/${id}`, { token: a.owner.token })).status, 428)
  t.equal((await ask('DELETE', `${path}/${id}`, { token: a.owner.token, seen })).status, 204)
  t.equal((await ask('GET', `${path}/${id}`, { token: a.owner.token })).status, 404)
  const list = await ask('GET', path, { token: a.owner.token })
  t.notOk(list.text.includes(id))
})

t.test('a body fits the schema of its type', async (t) => {
  const receiver = await startReceiver(t)
  await openEndpoint(world, a, receiver)
  await addContact()
  const sent = await until('it is told of', () => receiver.of('contact.created')[0])
  const answer = await ask('GET', '/v1/webhook-event-types', { token: a.owner.token })
  const types = dataOf<readonly { readonly type: string; readonly schema: object }[]>(answer)
  const { schema } = types.find(({ type }) => type === 'contact.created')!
  const fits = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  t.ok(fits(sent.json), JSON.stringify(fits.errors))
  t.notOk(fits({ ...sent.json, type: 'contact.deleted' }))
})

t.test('no secret is in the logs', async (t) => {
  t.notMatch(world.service.output(), /whsec_[A-Za-z0-9+/]{20}/)
  t.match(world.service.output(), 'ACCESS_WEBHOOK_ALLOW_CIDRS', 'but what is open')
})
