// Goal: the shell shows and sends Surface A's data faithfully: tables, texts without control
// characters, a digest of exactly what is on the screen, a session that only its owner can read,
// and another password prompt where the service asks for it. Method: pure functions; a small HTTP
// server that asks for a step-up; the samples of the demo checked against the areas' schemas.
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import tap from 'tap'
import { areaKeys } from '../../../../proto/access/areas/areas.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import { demoRecords } from '../../../../runtime/access/demo/samples.ts'
import { DemoWorld } from '../../../../runtime/access/demo/world.ts'
import { referencesOf } from '../../../../runtime/access/records/references.ts'
import type { RequestAnswer } from '../../../../runtime/cli/access/service/answers.ts'
import { sampleCommands } from '../../../../runtime/cli/access/demo/summary.ts'
import { entityListings } from '../../../../runtime/cli/access/service/entities.ts'
import { listingTable } from '../../../../runtime/cli/access/commands/lists.ts'
import { readPermissions, readScopes } from '../../../../runtime/cli/access/commands/requests.ts'
import { digestToSign } from '../../../../runtime/cli/access/commands/review.ts'
import {
  writeSessionFile,
  readSessionFile,
  sessionPath,
} from '../../../../runtime/cli/access/people/session-file.ts'
import {
  permissionText,
  requestText,
  minuteText,
} from '../../../../runtime/cli/access/service/texts.ts'
import { accessIdOf } from '../../../helpers/access/actors/story.ts'
import { runTroupe } from '../../../helpers/service/run-troupe.ts'

const folder = (t: Pick<typeof tap, 'teardown'>): string => {
  const path = mkdtempSync(join(tmpdir(), 'troupe-shell-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const request = (more: Partial<RequestAnswer> = {}): RequestAnswer => ({
  id: accessIdOf('request', 1),
  client_id: accessIdOf('client', 1),
  version: 2,
  created_at: '2026-05-01T10:00:00.000Z',
  created_by: accessIdOf('person', 3),
  status: 'pending',
  scope_id: accessIdOf('scope', 1),
  need_id: accessIdOf('need', 1),
  path: 'api',
  subject: { kind: 'integration', id: 'newsletter' },
  permissions: [{ area: 'contacts', actions: ['read'] }],
  cidrs: [],
  ends_at: '2026-05-20T10:00:00.000Z',
  justification: 'It reads contacts once an hour.',
  emergency: false,
  requested_by: { kind: 'staff', id: accessIdOf('person', 3) },
  shown: {
    client: { id: accessIdOf('client', 1), name: 'Golden Crust' },
    scope: { id: accessIdOf('scope', 1), name: 'Retainer', version: 3 },
    need: { id: accessIdOf('need', 1), title: 'Sync', purpose: 'The tool needs contacts.' },
    subject: { kind: 'integration', id: 'newsletter', name: 'newsletter' },
  },
  digest: null,
  policy: {
    rules: ['R1', 'R2'],
    slots: [{ role: 'staff_reviewer', count: 1 }],
    expires_at: '2026-05-08T10:00:00.000Z',
  },
  reviews: [],
  ...more,
})

tap.test('a list is a table with aligned columns', async (t) => {
  const client = (n: number, slug: string, name: string) => ({
    ...{ id: accessIdOf('client', n), version: 1, created_at: '', created_by: '', slug, name },
    ...{ status: 'active', contact: { name: 'N', email: 'n@example.com' }, timezone: 'UTC' },
  })
  const shown = listingTable(entityListings.clients, [
    client(1, 'golden-crust', 'Golden Crust'),
    client(2, 'ab', 'Able\u001b[2J Bakers'),
  ])
  t.same(shown.split('\n'), [
    'ID                              STATUS  SLUG          NAME',
    `${accessIdOf('client', 1)}  active  golden-crust  Golden Crust`,
    `${accessIdOf('client', 2)}  active  ab            Able[2J Bakers`,
  ])
})

tap.test('people’s texts cannot move the cursor or reverse the text direction', async (t) => {
  const shown = requestText(request({ justification: 'fine\u001b[1A\u202Edeny\r' }))
  t.match(shown, 'fine[1Adeny')
  t.notMatch(shown, /[\u001b\u202e\r]/)
})

tap.test('a permission shows how it is narrowed', async (t) => {
  t.equal(
    permissionText({
      area: 'contacts',
      actions: ['read', 'write'],
      fields: ['email', 'tags'],
      where: [{ field: 'source', equals: ['shop', 'web form'] }],
    }),
    'contacts:read,write only email, tags where source = shop or web form',
  )
  t.equal(minuteText('2026-05-20T10:00:31.123Z'), '2026-05-20 10:00Z')
})

tap.test('access is parsed per area', async (t) => {
  t.same(readPermissions('contacts:read,tasks:read, contacts:write,contacts:read'), [
    { area: 'contacts', actions: ['read', 'write'] },
    { area: 'tasks', actions: ['read'] },
  ])
  for (const wrong of ['contacts', 'contacts:', 'contacts:read:all', 'cakes:read', '']) {
    t.throws(() => readScopes('scopes', wrong), { name: 'UsageError' }, wrong)
  }
})

tap.test('the digest that a review names is that of the text on the screen', async (t) => {
  const { shown, policy, requested_by: by } = request()
  const expected = digestOf({
    ...shown,
    requestedBy: by,
    terms: {
      scopeId: accessIdOf('scope', 1),
      needId: accessIdOf('need', 1),
      path: 'api',
      subject: { kind: 'integration', id: 'newsletter' },
      permissions: [{ area: 'contacts', actions: ['read'] }],
      cidrs: [],
      endsAtMs: Date.parse('2026-05-20T10:00:00.000Z'),
      justification: 'It reads contacts once an hour.',
      emergency: false,
    },
    rules: policy?.rules,
    slots: policy?.slots,
  })
  t.equal(digestToSign(request()), expected)
  const others: readonly Partial<RequestAnswer>[] = [
    { permissions: [{ area: 'contacts', actions: ['read', 'write'] }] },
    { ends_at: '2026-05-21T10:00:00.000Z' },
    { subject: { kind: 'integration', id: 'other' } },
    { cidrs: ['192.0.2.0/24'] },
    { emergency: true },
    { shown: { ...shown!, need: { ...shown!.need, purpose: 'Something else altogether.' } } },
  ]
  for (const other of others) t.not(digestToSign(request(other)), expected, JSON.stringify(other))
  t.equal(digestToSign(request({ shown: null })), undefined)
})

tap.test('a session file is readable by its owner alone, whatever was there before', async (t) => {
  const dataDir = join(folder(t), 'data')
  const session = { url: 'http://127.0.0.1:1', token: 'spas_x', email: 'a@b.c', expires_at: '' }
  t.equal(readSessionFile(dataDir), undefined)
  writeSessionFile(dataDir, session)
  t.equal(statSync(sessionPath(dataDir)).mode & 0o777, 0o600)
  chmodSync(sessionPath(dataDir), 0o644)
  writeSessionFile(dataDir, { ...session, token: 'spas_y' })
  t.equal(statSync(sessionPath(dataDir)).mode & 0o777, 0o600)
  t.equal(readSessionFile(dataDir)?.token, 'spas_y')
  writeFileSync(sessionPath(dataDir), '{"url":')
  t.equal(readSessionFile(dataDir), undefined, 'a partial file is no session')
})

tap.test('the password is asked for again once, where the service wants it', async (t) => {
  const grant = accessIdOf('grant', 1)
  const seen: string[] = []
  const server = createServer((incoming, reply) => {
    void answerOf(incoming, seen).then(({ status, body }) => {
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const url = `http://127.0.0.1:${port}`
  const dataDir = folder(t)
  writeSessionFile(dataDir, { url, token: 'spas_known', email: 'ada@example.com', expires_at: '' })
  const args = ['access', 'revoke', grant, '--reason', 'it is over']
  const env = { DATA_DIR: dataDir }
  const { code, stdout, stderr } = await runTroupe(args, env, 'open sesame please\n123456\n')
  t.equal(code, 0, stderr)
  t.equal(stdout, `${grant} is revoked\n`)
  t.same(seen, [
    `GET /v1/grants/${grant} spas_known`,
    `POST /v1/grants/${grant}/revoke spas_known "7" {"reason":"it is over"}`,
    'GET /v1/me spas_known',
    'POST /v1/sign-in/step-up spas_known {"password":"open sesame please","code":"123456"}',
    `POST /v1/grants/${grant}/revoke spas_known "7" {"reason":"it is over"}`,
  ])
  const none = await runTroupe(args, env)
  t.match(none, { code: 1, stderr: 'troupe: this needs your password once more\n' })
  const elsewhere = await runTroupe(args, { ...env, SVC_BASE: 'http://127.0.0.1:9' })
  t.match(elsewhere.stderr, /you are signed in to http:\S+, and SVC_BASE names/)
})

/** Asks for a step-up at every second attempt. */
async function answerOf(incoming: IncomingMessage, seen: string[]) {
  const { method, url = '', headers } = incoming
  const parts = [method, url, headers.authorization?.replace('Bearer ', ''), headers['if-match']]
  seen.push([...parts, (await text(incoming)) || undefined].filter(Boolean).join(' '))
  const stamps = { id: accessIdOf('person', 1), version: 7, created_at: '', created_by: '' }
  const me = { ...stamps, email: 'ada@example.com', name: 'Ada', kind: 'staff', roles: ['admin'] }
  const person = { ...me, status: 'active', has_totp: true }
  if (/me$|step-up$/.test(url)) return { status: 200, body: { data: person } }
  const hasSteppedUp = seen.some((line) => line.includes('step-up'))
  if (method === 'POST' && (!hasSteppedUp || seen.at(-2)?.includes('GET /v1/grants'))) {
    const error = { code: 403, type: 'step_up_required', message: 'Give your password again.' }
    return { status: 403, body: { error } }
  }
  const grant = {
    ...{ ...stamps, id: accessIdOf('grant', 1), request_id: 'acr_1', scope_id: 'scp_1' },
    ...{ need_id: 'nd_1', subject: { kind: 'person', id: 'usr_1' }, path: 'api', cidrs: [] },
    ...{ permissions: [], starts_at: '', ends_at: '', emergency: false, approvers: [] },
  }
  return { status: 200, body: { data: { ...grant, status: 'revoked' } } }
}

const people = {
  ada: accessIdOf('person', 1),
  grace: accessIdOf('person', 2),
  mina: accessIdOf('person', 3),
  theo: accessIdOf('person', 4),
}
const world = new DemoWorld(accessIdOf('client', 1), people, Date.parse('2026-05-01T12:00:00Z'))

tap.test(
  'the demo has records of all areas from which it makes reports, which refer to each other',
  async (t) => {
    const records = demoRecords(world)
    t.same(
      [...new Set(records.map(({ area }) => area))],
      areaKeys.filter((area) => area !== 'reports'),
    )
    const ids = new Set([...records.map(({ id }) => id), ...Object.values(people)])
    t.equal(ids.size, records.length + 4, 'no id is there twice')
    const dangling = records.flatMap(({ area, fields }) =>
      referencesOf(areaDefinitions[area], fields).filter(({ id }) => !ids.has(id)),
    )
    t.same(dangling, [])
    for (const { createdAtMs, createdBy } of records) {
      t.ok(createdAtMs < world.nowMs)
      t.equal(createdBy, 'system:demo')
    }
    const again = demoRecords(new DemoWorld(world.client, people, world.nowMs + 86_400_000))
    t.same(
      again.map(({ id }) => id),
      records.map(({ id }) => id),
      'and the same ids another day',
    )
  },
)

tap.test('the demo ends with three lines for a shell, and names no real person', async (t) => {
  const lines = sampleCommands('http://127.0.0.1:8080', 'spat_x')
  t.equal(lines.length, 3)
  t.match(lines[0], "curl -s 'http://127.0.0.1:8080/v1/contacts?limit=3' -H 'Authorization: Bearer")
  const names = JSON.stringify(demoRecords(world)).match(/[\w.-]+@[\w.-]+|https?:\/\/[^/"]+/g) ?? []
  t.same(
    names.filter((name) => !name.endsWith('.example')),
    [],
  )
})
