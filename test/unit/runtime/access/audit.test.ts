// Goal: events are recorded once and in order, and without secrets.
import t from 'tap'
import { actorKinds, type ActorDeps } from '../../../../actors/registry.ts'
import { auditId, readAuditId } from '../../../../proto/access/audit/audit.ts'
import { newAccessId, platformTenant } from '../../../../proto/access/ids.ts'
import { encode } from '../../../../proto/codec.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { factsOfLog } from '../../../../runtime/access/audit/sources/from-log.ts'
import { auditTable } from '../../../../runtime/access/audit/sources/table.ts'
import { auditStage, drainAudit } from '../../../helpers/access/audit/audit-stage.ts'
import { AccessStage } from '../../../helpers/access/actors/stage.ts'
import { AccessLogs, logEntry, staffAuthor } from '../../../helpers/access/actors/log.ts'

const client = newAccessId('client')

t.test('each command of each kind has a row, so a new verb needs one', async (t) => {
  const kinds = actorKinds({} as ActorDeps).map(({ protocol }) => protocol.kind)
  // Commands of jobs are recorded as changes of their record.
  const others = ['session', 'task', 'job']
  t.same(Object.keys(auditTable).sort(), kinds.filter((kind) => !others.includes(kind)).sort())
  for (const [kind, { protocol, rows }] of Object.entries(auditTable)) {
    for (const [verb, { mode }] of Object.entries(protocol.verbs)) {
      if (mode === 'command') t.ok(rows[verb], `${kind} ${verb}`)
    }
  }
})

t.test('no row contains a secret, a name or an address', async (t) => {
  const secret = 'S3CRET'
  const hidden = Object.fromEntries(
    ['hash', 'password', 'totp', 'invitationHash', 'hint', 'email', 'sessionId', 'title'].map(
      (name) => [name, secret],
    ),
  )
  for (const [kind, { rows }] of Object.entries(auditTable)) {
    for (const type of [...Object.keys(rows), 'of_a_later_version']) {
      const patch = { name: secret, contact: { email: secret } }
      const event = { type, by: staffAuthor, ...hidden, patch, terms: hidden }
      const context = { ...hidden, contact: hidden, sessions: [hidden] }
      const entry = logEntry({ kind, id: 'x_1', client, n: 1, event, context })
      t.notMatch(JSON.stringify(factsOfLog(encode(entry))), secret, `${kind} ${type}`)
    }
  }
})

t.test('an entry has its author, object, reason and request', async (t) => {
  const id = newAccessId('grant')
  const event = {
    type: 'mint',
    by: staffAuthor,
    tokenId: newAccessId('token'),
    name: 'reports',
    scopes: ['contacts:read'],
    hash: 'never',
  }
  const context = { needId: 'nd_1', scopeId: 'scp_1', requestId: 'acr_1' }
  const { facts } = factsOfLog(
    encode(logEntry({ kind: 'grant', id, client, n: 3, event, context })),
  )
  t.match(facts, {
    client,
    actor: { kind: 'staff', id: staffAuthor.id, roles: ['admin'] },
    action: 'grant.token_created',
    owasp: 'authn_token_created',
    object: { kind: 'grant', id, version: 3 },
    grantId: id,
    needId: 'nd_1',
    scopeId: 'scp_1',
    accessRequestId: 'acr_1',
    tokenId: event.tokenId,
    requestId: 'req_1',
    changes: [
      { field: 'name', to: 'reports' },
      { field: 'scopes', to: ['contacts:read'] },
    ],
  })
})

t.test('a decision of one person alone is marked, a deadline is by the clock', async (t) => {
  const facts = (event: { type: string }, context: Record<string, unknown>) =>
    factsOfLog(encode(logEntry({ kind: 'need', id: 'nd_1', client, n: 2, event, context }))).facts
  t.equal(facts({ type: 'extend' }, { extension: { selfReviewed: true } })?.selfReviewed, true)
  t.equal(facts({ type: 'extend' }, { extension: {} })?.selfReviewed, undefined)
  t.match(facts({ type: 'deadline.abandoned' }, {}), {
    action: 'need.closed',
    actor: { kind: 'system', id: 'clock' },
  })
})

t.test('logs, notes and records become one chain per client, each message once', async (t) => {
  const { logs, notes, records, sequencer, entries } = auditStage()
  const other = newAccessId('client')
  const happened = new AccessLogs(logs)
  for (let at = 1; at <= 100; at++) await happened.happen(at % 2 ? client : other, at)
  const note = { action: 'authorization_denied', outcome: 'denied', requestId: 'r' } as const
  await notes.add(subjects.note(client), encode({ ...note, tenant: client, atMs: 50 }), '1')
  await notes.add(subjects.note('x'), encode({ ...note, tenant: 'a.b.>', atMs: 60 }), '2')
  const made = { at: 70, by: staffAuthor, action: 'update', changed: ['email'] }
  const value = { version: 2, client, email: 'ada@example.com', _m: made }
  await records.append(`$KV.records.${client}.contacts.con_1`, encode(value), 0)
  const first = sequencer()
  await drainAudit(first)
  await drainAudit(sequencer(first.positions))
  await drainAudit(sequencer())
  const chain = await entries(client)
  t.same(
    chain.map(({ n }) => n),
    Array.from({ length: 52 }, (_, i) => i + 1),
  )
  t.match(
    chain.find(({ action }) => action === 'record.update'),
    { object: { kind: 'contacts', id: 'con_1', version: 2 }, changedFields: ['email'] },
  )
  t.notMatch(JSON.stringify(chain), 'ada@example.com')
  t.notMatch(JSON.stringify(chain), other)
  t.ok(chain.some(({ owasp }) => owasp === 'authz_fail'))
  t.equal((await entries(other)).length, 50)
  t.equal((await entries(platformTenant)).length, 1, 'what is no tenant')
})

t.test(
  'all events of an access from request to end are recorded, readable and without a gap',
  async (t) => {
    const stage = await AccessStage.begin()
    const { audit, sequencer, entries } = auditStage(stage.store.log)
    await drainAudit(sequencer())
    const chains = await audit.subjects(subjects.auditAll)
    const told = (
      await Promise.all(chains.map((subject) => entries(subject.split('.').at(-1)!)))
    ).flat()
    const actions = told.map(({ action }) => action)
    t.notOk(
      actions.some((action) => action.startsWith('audit.')),
      `${actions}`,
    )
    for (const action of ['client.created', 'scope.confirmed', 'client.activated', 'need.opened']) {
      t.ok(actions.includes(action), action)
    }
  },
)

t.test('two sequencers together write what one would write', async (t) => {
  const { logs, sequencer, entries } = auditStage()
  const clients = [client, newAccessId('client'), newAccessId('client')]
  const happened = new AccessLogs(logs)
  for (let at = 1; at <= 300; at++) await happened.happen(clients[at % 3]!, at)
  await Promise.all([drainAudit(sequencer()), drainAudit(sequencer()), drainAudit(sequencer())])
  for (const each of clients) {
    const chain = await entries(each)
    t.same(
      chain.map(({ src }) => src.n),
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
  }
})

t.test('messages dropped before they were read are recorded as lost, once', async (t) => {
  const { logs, sequencer, entries } = auditStage()
  const id = newAccessId('need')
  const append = async (n: number, before: number) => {
    const event = { type: n === 1 ? 'created' : 'update', by: staffAuthor }
    const data = encode(logEntry({ kind: 'need', id, client, n, event }))
    return logs.append(subjects.log('need', id), data, before)
  }
  let seq = await append(1, 0)
  const first = sequencer()
  await drainAudit(first)
  seq = await append(4, seq)
  await append(5, seq)
  await drainAudit(first)
  await drainAudit(sequencer())
  const told = (await entries(client)).map(({ action, reason = '' }) =>
    `${action} ${reason}`.trim(),
  )
  t.same(told, [
    'need.opened',
    'audit.gap entries 2 to 3 of its log were dropped before they were read',
    'need.updated',
    'need.updated',
  ])
})

t.test('an unreadable message is recorded as such, and blocks nothing', async (t) => {
  const { logs, sequencer, entries } = auditStage()
  await logs.append(subjects.log('grant', 'gr_x'), Buffer.from('garbage'), 0)
  await new AccessLogs(logs).happen(client)
  await drainAudit(sequencer())
  t.match(await entries(platformTenant), [{ action: 'audit.unreadable', outcome: 'failed' }])
  t.equal((await entries(client)).length, 1)
})

t.test('an id contains the place of its entry', async (t) => {
  t.same(readAuditId(auditId(client, 12)), { client, n: 12 })
  t.same(readAuditId(auditId(platformTenant, 1)), { client: platformTenant, n: 1 })
  const noIds: readonly string[] = ['', 'aud_', `aud_${client}_1`, 'aud_platform_0', 'aud_>_1']
  for (const text of noIds) t.equal(readAuditId(text), undefined, text)
})
