/**
 * Goal: with the contract's official SDK, repeating `POST /v1/sessions` with its Idempotency-Key
 * returns the same one session; and a file that is sent again is stored once.
 */
import Anchorbrowser from 'anchorbrowser'
import t from 'tap'
import { startService, type Service } from '../../helpers/service/service.ts'

let service: Service
let client: Anchorbrowser

t.before(async () => {
  service = await startService()
  client = new Anchorbrowser({ apiKey: service.key, baseURL: service.baseUrl })
})
t.teardown(() => service.stop())

t.test('the same key gives one session, another key another session', async (t) => {
  const body = { browser: { headless: { active: true } } }
  const create = async (key: string) => {
    const { data } = await client.sessions.create(body, { headers: { 'Idempotency-Key': key } })
    return data!
  }
  const count = async () => (await client.sessions.all.status()).data!.count
  const first = await create('order-1')
  t.same(await create('order-1'), first)
  t.equal(await count(), 1)
  t.not((await create('order-2')).id, first.id)
  t.equal(await count(), 2)
  const reused = await client.sessions
    .create(null, { headers: { 'Idempotency-Key': 'order-1' } })
    .catch((error: unknown) => error)
  t.match(reused, { status: 422, error: { error: { type: 'idempotency_key_reused' } } })

  const both = await Promise.allSettled([create('order-3'), create('order-3')])
  const made = both.filter((each) => each.status === 'fulfilled').map(({ value }) => value.id)
  for (const id of made) t.equal(id, (await create('order-3')).id)
  t.ok(made.length > 0)
  t.equal(await count(), 3)
})

t.test('a file that is sent again is stored once', async (t) => {
  const { data } = await client.sessions.create({ browser: { headless: { active: true } } })
  const base = `${service.baseUrl}/v1/sessions/${data!.id}`
  const send = async (path: string, content: string) => {
    const form = new FormData()
    form.set('file', new File([content], 'a.txt'))
    const headers = { 'service-api-key': service.key, 'idempotency-key': 'file-1' }
    const answer = await fetch(base + path, { method: 'POST', body: form, headers })
    return { status: answer.status, text: await answer.text() }
  }
  for (const path of ['/uploads', '/agent/files']) {
    const first = await send(path, 'hello')
    t.equal(first.status, 200)
    t.same(await send(path, 'hello'), first)
    t.equal((await send(path, 'another length')).status, 422)
  }
  const uploads = await service.rest<{ data: { count: number } }>(
    'GET',
    `/v1/sessions/${data!.id}/uploads`,
  )
  t.equal(uploads.body.data.count, 1)
})
