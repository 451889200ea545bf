/**
 * Goal: the values of a login leave the store for a form of its origin only, with a ticket that somebody
 * who may has signed; a one-time code leaves it once. Method: records in an in-memory store, the service
 * for agents on a bus in memory, virtual time.
 */
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { pino } from 'pino'
import t from 'tap'
import type { FilledLogin, LoginFill } from '../../../../proto/session/site-login.ts'
import { resealRecords } from '../../../../runtime/accounts/seal/reseal-records.ts'
import { openSealer, sealedWith } from '../../../../runtime/accounts/seal/seal.ts'
import { openSigner } from '../../../../runtime/accounts/seal/signer.ts'
import { FillTickets, ticketsFor } from '../../../../runtime/site-logins/fill-tickets.ts'
import { otpauthUriOf } from '../../../../runtime/site-logins/one-time-codes.ts'
import { serveLoginFills } from '../../../../runtime/site-logins/serve-fills.ts'
import { SiteLogins } from '../../../../runtime/site-logins/site-logins.ts'
import { siteLoginLimits } from '../../../../runtime/site-logins/limits.ts'
import type { Bus, BusHandler } from '../../../../runtime/store/bus.ts'
import { askForReply } from '../../../../runtime/store/reply.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const newKey = () => randomBytes(32).toString('base64')
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const shop = { origin: 'https://shop.example', username: 'anna', password: 'blue-kettle' }
const everything = { username: true, password: true, code: true }

function stage(SEAL_KEY = newKey(), store = new MemoryStore()) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const settings = { SEAL_KEY, DATA_DIR: '' }
  const bucket = store.bucket('siteLogins')
  const logins = new SiteLogins({ bucket, sealer: openSealer(settings), clock })
  const tickets = new FillTickets(openSigner(settings, 'logins'), clock)
  let handler: BusHandler | undefined
  const bus: Bus = {
    messageBytes: 1_000_000,
    request: (subject, payload) => handler!(payload, subject),
    serve(_, serve) {
      handler = serve
      return { stop: () => undefined }
    },
  }
  const told: unknown[] = []
  const onFill = async (fill: object) => void told.push(fill)
  serveLoginFills({ bus, logins, tickets, clock, onFill, log: pino({ level: 'silent' }) })
  const ask = (request: LoginFill) =>
    askForReply<FilledLogin>(bus, { subject: 'x', request, timeoutMs: 1, silence: '' })
  const fill = (
    origin: string,
    { posts = [], names }: { posts?: readonly string[]; names?: readonly string[] } = {},
  ) => {
    const claims = { tenant: 'acme', sessionId: 'ses_1', ...(names && { logins: names }) }
    return ask({
      ticket: tickets.issue(claims),
      forms: [{ origin, posts }],
      wants: everything,
    })
  }
  return { told, timeline, clock, store, bucket, logins, tickets, ask, fill }
}

t.test('values are given for the origin of the login only', async (t) => {
  const { logins, fill, told } = stage()
  await logins.create('acme', 'shop', shop)
  const { origin: _, ...values } = shop
  t.same(await fill('https://shop.example'), {
    ...{ name: 'shop', origin: 'https://shop.example' },
    values,
  })
  t.match(await logins.get('acme', 'shop'), { usedBy: 'ses_1' })
  t.same(told, [{ sessionId: 'ses_1', login: 'shop' }])
  for (const other of [
    'http://shop.example',
    'https://shop.example:8443',
    'https://login.shop.example',
    'https://shop.example.evil.example',
    'https://evilshop.example',
    'null',
  ]) {
    await t.rejects(
      fill(other, { names: ['shop'] }),
      { name: 'ServiceError', type: 'origin_not_allowed' },
      other,
    )
    await t.rejects(fill(other), { name: 'ServiceError', type: 'not_found' }, other)
  }
  const stray = { posts: ['https://shop.example', 'https://evil.example'] }
  await t.rejects(fill('https://shop.example', stray), {
    name: 'ServiceError',
    type: 'origin_not_allowed',
  })
  await t.rejects(fill('https://shop.example', { posts: ['null'] }), {
    name: 'ServiceError',
    type: 'origin_not_allowed',
  })
})

t.test('subdomains are those below, of the same scheme and port', async (t) => {
  const { logins, fill } = stage()
  await logins.create('acme', 'shop', { ...shop, subdomains: true })
  t.match(await fill('https://login.shop.example'), { name: 'shop' })
  t.match(await fill('https://a.b.shop.example', { posts: ['https://shop.example'] }), {})
  for (const other of [
    'http://login.shop.example',
    'https://login.shop.example:8443',
    'https://evilshop.example',
    'https://example',
  ]) {
    await t.rejects(fill(other), { name: 'ServiceError', type: 'not_found' }, other)
  }
})

t.test('a login is chosen by its origin, among those that are offered', async (t) => {
  const { logins, fill } = stage()
  for (const name of ['one', 'two']) await logins.create('acme', name, shop)
  await logins.create('acme', 'else', { ...shop, origin: 'https://other.example' })
  await logins.create('rival', 'mine', { ...shop, origin: 'https://rival.example' })
  const at = 'https://shop.example'
  await t.rejects(fill(at), {
    name: 'ServiceError',
    type: 'conflict',
    details: { logins: ['one', 'two'] },
  })
  t.match(await fill(at, { names: ['two'] }), { name: 'two' })
  t.match(await fill(at, { names: ['else', 'two'] }), { name: 'two' })
  await t.rejects(
    fill(at, { names: [] }),
    { name: 'ServiceError', type: 'not_found' },
    'none is offered',
  )
  await t.rejects(
    fill('https://rival.example'),
    { name: 'ServiceError', type: 'not_found' },
    'of another tenant',
  )
  await t.rejects(fill('https://rival.example', { names: ['mine'] }), {
    name: 'ServiceError',
    type: 'not_found',
  })
})

t.test('only what the form asks for is given', async (t) => {
  const { logins, ask, tickets } = stage()
  await logins.create('acme', 'shop', { ...shop, totp: otpauthUriOf(secret)! })
  const ticket = tickets.issue({ tenant: 'acme', sessionId: 'ses_1' })
  const forms = [{ origin: 'https://shop.example', posts: [] }]
  const { values } = await ask({
    ticket,
    forms,
    wants: { ...everything, password: false, code: false },
  })
  t.same(values, { username: 'anna' })
})

t.test('a ticket that nobody has signed, or an old one, opens nothing', async (t) => {
  const { logins, ask, tickets, timeline } = stage()
  await logins.create('acme', 'shop', shop)
  const forms = [{ origin: 'https://shop.example', posts: [] }]
  const tried = (ticket: string) => ask({ ticket, forms, wants: everything })
  const good = tickets.issue({ tenant: 'rival', sessionId: 'ses_1' })
  const [, keyId, signature] = good.split('.')
  const claims = { tenant: 'acme', sessionId: 'ses_1', untilMs: 1e15 }
  const forged = Buffer.from(JSON.stringify(claims)).toString('base64url')
  await t.rejects(tried(`${forged}.${keyId}.${signature}`), {
    name: 'ServiceError',
    type: 'unauthorized',
  })
  await t.rejects(tried(''), { name: 'ServiceError', type: 'unauthorized' })
  const own = tickets.issue({ tenant: 'acme', sessionId: 'ses_1' })
  t.match(await tried(own), { name: 'shop' })
  await timeline.run(siteLoginLimits.ticketLifeMs + 1)
  await t.rejects(tried(own), { name: 'ServiceError', type: 'unauthorized' })
})

t.test('commands get a ticket for the login that each names', async (t) => {
  const { tickets } = stage()
  const session = { tenant: 'acme', sessionId: 'ses_1' }
  const fills = (...logins: (string | undefined)[]) =>
    logins.map((login) => ({
      command: 'fill_login' as const,
      input: { ...(login !== undefined && { login }), submit: false, timeout: 0 },
    }))
  t.equal(ticketsFor(tickets, [{ command: 'tab_list', input: {} }], session), undefined)
  const given = ticketsFor(tickets, fills('one', undefined), session)!
  t.same(tickets.check(given['one']!).logins, ['one'])
  t.equal(tickets.check(given['']!).logins, undefined)
  const task = { ...session, logins: ['one', 'two'] }
  t.same(tickets.check(ticketsFor(tickets, fills(undefined), task)!['']!).logins, ['one', 'two'])
  t.throws(() => ticketsFor(tickets, fills('three'), task), {
    name: 'ServiceError',
    type: 'forbidden',
  })
})

t.test('each one-time code is given once, and none that is about to end', async (t) => {
  const { logins, fill, timeline, clock } = stage()
  await logins.create('acme', 'shop', { ...shop, totp: otpauthUriOf(secret)! })
  const codeNow = () =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() })
  const at = 'https://shop.example'
  const first = await fill(at)
  t.equal(first.values.code, codeNow())
  const second = fill(at)
  let isThere = false
  void second.then(() => (isThere = true))
  await timeline.run(100)
  t.notOk(isThere, 'the same code is not given again')
  const others = [second, fill(at)]
  await timeline.run(95_000)
  const codes = (await Promise.all(others)).map(({ values }) => values.code)
  t.equal(new Set([first.values.code, ...codes]).size, 3)
})

t.test('secrets of codes are base32 or a URI, with its digits and period', async (t) => {
  t.match(otpauthUriOf('jbsw y3dp-ehpk3pxp'), /^otpauth:\/\/totp\/.*secret=JBSWY3DPEHPK3PXP/)
  const uri = `otpauth://totp/Shop:anna?secret=${secret}&digits=8&period=60&algorithm=SHA256`
  t.match(otpauthUriOf(uri), /algorithm=SHA256&digits=8&period=60/)
  for (const bad of ['', '!', 'otpauth://totp/x', `otpauth://hotp/x?secret=${secret}&counter=1`]) {
    t.equal(otpauthUriOf(bad), undefined, bad)
  }
})

t.test('a change keeps what it does not name, and a record never has a value', async (t) => {
  const { logins, bucket } = stage()
  await logins.create('acme', 'shop', { ...shop, fields: { company: 'Lind' }, description: 'ours' })
  await logins.change('acme', 'shop', { password: 'green-kettle', fields: null })
  const record = await logins.get('acme', 'shop')
  t.same(logins.open(record), { username: 'anna', password: 'green-kettle' })
  t.match(record, { has: ['username', 'password'], description: 'ours' })
  await t.rejects(logins.change('acme', 'shop', { username: null, password: null }), {
    name: 'ServiceError',
    type: 'bad_request',
  })
  for await (const { value } of bucket.scan()) {
    t.notMatch(Buffer.from(value).toString('latin1'), /kettle|anna|Lind/)
  }
})

t.test('they are resealed with another key, and then need the old one no more', async (t) => {
  const [old, current] = [newKey(), newKey()]
  const before = stage(old)
  await before.logins.create('acme', 'a.b', shop)
  const both = stage(`${current},${old}`, before.store)
  const resealed = []
  for await (const one of resealRecords(both.bucket, both.logins)) resealed.push(one)
  t.match(resealed, [{ id: 'a.b', tenant: 'acme', outcome: 'resealed' }])
  const after = stage(current, before.store)
  t.match(after.logins.open(await after.logins.get('acme', 'a.b')), { password: 'blue-kettle' })
  const [only] = await after.logins.list('acme')
  t.equal(sealedWith(only!.sealed), openSealer({ SEAL_KEY: current, DATA_DIR: '' }).keyIds()[0])
})
