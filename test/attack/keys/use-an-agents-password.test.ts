/**
 * An attacker has got out of a browser and reads the password with which its host's node agent uses
 * NATS. They want keys, histories, other hosts' browsers, and to speak in others' names. Method: the
 * password of a running service, and every way into a store that NATS has.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type NatsError } from 'nats'
import t from 'tap'
import type { ReportRequest } from '../../../proto/browser-host/agent-reports.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { Reply } from '../../../proto/envelope.ts'
import { newId } from '../../../proto/ids.ts'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', NODE_ID: 'one' } })
t.teardown(() => service.stop())

const file = join(service.dataDir, 'nats', 'credentials.json')
const { port, nodeAgentPassword: pass } = JSON.parse(readFileSync(file, 'utf8'))
const nc = await connect({
  servers: `127.0.0.1:${port}`,
  ...{ user: 'node-agent', pass, inboxPrefix: '_INBOX.one.node-agent', noAsyncTraces: true },
})
t.teardown(() => nc.close())

const denied = 'PERMISSIONS_VIOLATION'
const timeout = 20_000

async function asked(subject: string, payload: unknown = {}): Promise<string> {
  const data = payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  try {
    return `answered: ${(await nc.request(subject, data, { timeout })).data}`
  } catch (error) {
    return (error as NatsError).code
  }
}

function heard(subject: string): Promise<string> {
  return new Promise((resolve) => {
    const callback = (error: NatsError | null) => resolve(error?.code ?? 'heard something')
    nc.subscribe(subject, { callback })
    // What the server answers to it comes before what it answers to these.
    const answered = nc.flush().then(() => nc.flush())
    void answered.then(() => resolve('listens'))
  })
}

const all = [...Object.values(streams), ...Object.values(buckets).map((name) => `KV_${name}`)]
const hidden = all.filter((stream) => stream !== 'KV_hosts')

t.test('they read what the store has', async (t) => {
  for (const stream of hidden) {
    for (const verb of ['INFO', 'MSG.GET', 'SNAPSHOT', 'PURGE', 'DELETE', 'UPDATE', 'MSG.DELETE']) {
      const subject = `$JS.API.STREAM.${verb}.${stream}`
      t.equal(await asked(subject, { last_by_subj: '>', seq: 1 }), denied, subject)
    }
    t.equal(await asked(`$JS.API.DIRECT.GET.${stream}`, { seq: 1 }), denied, stream)
  }
  for (const subject of ['STREAM.NAMES', 'STREAM.LIST', 'INFO', 'ACCOUNT.INFO']) {
    t.equal(await asked(`$JS.API.${subject}`), denied, subject)
  }
})

t.test('they have it delivered, or copied to a stream of their own', async (t) => {
  const config = { deliver_subject: `$KV.${buckets.keys}.forged`, ack_policy: 'none' }
  for (const stream of all) {
    for (const verb of ['CREATE', 'DURABLE.CREATE', 'LIST', 'NAMES']) {
      const subject = `$JS.API.CONSUMER.${verb}.${stream}`
      t.equal(await asked(subject, { stream_name: stream, config }), denied, subject)
      t.equal(await asked(`${subject}.mine`, { stream_name: stream, config }), denied)
    }
  }
  const mirror = { name: 'MINE', mirror: { name: 'KV_keys' } }
  t.equal(await asked('$JS.API.STREAM.CREATE.MINE', mirror), denied)
  const republish = { name: 'KV_hosts', republish: { src: '>', dest: '$KV.keys.forged' } }
  t.equal(await asked('$JS.API.STREAM.UPDATE.KV_hosts', republish), denied)
})

t.test('they listen to others', async (t) => {
  const subjectsOfOthers = [
    ...[
      '>',
      '*',
      'troupe.>',
      'troupe.v1.>',
      '$KV.>',
      '$JS.>',
      '$SYS.>',
      '_INBOX.>',
      '_INBOX.one.>',
    ],
    ...['_INBOX.one.gateway.>', '_INBOX.one.actors.>', '_INBOX.two.node-agent.>'],
    ...hidden.map((stream) => subjects.bucketChanges(stream.replace('KV_', ''))),
    ...[subjects.nodeAll('two'), subjects.nodeAll('*')],
    ...[subjects.agentReports, subjects.mailbox('session', '*'), subjects.place('session')],
    ...[
      subjects.logAll,
      subjects.publicAll,
      subjects.auditAll,
      subjects.notesAll,
      subjects.readsAll,
    ],
  ]
  for (const subject of subjectsOfOthers) t.equal(await heard(subject), denied, subject)
})

t.test('they speak in others’ names', async (t) => {
  const { id } = await createSession(service.rest, headless)
  const command = { requestId: 'req_1', deadlineMs: Date.now() + 60_000 }
  const attach = encode({ ...command, command: { type: 'attach', by: 'one.gateway.1' } })
  const rows: readonly (readonly [string, Uint8Array])[] = [
    [subjects.mailbox('session', id), attach],
    [subjects.mailbox('task', 'tsk_1'), attach],
    [subjects.place('session'), attach],
    [subjects.adopt(`one.actors.${'0'.repeat(26)}`), attach],
    [subjects.node('two', 'claim'), attach],
    [subjects.node('one', 'claim'), attach],
    [subjects.log('session', id), encode({ kind: 'session', id, n: 9 })],
    [`$KV.${buckets.keys}.forged`, encode({ tenant: 'other' })],
    [`$KV.${buckets.owners}.session.${id}`, encode({ state: 'free' })],
    [`$KV.${buckets.hosts}.two.node-agent.1`, encode({ state: 'alive' })],
    [`$KV.${buckets.hosts}.one.actors.1`, encode({ state: 'dead' })],
    [subjects.audit('platform'), attach],
    [subjects.taskStep('tsk_1'), Buffer.from('{}')],
  ]
  for (const [subject, data] of rows) t.equal(await asked(subject, data), denied, subject)
  t.equal((await service.rest('GET', `/v1/sessions/${id}`)).body.data.status, 'running')
})

t.test('they report what is not theirs', async (t) => {
  const { id } = await createSession(service.rest, headless)
  const report = async (what: unknown) => {
    const { data } = await nc.request(subjects.agentReports, encode(what), { timeout })
    return decode<Reply>(data)
  }
  const browserId = newId('brw')
  const reports: readonly ReportRequest['report'][] = [
    { type: 'browser.gone', browserId, cause: 'crashed', detail: 'It was not them.' },
    { type: 'browser.draining', browserId },
  ]
  for (const about of reports) {
    t.same(await report({ sessionId: id, report: about }), { ok: true, value: null }, about.type)
  }
  for (const message of [
    { type: 'end', reason: 'deleted' },
    { type: 'attach', by: 'x' },
    'end',
    1,
  ]) {
    t.match(await report({ sessionId: id, report: message }), { error: { type: 'bad_request' } })
  }
  t.equal((await service.rest('GET', `/v1/sessions/${id}`)).body.data.status, 'running')
})

t.test('they know the user, and try without its password', async (t) => {
  const servers = `127.0.0.1:${port}`
  for (const access of [{}, { user: 'node-agent', pass: '' }, { user: 'troupe', pass }]) {
    await t.rejects(connect({ servers, reconnect: false, ...access }), {
      code: 'AUTHORIZATION_VIOLATION',
    })
  }
})
