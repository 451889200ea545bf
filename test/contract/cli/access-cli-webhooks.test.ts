/**
 * Goal: from a shell, an owner sets up a webhook, verifies it, sees deliveries, resends one,
 * rotates the secret and removes the webhook; and the people who administer access can check
 * whether somebody may do something, and why not. Method: the real commands in their own processes,
 * a real receiver.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import { needActor } from '../../../proto/access/engagement/need.ts'
import { dataOf, patient } from '../../helpers/access/asking.ts'
import { grantTo } from '../../helpers/access/clients.ts'
import { password, type Person } from '../../helpers/access/people.ts'
import { webhookGrant, loopbackWebhooks } from '../../helpers/access/webhooks.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t, loopbackWebhooks)
const { a, b, ada, service, insider, deciders } = world
const ask = patient(world.ask)

/** A shell in which this person has signed in. */
async function shellOf(person: Pick<Person, 'email'>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'troupe-shell-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = { DATA_DIR: dataDir, SVC_BASE: service.baseUrl }
  const run = (...args: readonly string[]) => runTroupe(['access', ...args], env)
  const input = `${password}\n`
  const { code, stderr } = await runTroupe(['access', 'sign-in', person.email], env, input)
  if (code !== 0) throw new Error(stderr)
  const must = async (...args: readonly string[]) => {
    const done = await run(...args)
    if (done.code !== 0) throw new Error(`troupe access ${args.join(' ')}: ${done.stderr}`)
    return done.stdout.trim()
  }
  return { run, must }
}
const owner = await shellOf(a.owner)
const admin = await shellOf(ada)

t.test('a webhook is set up, verified, inspected, resent, rotated and removed', async (t) => {
  const receiver = await startReceiver(t)
  const { id: grant } = await webhookGrant(world, a)
  t.equal(await owner.must('webhooks'), 'no webhooks')
  const add = ['webhooks', 'add', receiver.url, '--grant', grant, '--events', 'contact.*']
  const made = await until('the gateway knows the grant', async () => {
    const done = await owner.run(...add, '--description', 'the newsletter')
    return done.code === 0 && done
  })
  const secret = made.stdout.trim()
  t.match(secret, /^whsec_/)
  const [id = ''] = /whe_\w{26}/.exec(made.stderr) ?? []
  t.match(made.stderr, `npm run troupe -- access webhooks verify ${id}`)
  t.notMatch(made.stderr, secret)

  t.match(await owner.must('webhooks', 'verify', id), /^dlv_\w{26} is on its way/)
  await until('it is active', async () => {
    return (await owner.must('webhooks', 'list')).includes(`${id}  active`)
  })
  const [ping] = receiver.received
  t.match(new Webhook(secret).verify(ping!.body, ping!.headers), { type: 'webhook.ping' })
  const shown = await owner.must('webhooks', 'show', id)
  t.match(shown, new RegExp(`Status +active\n.*For +the newsletter\n`, 's'))
  t.match(shown, /Secret +hmac whsec_…/)
  t.notMatch(shown, secret)

  const body = { first_name: 'Ada', last_name: 'Lovelace' }
  await ask('POST', '/v1/contacts', { token: a.all.token, body })
  await until('it is told of', () => receiver.of('contact.created').length === 1)
  const row = await until('it is written down', async () => {
    const rows = await owner.must('webhooks', 'deliveries', id, '--status', 'delivered')
    return rows.split('\n').find((line) => line.includes('contact.created'))
  })
  t.match(row, /contact\.created +delivered +1× 204/)
  const [delivery = ''] = /dlv_\w{26}/.exec(row) ?? []
  t.match(await owner.must('webhooks', 'replay', delivery), /^dlv_\w{26} is on its way$/)
  const [first, again] = await until('it is sent again', () => {
    const found = receiver.of('contact.created')
    return found.length === 2 && found
  })
  t.equal(again!.headers['webhook-id'], first!.headers['webhook-id'])

  const next = await owner.must('webhooks', 'rotate', id, '--grace', '0')
  t.match(next, /^whsec_/)
  t.not(next, secret)
  const listed = JSON.parse(await owner.must('webhooks', 'list', '--json')) as object
  t.match(listed, [{ id, status: 'active', grant_id: grant }])
  const sent = await owner.must('webhooks', 'deliveries', id, '--json')
  t.ok((JSON.parse(sent) as object[]).length >= 3)
  t.match(JSON.parse(await owner.must('webhooks', 'show', id, '--json')), {
    ...{ id, payload: 'thin', created_by: a.owner.id },
  })
  t.equal(await owner.must('webhooks', 'remove', id), `${id} is removed`)
  await until('it is gone', async () => (await owner.must('webhooks')) === 'no webhooks')
})

t.test('unclear arguments get the usage; others’ webhooks are not found', async (t) => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['pause'], /"pause" is not one of list, add/],
    [['add', 'https://x.example/in'], /add takes a URL, --grant ID and --events LIST/],
    [['verify', 'dlv_1'], /verify takes a webhook: whe_…/],
    [['replay', 'whe_00000000000000000000000000'], /replay takes a delivery: dlv_…/],
    [['rotate', 'whe_00000000000000000000000000', '--grace', 'soon'], /--grace takes seconds/],
  ]
  for (const [args, words] of wrong) {
    t.match(await owner.run('webhooks', ...args), { code: 2, stderr: words }, args.join(' '))
  }
  const never = await owner.run('webhooks', 'show', 'whe_00000000000000000000000000')
  t.match(never, { code: 1, stdout: '', stderr: /\(not_found\)/ })
  t.match((await owner.run('webhooks', '--help')).stdout, /troupe access webhooks \[list\|add\|/)
})

t.test('a check says whether somebody may, and which link of the chain refuses', async (t) => {
  const { directory } = insider
  const permissions = [{ area: 'contacts', actions: ['read'] }] as const
  const wish = {
    permissions,
    path: 'portal',
    subject: { kind: 'person', id: a.member.id },
  } as const
  const held = await grantTo(directory, a, deciders, wish)
  const check = (...args: readonly string[]) => admin.run('check', ...args)
  const says = (what: RegExp, ...args: readonly string[]) =>
    until(`the gateway says ${what.source}`, async () => {
      const done = await check(...args)
      return what.test(done.stdout) && done
    })
  const yes = await says(/^Yes, contacts:read: The access includes/, a.member.id, 'contacts:read')
  t.equal(yes.code, 0)
  t.match(
    yes.stdout,
    new RegExp(`yes +${held.id} +portal +The access includes contacts:read until`),
  )
  const no = await check(a.member.id, 'tasks:read')
  t.match(no, { code: 1, stdout: /^No, tasks:read: The grant does not include tasks:read/ })
  t.match(await check(ada.id, 'tasks:read'), { code: 1, stdout: /The subject holds no grant/ })

  const byToken = await check(a.reader.tokenId, 'contacts:read', '--json')
  t.match(JSON.parse(byToken.stdout), {
    ...{ allowed: true, subject: a.reader.tokenId },
    through: [{ grant_id: a.reader.id, client_id: a.id, permission: { area: 'contacts' } }],
  })
  t.match(await check(a.reader.tokenId, 'tasks:read'), {
    code: 1,
    stdout: /The token does not include/,
  })
  t.match(await check(a.ended.tokenId, 'contacts:read'), {
    stdout: /The grant is ended \(ends_at\)/,
  })
  const contracted = await check(a.member.id, 'custom/newsletter:read', '--client', a.id)
  t.match(contracted, { code: 1, stdout: /The grant does not include custom\/newsletter:read/ })
  t.match(await check(a.member.id, 'contacts:read', '--client', b.id), { code: 1 })

  const suspend = { type: 'suspend', by: deciders.second, reason: 'let us look at it' } as const
  await directory.ask(grantActor, held.id, suspend)
  await says(/The grant is suspended/, a.member.id, 'contacts:read')
  const close = { type: 'close', by: deciders.first, reason: 'as a test of checks' } as const
  const { token } = a.reader
  await directory.ask(needActor, a.need, close)
  await says(/The grant is ended \(need_closed\)/, a.reader.tokenId, 'contacts:read')
  const refused = await ask('GET', '/v1/contacts', { token })
  t.equal(refused.status, 401, 'and a request is told the same')
})

t.test('only administrators of access may check, and only what they may know', async (t) => {
  const path = (subject: string) => `/v1/access/check?subject=${subject}&area=tasks&action=read`
  const of = (person: Pick<Person, 'token'>, subject: string) =>
    ask('GET', path(subject), { token: person.token })
  t.equal((await of(a.member, a.member.id)).status, 403, 'no owner')
  t.equal((await of(b.owner, a.member.id)).status, 404, 'another client')
  t.equal((await of(b.owner, a.reader.tokenId)).status, 404)
  t.match(dataOf(await of(b.owner, b.member.id)), { allowed: false, through: [] })
  const wrong = await ask('GET', path('nobody'), { token: ada.token })
  t.equal(wrong.status, 400)
  t.match(await owner.run('check', 'nobody', 'tasks:read'), { code: 2, stderr: /usr_….*tok_…/ })
  t.match(await owner.run('check', a.member.id, 'tasks'), { code: 2, stderr: /area:action/ })
})
