/**
 * Goal: two gateways, two actor hosts and two node agents on one NATS are one service, set up by
 * `troupe cluster init`: each has the rights of its role, over TLS. One of the agents is on another
 * host (a network namespace), so its bytes use its data port. There is no supervisor here: deaths
 * are detected by lease.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { BrowserLoad, HostRecord } from '../../../../proto/host.ts'
import { buckets, ownerKey } from '../../../../proto/subjects.ts'
import { decode } from '../../../../proto/codec.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { readLastEntry } from '../../../../runtime/actor/log.ts'
import type { OwnerRecord } from '../../../../runtime/actor/ownership/ownership.ts'
import { connectPlaywright, connectRaw } from '../../../helpers/browser/browsers.ts'
import { makeFarHost } from '../../../helpers/service/far-host.ts'
import { form, type UploadAnswer } from '../../../helpers/service/files.ts'
import { startMember } from '../../../helpers/service/member.ts'
import { makeTestCluster } from '../../../helpers/nats/made-cluster.ts'
import { createSession, nothingLeft, restClient } from '../../../helpers/service/service.ts'
import { until } from '../../../helpers/lib/until.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import type { SessionContext } from '../../../../actors/session/context.ts'

const far = makeFarHost()
if (!far) t.comment('no network namespaces here: both agents share our loopback')
else t.teardown(() => far.remove())

const here = far?.ourAddress ?? '127.0.0.1'
const made = await makeTestCluster(t, here, far ? `near,far=${far.address}` : 'near,far')
/** Two hosts of one role share one set of files. */
const core = (role: 'actors' | 'gateway') => {
  const env = { ...made.env('core', role), HOST_GRACE_SECONDS: '3' }
  return Promise.all(['a', 'b'].map((id) => startMember(t, role, { env: { ...env, NODE_ID: id } })))
}
const dataDir = mkdtempSync(join(tmpdir(), 'troupe-browsers-'))
t.teardown(async () => {
  await nothingLeft(dataDir)
  rmSync(dataDir, { recursive: true, force: true })
})
const agent = (id: string, prefix: readonly string[] = []) =>
  startMember(t, 'node-agent', {
    env: { ...made.env(`browsers-${id}`, 'node-agent'), HOST_GRACE_SECONDS: '3' },
    dataDir: join(dataDir, id),
    prefix,
  })

const actors = await core('actors')
const gateways = await core('gateway')
const agents = { near: await agent('near'), far: await agent('far', far?.prefix) }
const store = await made.store()
const urls = gateways.map(({ info }) => String(info['url']))
const [first, second] = urls.map((url) => restClient(url, devKey))

/** The last report of each browser host. */
async function loads(): Promise<BrowserLoad[]> {
  const records = await entriesOf(store.bucket(buckets.hosts))
  return records.flatMap(({ value }) => decode<HostRecord>(value).browsers ?? [])
}
const bothReady = async () => (await loads()).filter(({ warm }) => warm > 0).length === 2
const oneHasClaimed = async () => (await loads()).some(({ claimed }) => claimed > 0)

await until('both agents have a warm browser', bothReady)

const sessions = [await createSession(first!)]
// Placement uses the hosts' last reports, which are a moment old.
await until('its host says that it has one browser less', oneHasClaimed)
sessions.push(await createSession(first!))

async function nodeOf(id: string): Promise<string> {
  const last = await readLastEntry(store.log, 'session', id)
  const { context } = last!.entry.snapshot as { context: SessionContext }
  return context.claim!.nodeId
}

const through = (gatewayUrl: string, cdpUrl: string) => {
  const url = new URL(cdpUrl)
  url.host = new URL(gatewayUrl).host
  return url.href
}

const read = async (id: string) => (await second!('GET', `/v1/sessions/${id}`)).body.data

const nodes = await Promise.all(sessions.map(({ id }) => nodeOf(id)))
const near = sessions[nodes.indexOf('near')]!
const distant = sessions[nodes.indexOf('far')]!

await t.test('each agent has one of two sessions', async (t) => {
  t.same([...nodes].sort(), ['far', 'near'])
})

await t.test('a session made through one gateway is attached through the other', async (t) => {
  for (const session of [near, distant]) {
    const browser = await connectPlaywright(through(urls[1]!, session.cdp_url))
    const page = browser.contexts()[0]!.pages()[0]!
    t.equal(await page.evaluate('6 * 7'), 42)
    await browser.close()
  }
})

// Without a namespace both agents share our loopback, and nothing would cross.
const crossing = { skip: far ? false : 'no network namespaces here' }
await t.test('a big message crosses to the other host and back', crossing, async (t) => {
  const browser = await connectPlaywright(distant.cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  const text = 'x'.repeat(8 * 1024 * 1024)
  t.equal(await page.evaluate((sent: string) => sent.length, text), text.length)
  t.equal(
    (await page.evaluate((length: number) => 'y'.repeat(length), text.length)).length,
    text.length,
  )
  await browser.close()
})

await t.test('files cross to the other host too', crossing, async (t) => {
  const headers = { 'service-api-key': devKey }
  const content = 'z'.repeat(8 * 1024 * 1024)
  const uploads = `${urls[1]}/v1/sessions/${distant.id}/uploads`
  const sent = form(['file', new Blob([content]), 'big.txt'])
  const answer = await fetch(uploads, { method: 'POST', headers, body: sent })
  const { data } = (await answer.json()) as UploadAnswer
  t.match(data, { name: 'big.txt', size: content.length })
  const read = await fetch(`${uploads}/${data.id}`, { headers })
  t.ok((await read.text()) === content)
})

await t.test(
  'a session of a killed actor host goes on at another, and its connection is unaffected',
  async (t) => {
    const browser = await connectPlaywright(through(urls[0]!, near.cdp_url))
    const entry = await store.bucket(buckets.owners).get(ownerKey('session', near.id))
    const { incarnation } = decode<OwnerRecord>(entry!.value)
    const owner = actors.find((host) => host.incarnation === incarnation)!
    await owner.kill()
    t.equal(await browser.contexts()[0]!.pages()[0]!.evaluate('1 + 1'), 2)
    const session = await until('another host answers for it', async () => {
      const { status, body } = await second!('GET', `/v1/sessions/${near.id}`)
      return status === 200 && body.data
    })
    t.equal(session.status, 'running')
    const after = await store.bucket(buckets.owners).get(ownerKey('session', near.id))
    t.not(decode<OwnerRecord>(after!.value).incarnation, incarnation)
    await browser.close()
  },
)

await t.test(
  'a killed agent that starts again: its session goes on, clients connect again',
  async (t) => {
    const address = through(urls[0]!, distant.cdp_url)
    const client = await connectRaw(address)
    await client.send('Browser.getVersion')
    const run = (command: string) =>
      second!('POST', `/v1/sessions/${distant.id}/commands/${command}`, {})
    t.equal((await run('tab_list')).status, 200)
    await agents.far.kill()
    agents.far = await agent('far', far?.prefix)
    t.not((await client.closed).code, 4011)
    const again = await connectRaw(address)
    t.ok(await again.send('Browser.getVersion'))
    again.close()
    t.equal((await run('tab_list')).status, 200)
    t.equal((await read(distant.id)).status, 'running')
  },
)

await t.test('a killed agent’s session ends with node_lost, the other lives on', async (t) => {
  const client = await connectRaw(through(urls[0]!, distant.cdp_url))
  await client.send('Browser.getVersion')
  await agents.far.kill()
  const { code, reason } = await client.closed
  // Lost, or unreachable until it is lost.
  t.ok(code === 4011 || code === 4014, reason)
  const lost = await until('the session is lost', async () => {
    const session = await read(distant.id)
    return session.status === 'lost' && session
  })
  t.equal(lost.reason, 'node_lost')
  t.equal((await read(near.id)).status, 'running')
  t.equal((await first!('DELETE', `/v1/sessions/${near.id}`)).status, 200)
})
