/** A gateway with a played task actor behind it, and requests of a client that orders tasks. */
import type { Test } from 'tap'
import { newKey, type KeyRecord } from '../../../proto/accounts/key.ts'
import { playService, type PlayedOptions } from '../gateway/gateway.ts'
import { TaskActor } from './played-task.ts'

export const all = '/v1/tools/perform-web-task'

interface Answer {
  readonly status: number
  readonly body: {
    readonly data: Record<string, unknown>
    readonly error: Record<string, unknown>
  }
}

export async function playTasks(t: Test, options: PlayedOptions = {}) {
  const task = new TaskActor()
  // An explicit environment brings its own accounts.
  const providers = options.env ? {} : { providers: ['openai', 'groq'] }
  const service = await playService({ task, ...providers, ...options })
  t.teardown(() => service.close())
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    { key = 'dev-local-key', signal }: { key?: string; signal?: AbortSignal } = {},
  ): Promise<Answer> => {
    const response = await fetch(service.gateway.url + path, {
      method,
      headers: { 'service-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  const order = (body: object, query = '') =>
    ask('POST', `${all}${query}`, { prompt: 'Find it', ...body })
  const begin = async (body: object = {}, query = '') => {
    const { body: answer } = await order({ async: true, ...body }, query)
    return String(answer.data['id'])
  }
  return { ...service, task, ask, order, begin }
}

export function keyOf(tenant: string, more: Partial<KeyRecord> = {}) {
  const { id, text, secretHash } = newKey()
  const record = { id, name: tenant, tenant, secretHash, createdAtMs: 0, limits: {}, ...more }
  return { text, record }
}
