/**
 * Goal: webhooks are set up, verified, inspected and resent by forms alone; a secret is shown once;
 * a refusal is shown at its field; another client's webhooks do not exist. Method: a real service,
 * real receivers on loopback, plain HTTP, no script.
 */
import t from 'tap'
import { Webhook } from 'standardwebhooks'
import { eventTypes } from '../../../runtime/webhooks/events/registry.ts'
import { dataOf, patient } from '../../helpers/access/asking.ts'
import { signedInPlain } from '../../helpers/access/portal/portal.ts'
import {
  hiddenFields,
  textOf,
  type PlainBrowser,
  unescaped,
  type Fields,
  type PageHeard,
} from '../../helpers/access/portal/plain-browser.ts'
import {
  deliveriesOf,
  webhookGrant,
  loopbackWebhooks,
  openEndpoint,
  readEndpoint,
} from '../../helpers/access/webhooks.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t, loopbackWebhooks)
const { a, b, ada, service } = world
const ask = patient(world.ask)
const signedIn = signedInPlain(service.baseUrl, '10.24.0')
const owner = await signedIn(a.owner.email)
const member = await signedIn(a.member.email)
const other = await signedIn(b.owner.email)
const reason = 'It is a test of the portal.'
const secretText = /whsec_[A-Za-z0-9+/]{43}=/
let contacts = 0

async function addContact(): Promise<string> {
  const body = { first_name: 'Ada', last_name: `Lovelace ${++contacts}` }
  return dataOf(await ask('POST', '/v1/contacts', { token: a.all.token, body })).id
}

const send = async (one: PlainBrowser, page: string, action: string, fields: Fields = {}) =>
  one.submit(await one.get(page), action, fields)

/** Waits until the page has this text. */
const saying = (one: PlainBrowser, path: string, text: RegExp) =>
  until(`${path} says ${text}`, async () => {
    const page = await one.get(path)
    return text.test(textOf(page)) && page
  })

/** The form of a grant, once the gateway knows the grant. */
const formOf = (grant: string) =>
  until('the gateway knows the grant', async () => {
    const page = await owner.get(`/portal/webhooks/new?grant=${grant}`)
    return page.status === 200 && page
  })

const settings = { description: 'Of the test', payload: 'thin', signature: 'hmac' }
const idIn = ({ html }: PageHeard) => /whe_[0-9a-z]{26}/.exec(html)?.[0] ?? ''

t.test('with none, the page says what a webhook is and how to add one', async (t) => {
  const page = await member.get('/portal/webhooks')
  t.equal(page.status, 200)
  t.match(textOf(page), /There are no webhook endpoints yet\. A webhook is a signed message/)
  t.match(page.html, 'href="/portal/ask"')
  const form = await member.get('/portal/webhooks/new')
  t.match(textOf(form), /You have no grant for webhooks/)
  t.match(textOf(await member.get('/portal/webhooks/deliveries')), /Nothing has been sent yet/)
})

t.test('added, verified, sent events: all by forms, and the secret is shown once', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer(500)
  const grant = await webhookGrant(world, a)
  const form = await formOf(grant.id)
  for (const { type, summary, area } of eventTypes.access) {
    if (type === 'webhook.ping') continue
    const isOffered = area === undefined || area === 'contacts' || area === 'tasks'
    t.equal(form.html.includes(`value="${type}"`), isOffered, type)
    if (isOffered) t.ok(textOf(form).includes(summary), `${type} has its sentence`)
  }

  const action = '/portal/webhooks/new'
  const fields = { ...settings, url: receiver.url, events: ['contact.created'] }
  const made = await owner.submit(form, action, { ...fields, rate_per_second: '50' })
  t.equal(made.status, 200, textOf(made))
  const [secret = ''] = secretText.exec(unescaped(made.html)) ?? []
  t.ok(secret, 'the secret is there')
  t.equal(made.headers.get('cache-control'), 'no-store')
  const twice = await owner.submit(form, action, { ...fields, rate_per_second: '50' })
  t.equal(twice.status, 409, 'the same form again makes nothing')
  t.notMatch(twice.html, secretText)
  const id = idIn(made)
  const path = `/portal/webhooks/${id}`
  const first = await owner.get(path)
  t.notMatch(unescaped(first.html), secretText, 'it is never shown again')
  t.match(textOf(first), /Unverified/)
  t.match(textOf(first), /Respond with any status from 200 to 299 within 15 seconds/)
  t.match(textOf(first), /Nothing has been sent yet/)
  t.match(textOf(first), /whsec_…/)

  const sent = await owner.submit(made, `${path}/verify`)
  t.match(textOf(sent), /Ping sent\. Reload this page/)
  const failed = await saying(owner, path, /Last ping: .* status from 200 to 299 \(500\)/)
  const pinged = textOf(await owner.get('/portal/webhooks'))
  t.match(pinged, /Failed \(the first ping\).* No event sent yet/)
  t.notMatch(pinged, /Nothing sent yet/)
  receiver.answer(204)
  t.match(textOf(failed), /Send the ping again/)
  await owner.submit(failed, `${path}/verify`)
  const active = await saying(owner, path, /Active/)
  t.notMatch(textOf(active), /Verify the endpoint/)
  for (const one of receiver.received) new Webhook(secret).verify(one.body, one.headers)

  await addContact()
  await until('it is told of', () => receiver.of('contact.created').length > 0)
  const listed = await saying(owner, '/portal/webhooks', /None of 1 attempt/)
  t.match(textOf(listed), /Keep the contacts tidy contact\.created Active Delivered/)
  await until('the audit tells that it was shown', async () => {
    const { text } = await ask('GET', '/v1/audit-entries?action=access.secret_shown', {
      token: a.owner.token,
    })
    return text.includes(id)
  })
})

t.test('refusals are shown at their fields, and no input is lost', async (t) => {
  const grant = await webhookGrant(world, a)
  const form = await formOf(grant.id)
  const action = '/portal/webhooks/new'
  const good = { ...settings, url: 'https://hooks.example/in', events: ['contact.*'] }
  let page = form
  const refused = async (more: Fields) => {
    const fields = { ...good, rate_per_second: '10', ...more }
    page = await owner.submit(page, action, fields)
    t.equal(page.status, 422, JSON.stringify(more))
    return page
  }
  for (const [url, said] of [
    ['http://10.0.0.1/in', /This URL cannot be used: its host is not on the public internet/],
    ['ftp://files.example/in', /it must begin with https:\/\/ or http:\/\//],
    ['https://me:secret@hooks.example/', /it has a user name or a password in it/],
    ['https://hooks.example/#part', /it has a fragment, which is never sent/],
    ['not a url', /it has white space, a backslash or an invisible character/],
  ] as const) {
    await refused({ url })
    t.match(textOf(page), said)
    t.match(page.html, 'href="#f-url"')
    t.match(page.html, /id="f-url-error"/)
    t.match(page.html, /value="contact\.\*" checked/, 'what was ticked stays')
  }
  const none = await refused({ events: [] })
  t.match(none.html, 'href="#f-events-0"')
  t.match(textOf(none), /Events must have at least 1/)
  const beyond = await refused({ events: ['contact.*', 'seo_audit.completed'] })
  t.match(textOf(beyond), /The grant does not allow reading the records of these events/)
  t.match(textOf(await refused({ rate_per_second: '51' })), /Messages per second/)
  t.match((await refused({ rate_per_second: 'ten' })).html, 'href="#f-rate-per-second"')
  const hostile = await refused({ description: '"><img src=x>', url: 'http://10.0.0.1/<b>' })
  t.notMatch(hostile.html, /<img|<b>/)
  const stranger = await owner.get('/portal/webhooks/new?grant=gr_00000000000000000000000000')
  t.equal(stranger.status, 404)
})

t.test('deliveries are filtered, inspected, resent; a receiver’s answer stays text', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const hostile = '<script>alert(1)</script>'
  receiver.answer({ with: (_, response) => void response.writeHead(418).end(hostile) })
  const contact = await addContact()
  const [delivery] = await until('it has failed', async () => {
    const found = await deliveriesOf(ask, a.owner, { endpoint_id: id, status: 'retrying' })
    return found.length > 0 && found
  })
  const list = `/portal/webhooks/deliveries?endpoint=${id}`
  const all = await saying(owner, list, /contact\.created .* Will be retried/)
  t.match(textOf(all), /webhook\.ping .* Delivered 1 204/)
  t.notMatch((await owner.get(`${list}&status=delivered`)).html, delivery!.id)
  t.notMatch((await owner.get(`${list}&type=webhook.ping`)).html, delivery!.id)
  t.match((await owner.get(`${list}&type=contact.created&status=`)).html, delivery!.id)
  t.match(textOf(await owner.get(`${list}&status=cancelled`)), /No deliveries match this filter/)
  t.equal((await owner.get(`${list}&status=painted`)).status, 400)

  const path = `/portal/webhooks/deliveries/${delivery!.id}`
  const page = await owner.get(path)
  t.match(textOf(page), /418 \d+ ms It did not respond with a status from 200 to 299/)
  t.match(page.html, '&lt;script&gt;alert(1)')
  t.notMatch(page.html, '<script>alert')
  const [, json = ''] = /<pre[^>]*><code>(.*?)<\/code>/s.exec(page.html) ?? []
  const body = JSON.parse(unescaped(json)) as object
  t.same(body, receiver.of('contact.created')[0]?.json, 'the body is what was sent')
  t.match(body, { data: { object: { id: contact } } })

  receiver.answer(204)
  t.match(textOf(await owner.submit(page, `${path}/replay`)), /The delivery is being sent again/)
  await until('it comes once more', async () => {
    const found = await deliveriesOf(ask, a.owner, { endpoint_id: id, status: 'delivered' })
    return found.some(({ trigger }) => trigger === 'manual')
  })
  const ids = receiver.of('contact.created').map(({ headers }) => headers['webhook-id'])
  t.equal(new Set(ids).size, 1, 'under the same webhook-id')
  t.match(textOf(await owner.get(list)), /contact\.created .* Delivered/)
})

t.test('a list is paged by cursors', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  for (let n = 0; n < 26; n++) await addContact()
  await until('all are told of', () => receiver.of('contact.created').length === 26)
  const first = await owner.get(`/portal/webhooks/deliveries?endpoint=${id}&type=contact.created`)
  const rows = ({ html }: PageHeard) => html.match(/deliveries\/dlv_\w+"/g) ?? []
  t.equal(rows(first).length, 25)
  const next = unescaped(/href="([^"]*)">Next page/.exec(first.html)?.[1] ?? '')
  const second = await owner.get(next)
  t.equal(rows(second).length, 1)
  t.equal(new Set([...rows(first), ...rows(second)]).size, 26)
})

t.test('paused, changed, switched on, recovered, tested, removed', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const path = `/portal/webhooks/${id}`
  const short = await send(owner, path, `${path}/disable`, { reason: 'short' })
  t.equal(short.status, 422)
  t.match(short.html, 'href="#f-reason-disable"')
  const paused = await owner.submit(short, `${path}/disable`, { reason })
  t.match(textOf(paused), /The endpoint is paused\. It is a test of the portal\./)
  const missed = await until('one is kept and not sent', async () => {
    const contact = await addContact()
    const decided = await until('it is decided', async () => {
      const found = await deliveriesOf(ask, a.owner, { endpoint_id: id })
      return found.find(({ object, status }) => object.id === contact && status !== 'pending')
    })
    return decided.reason === 'endpoint_disabled' && decided
  })
  const kept = await owner.get(`/portal/webhooks/deliveries/${missed.id}`)
  t.match(textOf(kept), /The endpoint was not active/)
  t.notMatch(kept.html, '/replay"')

  const edit = await owner.get(`${path}/edit`)
  const fields = { ...settings, url: receiver.url, rate_per_second: '7' }
  const events = ['contact.created', 'task.*']
  const saved = await owner.submit(edit, `${path}/edit`, { ...fields, events })
  t.match(textOf(saved), /Saved\..*contact\.created , task\.\*.*Messages per second 7/)
  const stale = await owner.submit(edit, `${path}/edit`, { ...fields, events: ['task.*'] })
  t.equal(stale.status, 412, 'a page that is out of date changes nothing')

  const on = await send(owner, path, `${path}/enable`)
  t.match(textOf(on), /Endpoint enabled/)
  await owner.submit(on, `${path}/verify`)
  const active = await saying(owner, path, /Active/)
  const before = receiver.of('contact.created').length
  const since = { since: '2020-01-01T10:00', until: '' }
  const long = await owner.submit(active, `${path}/recover`, since)
  t.equal(long.status, 422)
  t.match(textOf(long), /Since must be before until, by at most 7 days/)
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)
  const done = await owner.submit(long, `${path}/recover`, { since: hourAgo, until: '' })
  t.match(textOf(done), /that were not delivered are being sent again/)
  await until('what was missed comes', () =>
    receiver.of('contact.created').some(({ json }) => json.data.id === missed.event_id),
  )
  t.ok(receiver.of('contact.created').length > before)

  const test = await send(owner, path, `${path}/test`, { event_type: 'task.completed' })
  t.match(textOf(test), /Test event sent/)
  await until('the test comes', () => receiver.of('task.completed').length === 1)
  t.notMatch(test.html, 'value="opportunity.won"', 'it pretends what it is told of')

  const gone = await send(owner, path, `${path}/remove`)
  t.match(textOf(gone), /Endpoint removed, with its secrets/)
  t.equal((await owner.get(path)).status, 404)
  t.notMatch((await owner.get('/portal/webhooks')).html, id)
  const left = await owner.get(`/portal/webhooks/deliveries/${missed.id}`)
  t.equal(left.status, 200, 'what was sent stays')
})

t.test('a person who does not use its grant sees it and cannot change it', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const path = `/portal/webhooks/${id}`
  const page = await member.get(path)
  t.equal(page.status, 200)
  t.notMatch(page.html, `action="${path}/`)
  t.equal((await member.get(`${path}/edit`)).status, 403)
  const token = hiddenFields(page.html, '/portal/sign-out')
  const forced = await member.post(`${path}/rotate`, {
    ...{ ...token, grace_seconds: '0', once: 'forced-by-hand' },
  })
  t.equal(forced.status, 403)
  t.match(textOf(forced), /Only the subject of the grant may do this/)
  t.equal((await member.post(`${path}/verify`, {})).status, 403, 'nor without the form’s token')
  const foreign = await owner.post(`${path}/verify`, {}, { origin: 'https://evil.example' })
  t.equal(foreign.status, 403)
  t.equal((await readEndpoint(ask, a.owner, id)).version, 2)
})

t.test('another client’s webhooks are answered like ones that do not exist', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const [delivery] = await deliveriesOf(ask, a.owner, { endpoint_id: id })
  const plain = (page: PageHeard) => page.html.replaceAll(/req_\w+|value="[^"]*"/g, '')
  for (const path of [`/portal/webhooks/${id}`, `/portal/webhooks/deliveries/${delivery!.id}`]) {
    const page = await other.get(path)
    t.equal(page.status, 404, path)
    t.equal(plain(page), plain(await other.get(path.replace(/_\w+$/, `_${'0'.repeat(26)}`))))
  }
  t.equal((await other.get(`/portal/webhooks/${id}/edit`)).status, 404)
  const listed = await other.get(`/portal/webhooks/deliveries?endpoint=${id}`)
  t.notMatch(listed.html, delivery!.id)
  t.notMatch((await other.get('/portal/webhooks')).html, id)
})

t.test('staff see the state of all endpoints', async (t) => {
  const receiver = await startReceiver(t)
  const [ours, theirs] = [
    await openEndpoint(world, a, receiver),
    await openEndpoint(world, b, receiver),
  ]
  receiver.answer(503)
  await addContact()
  await until('it has failed', async () => {
    const found = await deliveriesOf(ask, a.owner, { endpoint_id: ours.id, status: 'retrying' })
    return found.length > 0
  })
  const staff = await signedIn(ada.email)
  const path = `/staff/webhooks?client=${a.id}`
  const page = await saying(
    staff,
    path,
    /100 % .* 1, the oldest for (less than a minute|\d+ minutes?)/,
  )
  t.match(textOf(page), /Active, failing|Active/)
  t.notMatch(page.html, theirs.id)
  t.match((await staff.get('/staff/webhooks')).html, theirs.id)
  t.match(textOf(await staff.get('/staff/webhooks?status=pending&client=')), /Webhooks/)
  t.match(textOf(await staff.get(`/staff/webhooks/${theirs.id}`)), /Same & Sons/)
  const health = dataOf<Record<string, unknown>>(
    await ask('GET', `/v1/webhook-endpoints/${ours.id}/health`, { token: a.member.token }),
  )
  t.match(health, { deliveries: 1, delivered: 0, waiting: 1 })
  t.ok(Number(health['failed_attempts']) >= 1)
  t.equal(health['failed_attempts'], health['attempts'])
  const none = await ask('GET', `/v1/webhook-endpoints/${ours.id}/health`, {
    token: b.owner.token,
  })
  t.equal(none.status, 404)
})
