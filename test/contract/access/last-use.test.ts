/**
 * Goal: a use of a grant is recorded, whichever way it is used, and is shown wherever people look for
 * it. Method: a real service; a token over REST, a person in the portal, a webhook on loopback.
 */
import t from 'tap'
import { dataOf } from '../../helpers/access/asking.ts'
import { grantTo, type Granted } from '../../helpers/access/clients.ts'
import { password } from '../../helpers/access/people.ts'
import { PlainBrowser, textOf } from '../../helpers/access/portal/plain-browser.ts'
import { staffWithGrant } from '../../helpers/access/report-people.ts'
import { loopbackWebhooks, openEndpoint } from '../../helpers/access/webhooks.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'

interface GrantJson {
  readonly id: string
  readonly version: number
  readonly last_used_at?: string
}

interface ReportJson {
  readonly id: string
  readonly sections: readonly {
    readonly heading: string
    readonly body?: { readonly rows?: readonly (readonly unknown[])[] }
  }[]
}

const world = await openWorld(t, loopbackWebhooks)
const { service, insider, ask, a, deciders } = world
const beganMs = Date.now()
const today = new Date().toISOString().slice(0, 10)

const read = async ({ id }: Pick<Granted, 'id'>) =>
  dataOf<GrantJson>(await ask('GET', `/v1/grants/${id}`, { token: a.owner.token }))

const used = (grant: Pick<Granted, 'id'>) =>
  until('the use is recorded', async () => {
    const json = await read(grant)
    return json.last_used_at !== undefined && json
  })

async function memberBrowser(address: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser(service.baseUrl, address)
  await until('they are signed in', async () => {
    return (await browser.signIn(a.owner.email, password)).status === 200
  })
  return browser
}

t.test('a request with a token is a use of the token and of its grant', async (t) => {
  const before = await read(a.reader)
  t.equal(before.last_used_at, undefined, 'nobody has used it')
  t.equal((await ask('GET', '/v1/contacts', { token: a.reader.token })).status, 200)
  const after = await used(a.reader)
  const at = Date.parse(after.last_used_at!)
  t.ok(at >= beganMs - 1 && at <= Date.now())
  const { body } = await ask('GET', `/v1/grants/${a.reader.id}/tokens`, { token: a.owner.token })
  t.match(body, { data: [{ id: a.reader.tokenId, last_used_at: after.last_used_at }] })
  t.equal(after.version, before.version, 'what was granted is the same')
  for (let i = 0; i < 20; i++) await ask('GET', '/v1/contacts', { token: a.reader.token })
  t.equal((await read(a.reader)).last_used_at, after.last_used_at, 'once a minute is enough')
  t.equal((await read(a.elsewhere)).last_used_at, undefined, 'the others are still unused')
})

t.test('the portal shows it, of the grant and of its token', async (t) => {
  const browser = await memberBrowser('10.31.0.1')
  const page = textOf(await browser.get(`/portal/access/${a.reader.id}`))
  t.match(page, new RegExp(`Last used.{0,40}${today.slice(0, 4)}`))
  t.match(textOf(await browser.get(`/portal/access/${a.elsewhere.id}`)), /Last used.{0,20}Not yet/)
})

t.test('a person who reads a record in the portal uses their grant', async (t) => {
  const grant = await grantTo(insider.directory, a, deciders, {
    ...{ path: 'portal', subject: { kind: 'person', id: a.owner.id } },
    permissions: [{ area: 'contacts', actions: ['read'] }],
  })
  const browser = await memberBrowser('10.31.0.2')
  await until('the gateway knows the grant', async () => {
    return (await browser.get('/portal/records/contacts')).status === 200
  })
  t.ok(await used(grant))
})

t.test('a delivery to a webhook uses its grant', async (t) => {
  const receiver = await startReceiver(t)
  const { grant } = await openEndpoint(world, a, receiver)
  t.ok(await used(grant), 'by the ping that verified it')
})

t.test("the client's report says when each access was last used", async (t) => {
  const maker = await staffWithGrant(world, a, ['operator', 'reviewer'])
  const order = { client_id: a.id, kind: 'audit', period: { from: today, to: today } }
  const made = await ask('POST', '/v1/reports', { token: maker.token, body: order })
  const { sections } = dataOf<ReportJson>(made)
  const section = sections.find(({ heading }) => heading === 'Access to your data in this period')
  const lastUses = section?.body?.rows?.map((row) => row[4]) ?? []
  t.ok(lastUses.includes('no use recorded'), 'of an unused one')
  t.ok(lastUses.includes(today), 'of a used one')
})
