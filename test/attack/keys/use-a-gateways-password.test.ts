/**
 * An attacker runs code in a gateway, the process that everybody reaches, and has its password of
 * NATS. They want a history that says what they like, actors that obey them, webhooks in the
 * service's name. Method: that password, and every way into a store that NATS has.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type NatsError } from 'nats'
import t from 'tap'
import { encode } from '../../../proto/codec.ts'
import type { Incarnation } from '../../../proto/ids.ts'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', NODE_ID: 'one' } })
t.teardown(() => service.stop())

const file = join(service.dataDir, 'nats', 'credentials.json')
const { port, gatewayPassword: pass, password } = JSON.parse(readFileSync(file, 'utf8'))
const nc = await connect({
  servers: `127.0.0.1:${port}`,
  ...{ user: 'gateway', pass, inboxPrefix: '_INBOX.one.gateway', noAsyncTraces: true },
})
t.teardown(() => nc.close())

const denied = 'PERMISSIONS_VIOLATION'
const timeout = 20_000

async function asked(subject: string, payload: Uint8Array): Promise<string> {
  try {
    return `answered: ${(await nc.request(subject, payload, { timeout })).data}`
  } catch (error) {
    return (error as NatsError).code
  }
}

const { id } = await createSession(service.rest, headless)
const actors: Incarnation = `one.actors.${'0'.repeat(26)}`
const bytes = encode({ kind: 'session', id, n: 9 })

t.test('they write histories, views and what others read in the service’s name', async (t) => {
  const rows = [
    subjects.log('session', id),
    `$KV.${buckets.owners}.session.${id}`,
    `$KV.${buckets.views}.session.default.${id}`,
    `$KV.${buckets.deliveries}.forged`,
    `$KV.${buckets.audit}.forged`,
    ...[subjects.audit('platform'), subjects.checkpoint('platform')],
    ...[subjects.taskStep('tsk_1'), subjects.taskState('tsk_1'), subjects.taskPicture('tsk_1', 1)],
    subjects.agentReports,
    `$KV.${buckets.hosts}.${actors}`,
    `$KV.${buckets.hosts}.one.node-agent.1`,
    subjects.bucketChanges(buckets.views).replace('>', `session.default.${id}`),
    ...['_INBOX.one.actors.x', 'anything.else'],
  ]
  for (const subject of rows) t.equal(await asked(subject, bytes), denied, subject)
})

t.test('they change, empty, copy or restore streams', async (t) => {
  const all = [...Object.values(streams), ...Object.values(buckets).map((name) => `KV_${name}`)]
  for (const stream of all) {
    for (const verb of ['PURGE', 'DELETE', 'UPDATE', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE']) {
      const subject = `$JS.API.STREAM.${verb}.${stream}`
      t.equal(await asked(subject, encode({ name: stream })), denied, subject)
    }
    const durable = `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.mine`
    t.equal(await asked(durable, encode({})), denied, durable)
  }
  const mirror = encode({ name: 'MINE', mirror: { name: streams.log } })
  t.equal(await asked('$JS.API.STREAM.CREATE.MINE', mirror), denied)
  for (const subject of ['STREAM.NAMES', 'STREAM.LIST', 'INFO', 'ACCOUNT.INFO']) {
    t.equal(await asked(`$JS.API.${subject}`, encode({})), denied, subject)
  }
})

t.test('they listen in the place of actors, agents and other processes', async (t) => {
  for (const subject of [
    ...['>', 'troupe.>', '$KV.>', '$JS.>', '_INBOX.>', '_INBOX.one.>', '_INBOX.one.actors.>'],
    ...[subjects.mailboxAll, subjects.placeAll, subjects.adoptAll, subjects.agentAll],
    ...[subjects.agentReports, subjects.nodeAll('one'), subjects.logAll, subjects.auditAll],
    ...[subjects.publicAll, subjects.notesAll, subjects.readsAll],
  ]) {
    const told = await new Promise((resolve) => {
      nc.subscribe(subject, { callback: (error) => resolve(error?.code ?? 'heard something') })
      const answered = nc.flush().then(() => nc.flush())
      void answered.then(() => resolve('listens'))
    })
    t.equal(told, denied, subject)
  }
  t.equal((await service.rest('GET', `/v1/sessions/${id}`)).body.data.status, 'running')
})

t.test('they answer requests of actors', async (t) => {
  const subject = subjects.viewers('one.gateway.mine' as Incarnation)
  const serving = nc.subscribe(subject, { callback: (_, message) => void message.respond(bytes) })
  await nc.flush()
  t.match(await asked(subject, bytes), /^answered/, 'those of gateways are answered')
  const reply = `_INBOX.one.actors.${'x'.repeat(22)}`
  const refused = new Promise((resolve) => {
    void (async () => {
      for await (const { type, data } of nc.status()) if (type === 'error') resolve(data)
    })()
  })
  const actor = await connect({ servers: `127.0.0.1:${port}`, user: 'troupe', pass: password })
  t.teardown(() => actor.close())
  actor.publish(subject, bytes, { reply })
  t.equal(await refused, denied)
  serving.unsubscribe()
})
