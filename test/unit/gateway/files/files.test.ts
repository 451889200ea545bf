/**
 * Goal: a gateway reaches a session's files and reports failures truthfully, and neither side of a
 * download outlives the other. Method: a real gateway; the agent's data port is played.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { ServiceError } from '../../../../proto/errors.ts'
import { verifyTicket } from '../../../../proto/browser-host/ticket.ts'
import { playService, type PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { form } from '../../../helpers/service/files.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'
import { until } from '../../../helpers/lib/until.ts'

const MiB = 2 ** 20
const id = 'fil_00000000000000000000000000'

async function setUp(t: Test, agent: RequestListener, answer?: PlayedOptions['answer']) {
  /** The epoch of each received ticket. */
  const epochs: (number | undefined)[] = []
  const server = createServer((request, response) => {
    const ticket = new URL(request.url!, 'http://agent').searchParams.get('ticket')!
    epochs.push(verifyTicket(ticket, 'ticket secret', Date.now())?.epoch)
    agent(request, response)
  })
  const port = await listenOnLoopback(server)
  const service = await playService({ port, ...(answer && { answer }) })
  t.teardown(async () => {
    await closeServer(server)
    await service.close()
  })
  const base = `${service.gateway.url}/v1/sessions/${service.sessionId}`
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(base + path, { ...init, headers: { 'service-api-key': 'dev-local-key' } })
  return { ...service, server, epochs, ask }
}

const error = async (response: Response) =>
  ((await response.json()) as { error: Record<string, unknown> }).error

const refuseTicket: RequestListener = (_request, response) => {
  response.writeHead(401).end('{"error":{"type":"unauthorized","message":"Not valid."}}')
}

t.test('after a refused ticket a new one is made with the actor’s current answer', async (t) => {
  let epoch = 0
  const claimed: { claim?: object } = {}
  const service = await setUp(
    t,
    (request, response) => {
      if (service.epochs.at(-1) === 2) response.end('[]')
      else refuseTicket(request, response as never)
    },
    (sessionId, { type }) =>
      type === 'attach' ? { ...claimed, epoch: ++epoch, view: service.views.get(sessionId) } : {},
  )
  const { port } = service.server.address() as AddressInfo
  claimed.claim = { dataUrl: `http://127.0.0.1:${port}`, ticketSecret: 'ticket secret' }
  const response = await service.ask('/uploads')
  t.same(await response.json(), { data: { count: 0, items: [] } })
  t.same(service.epochs, [1, 2])
})

t.test('an agent that keeps refusing, or does not exist, is unavailable', async (t) => {
  const service = await setUp(t, refuseTicket)
  const refused = await service.ask('/downloads')
  t.match({ status: refused.status, error: await error(refused) }, { status: 503 })
  t.equal(service.epochs.length, 2)
  const body = form(['file', new Blob(['x']), 'f'])
  t.equal((await service.ask('/uploads', { method: 'POST', body })).status, 503)
  await closeServer(service.server)
  t.equal((await service.ask('/downloads')).status, 503)
})

t.test('a session that has ended meanwhile is reported as ended', async (t) => {
  let asked = 0
  const service = await setUp(t, refuseTicket, (_id, { type }) => {
    if (type === 'attach' && ++asked > 1) throw new ServiceError('session_ended', 'It has ended.')
    return undefined
  })
  t.equal((await service.ask('/uploads')).status, 410)
})

t.test('an agent’s refusal is passed on unchanged', async (t) => {
  const full = { type: 'too_large', message: 'Full.', limit: 7, code: 413, request_id: 'r' }
  const { ask } = await setUp(t, (_request, response) => {
    response.writeHead(413).end(JSON.stringify({ error: full }))
  })
  const answer = await ask(`/uploads/${id}`, { method: 'DELETE' })
  t.match(await error(answer), { code: 413, type: 'too_large', message: 'Full.', limit: 7 })
})

const sendHalf: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': 64 * MiB, 'x-file-name': '%22%C3%A9%22.bin' })
  response.write(Buffer.alloc(32 * MiB))
}

t.test('a download that breaks off is never taken for a complete one', async (t) => {
  const { ask, server, told } = await setUp(t, sendHalf)
  const response = await ask(`/downloads/${id}`)
  t.equal(
    response.headers.get('content-disposition'),
    `attachment; filename="___.bin"; filename*=UTF-8''%22%C3%A9%22.bin`,
  )
  const reading = response.arrayBuffer()
  server.closeAllConnections()
  await t.rejects(reading)
  await until('the session is left', () =>
    told.some(({ command }) => command.type === 'disconnected'),
  )
})

t.test('a client that leaves ends the reading, one that stalls pauses it', async (t) => {
  let written = 0
  let closed = false
  const { ask, told } = await setUp(t, (_request, response) => {
    const chunk = Buffer.alloc(MiB)
    response.writeHead(200, { 'content-length': 512 * MiB, 'x-file-name': 'big' })
    response.once('close', () => (closed = true))
    const next = () => {
      if (written < 512 && !closed) response.write(chunk, () => (written++, next()))
    }
    next()
  })
  const leave = new AbortController()
  const response = await ask(`/downloads/${id}`, { signal: leave.signal })
  let seen = -1
  await until('it is held up', () => {
    const still = seen === written && written > 0
    seen = written
    return still
  })
  t.ok(written < 128, `${written} MiB were read before the client took any`)
  t.equal(told.filter(({ command }) => command.type === 'disconnected').length, 0)
  leave.abort()
  await t.rejects(response.arrayBuffer())
  await until('the agent is left alone', () => closed)
  await until('the session is left', () =>
    told.some(({ command }) => command.type === 'disconnected'),
  )
})
