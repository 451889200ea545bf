/** Webhooks of a tenant of Surface B, over REST. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { limits } from '../../../proto/limits.ts'
import { CommandFailed, type CliCommand, type CliCommandGroup } from '../command.ts'
import { baseVariable, unreachableService, serviceBase, serviceKey } from '../service-base.ts'
import {
  addOptions,
  deliveriesTable,
  deliveryAnswer,
  graceOf,
  graceOptions,
  webhookAnswer,
  webhookBodyOf,
  webhooksTable,
  madeAnswer,
  sentAnswer,
  statusOptions,
  verifierOf,
} from './webhook-texts.ts'

const variables = {
  ...baseVariable,
  SVC_API_KEY: 'The key to use. (default: the development key)',
}

const path = '/v1/webhooks'
const one = (id: string) => `${path}/${encodeURIComponent(id)}`

interface Order<T> {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly answer: z.ZodType<T>
}

async function call<T>({ method, path: at, body, answer }: Order<T>): Promise<T> {
  const base = serviceBase()
  let response: Response
  try {
    response = await fetch(base + at, {
      method,
      headers: {
        'service-api-key': serviceKey(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(limits.requestHeldMs),
    })
  } catch (error) {
    throw unreachableService(base, error)
  }
  const found: unknown = response.status === 204 ? {} : await response.json().catch(() => ({}))
  const answered = z
    .object({ data: z.unknown(), error: z.object({ message: z.string() }) })
    .partial()
    .catch({})
    .parse(found)
  if (response.ok) return answer.parse(answered.data)
  throw new CommandFailed(
    `${base} answered ${response.status}: ${answered.error?.message ?? 'no message'}`,
  )
}

const list: CliCommand = {
  usage: 'webhooks list',
  about: 'List your webhooks.',
  variables,
  async run() {
    console.log(webhooksTable(await call({ method: 'GET', path, answer: z.array(webhookAnswer) })))
    return 0
  },
}

const add: CliCommand = {
  usage: 'webhooks add URL --events LIST [--signature KIND] [--description TEXT]',
  about: 'Create a webhook; the secret for its signatures is shown once, on stdout.',
  arguments: [1, 1],
  options: {
    events: {
      ...{ value: 'LIST', required: true },
      help: 'session.created,session.unreachable,session.reachable,session.ended,task.completed,task.failed,task.cancelled,task.needs_input; session.* for all events of sessions.',
    },
    ...addOptions,
  },
  variables,
  examples: [
    "troupe webhooks add https://hooks.example.com/troupe --events 'session.*,task.completed'",
    'troupe webhooks verify whe_…',
  ],
  async run({ args: [url = ''], values: { events = '', signature, description } }) {
    const body = webhookBodyOf(url, { events, signature, description })
    const made = await call({ method: 'POST', path, body, answer: madeAnswer })
    const { id } = made
    console.error(
      `${id} was created. When your receiver has what follows: npm run troupe -- webhooks verify ${id}`,
    )
    console.log(verifierOf(made))
    return 0
  },
}

/** The outcome is shown in the list of deliveries. */
const sending = (verb: 'verify' | 'test', about: string): CliCommand => ({
  usage: `webhooks ${verb} ID`,
  about,
  arguments: [1, 1],
  variables,
  async run({ args: [id = ''] }) {
    const at = `${one(id)}/${verb}`
    const order = { method: 'POST', path: at, answer: sentAnswer } as const
    const { delivery_id } = await call(verb === 'test' ? { ...order, body: {} } : order)
    console.log(
      `${delivery_id} is on its way; npm run troupe -- webhooks deliveries ${id} shows its outcome`,
    )
    return 0
  },
})

const rotate: CliCommand = {
  usage: 'webhooks rotate ID [--grace SECONDS]',
  about: 'Create a new secret and show it once; the old one also signs for a while.',
  arguments: [1, 1],
  options: graceOptions,
  variables,
  async run({ args: [id = ''], values: { grace } }) {
    const at = `${one(id)}/secret/rotate`
    const made = await call({ method: 'POST', path: at, body: graceOf(grace), answer: madeAnswer })
    console.log(verifierOf(made))
    return 0
  },
}

const enable: CliCommand = {
  usage: 'webhooks enable ID',
  about: 'Enable a webhook again; then verify it.',
  arguments: [1, 1],
  variables,
  async run({ args: [id = ''] }) {
    const { status } = await call({
      method: 'POST',
      path: `${one(id)}/enable`,
      answer: webhookAnswer,
    })
    console.log(`${id} is ${status}`)
    return 0
  },
}

const disable: CliCommand = {
  usage: 'webhooks disable ID --reason TEXT',
  about: 'Disable a webhook: its waiting deliveries are cancelled.',
  arguments: [1, 1],
  options: { reason: { value: 'TEXT', required: true, help: 'Why it is disabled.' } },
  variables,
  async run({ args: [id = ''], values: { reason } }) {
    const order = { method: 'POST', path: `${one(id)}/disable`, body: { reason } } as const
    console.log(`${id} is ${(await call({ ...order, answer: webhookAnswer })).status}`)
    return 0
  },
}

const remove: CliCommand = {
  usage: 'webhooks remove ID',
  about: 'Remove a webhook and its secrets.',
  arguments: [1, 1],
  variables,
  async run({ args: [id = ''] }) {
    await call({ method: 'DELETE', path: one(id), answer: z.unknown() })
    console.log(`${id} is removed`)
    return 0
  },
}

const deliveries: CliCommand = {
  usage: 'webhooks deliveries ID [--status S]',
  about: 'List the deliveries of a webhook, the newest first.',
  arguments: [1, 1],
  options: statusOptions,
  variables,
  async run({ args: [id = ''], values: { status } }) {
    const query = new URLSearchParams({ limit: '100', ...defined({ status }) })
    const at = `${one(id)}/deliveries?${query}`
    const order = { method: 'GET', path: at, answer: z.array(deliveryAnswer) } as const
    console.log(deliveriesTable(await call(order)))
    return 0
  },
}

const replay: CliCommand = {
  usage: 'webhooks replay ID DELIVERY',
  about: 'Send the event of a delivery again, under the same webhook-id.',
  arguments: [2, 2],
  variables,
  async run({ args: [id = '', which = ''] }) {
    const at = `${one(id)}/deliveries/${encodeURIComponent(which)}/replay`
    const { delivery_id } = await call({ method: 'POST', path: at, answer: sentAnswer })
    console.log(`${delivery_id} is on its way`)
    return 0
  },
}

export const webhooksCommandGroup: CliCommandGroup = {
  about: 'Webhooks: get events of sessions and web tasks at your URL.',
  commands: {
    list,
    add,
    verify: sending('verify', 'Send a signed ping: any 2xx makes the webhook active.'),
    test: sending('test', 'Send one message, once.'),
    rotate,
    enable,
    disable,
    remove,
    deliveries,
    replay,
  },
}
