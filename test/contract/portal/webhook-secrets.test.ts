/**
 * Goal: the secrets that sign webhooks: one is rotated by a form and shown once, after a recent
 * password; and the code that a page shows to receivers verifies deliveries. Method: a real
 * service, a real receiver on loopback, plain HTTP, no script.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { dataOf, patient } from '../../helpers/access/asking.ts'
import { ageSignIns } from '../../helpers/access/old-sign-ins.ts'
import { makePerson, password } from '../../helpers/access/people.ts'
import {
  textOf,
  unescaped,
  type Fields,
  type PlainBrowser,
} from '../../helpers/access/portal/plain-browser.ts'
import { signedInPlain } from '../../helpers/access/portal/portal.ts'
import { loopbackWebhooks, openEndpoint } from '../../helpers/access/webhooks.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startReceiver, type Received } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t, loopbackWebhooks)
const { a, ada, insider, service } = world
const ask = patient(world.ask)
const signedIn = signedInPlain(service.baseUrl, '10.26.0')
const owner = await signedIn(a.owner.email)
const secretText = /whsec_[A-Za-z0-9+/]{43}=/
let contacts = 0

async function addContact(): Promise<string> {
  const body = { first_name: 'Ada', last_name: `Lovelace ${++contacts}` }
  return dataOf(await ask('POST', '/v1/contacts', { token: a.all.token, body })).id
}

const send = async (one: PlainBrowser, page: string, action: string, fields: Fields = {}) =>
  one.submit(await one.get(page), action, fields)

t.test('a secret is rotated: both sign for a while, and the new one is shown once', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret: old } = await openEndpoint(world, a, receiver)
  const path = `/portal/webhooks/${id}`
  const page = await owner.get(path)
  const wrong = await owner.submit(page, `${path}/rotate`, { grace_seconds: '9999999' })
  t.equal(wrong.status, 422)
  const shown = await owner.submit(wrong, `${path}/rotate`, { grace_seconds: '3600' })
  const [secret = ''] = secretText.exec(unescaped(shown.html)) ?? []
  t.ok(secret && secret !== old)
  const twice = await owner.submit(wrong, `${path}/rotate`, { grace_seconds: '3600' })
  t.notMatch(unescaped(twice.html), secretText)
  const now = await owner.get(path)
  t.notMatch(unescaped(now.html), secretText)
  t.equal(now.html.match(/whsec_…\S{4}</g)?.length, 2)
  t.match(textOf(now), /Until replaced/)
  t.match(textOf(now), /in (\d+ minutes|1 hour)/, 'until when the second one is live')
  await until('both sign', async () => {
    const before = receiver.received.length
    await addContact()
    const told = await until('it is told of', () => receiver.received[before])
    return signs(secret, told) && signs(old, told)
  })
})

const signs = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

t.test('showing a secret asks again for a password that was given long ago', async (t) => {
  const invited = { tenant: a.id, email: 'hooks@a.example', roles: ['owner'], by: ada.author }
  const person = await makePerson(insider.directory, { ...invited, roles: ['owner'] })
  const one = await signedIn(person.email)
  const receiver = await startReceiver(t)
  const { id } = await openEndpoint(world, a, receiver)
  const path = `/portal/webhooks/${id}`
  const page = await one.get(path)
  await ageSignIns(insider, { id: person.id, tenant: a.id }, 2)
  await until('the gateway knows how old it is', async () => {
    // Not a valid duration, so nothing is rotated, with a fresh or an old sign-in.
    const answer = await send(one, path, `${path}/rotate`, { grace_seconds: '9999999' })
    return /Enter your password to continue/.test(textOf(answer))
  })
  const asked = await one.submit(page, `${path}/rotate`, { grace_seconds: '0' })
  t.equal(asked.status, 403)
  t.notMatch(unescaped(asked.html), secretText)
  const shown = await one.submit(asked, `${path}/rotate`, { step_up_password: password })
  t.match(unescaped(shown.html), secretText)
})

t.test('the code that pages show verifies real deliveries, and nothing else', async (t) => {
  const receiver = await startReceiver(t)
  for (const [signature, name] of [
    ['hmac', 'WEBHOOK_SECRET'],
    ['ed25519', 'WEBHOOK_PUBLIC_KEY'],
  ] as const) {
    const { id, secret, secrets } = await openEndpoint(world, a, receiver, { signature })
    const page = await owner.get(`/portal/webhooks/${id}`)
    const code = [...page.html.matchAll(/aria-label="Code for Node"><code>(.*?)<\/code>/gs)]
    const key = secret ?? secrets[0]?.public_key ?? ''
    const url = await runSample(t, unescaped(code[0]?.[1] ?? ''), { [name]: key })
    const { body, headers } = receiver.received.at(-1)!
    const kept = Object.entries(headers).filter(([header]) => header.startsWith('webhook-'))
    const forward = async (text: string) =>
      (await fetch(url, { method: 'POST', headers: Object.fromEntries(kept), body: text })).status
    t.equal(await forward(body), 204, signature)
    t.equal(await forward(`${body} `), 400, `${signature}: another body`)
    t.match(textOf(page), /from standardwebhooks|Ed25519PublicKey/, 'and there is one for Python')
  }
})

/** Runs it as a person who copies it would, but on a free port. */
async function runSample(t: Test, code: string, env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-sample-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const listening = 'listen(0, "127.0.0.1", function () { console.log(this.address().port) })'
  writeFileSync(join(folder, 'sample.mjs'), code.replace('listen(3000)', listening))
  const child = spawn(process.execPath, ['sample.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((done) => child.once('exit', done))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  for await (const port of createInterface(child.stdout)) return `http://127.0.0.1:${port}/`
  throw new Error('the sample does not listen')
}

t.test('no secret is in the logs', async (t) => {
  t.notMatch(service.output(), secretText)
})
