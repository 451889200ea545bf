/**
 * Webhook endpoints of clients, for the holders of their grants: create, verify, show and remove.
 */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import { isAccessId } from '../../../../proto/access/ids.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { UsageError, type CliCommand, type CliInput } from '../../command.ts'
import { alignColumns } from '../../help.ts'
import { baseVariable } from '../../service-base.ts'
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
} from '../../webhooks/webhook-texts.ts'
import { itemsOf, type ListPath } from './lists.ts'
import { dataOf, noContent } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'
import { minuteText } from '../service/texts.ts'

const path = '/v1/webhook-endpoints'
const deliveriesAt: ListPath = { path: '/v1/webhook-deliveries' }

const endpointAnswer = webhookAnswer.loose().extend({
  client_id: z.string().optional(),
  grant_id: z.string().optional(),
  version: z.number(),
  description: z.string(),
  payload: z.string(),
  rate_per_second: z.number(),
  reason: z.string().optional(),
  verified_at: z.string().optional(),
  last_success_at: z.string().optional(),
  failing_since: z.string().optional(),
  secrets: z.array(
    z.looseObject({ signature: z.string(), hint: z.string(), expires_at: z.string().optional() }),
  ),
})

type Run = (service: ServiceSession, input: CliInput) => Promise<string>
const verbs: Readonly<Record<string, Run>> = {
  ...{ list, add, verify, show, deliveries, replay, rotate, remove },
}

export const accessWebhooksCommand: CliCommand = {
  usage: `access webhooks [${Object.keys(verbs).join('|')}] [URL|ID]`,
  about: 'Webhooks of a client: create, verify, and show deliveries.',
  more:
    'add takes a URL, --grant (for the path webhooks) and --events; the secret for its signatures ' +
    'is shown once, on stdout. verify sends a signed ping: any 2xx makes it active. deliveries ' +
    'takes an endpoint and --status; replay takes a delivery and sends its event again, under the ' +
    'same webhook-id. rotate creates a new secret; the old one also signs for --grace.',
  arguments: [0, 2],
  options: {
    client: { value: 'ID', help: 'Only of this client.' },
    grant: { value: 'ID', help: 'For add: the grant that it depends on, gr_….' },
    events: { value: 'LIST', help: "For add: contact.created,task.overdue; 'contact.*' for all." },
    payload: { value: 'P', help: 'For add: thin or full. (default: thin)' },
    ...addOptions,
    ...statusOptions,
    ...graceOptions,
    json: { help: 'For list, show and deliveries: print the service’s answer as JSON.' },
  },
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: [
    "troupe access webhooks add https://hooks.example.com/in --grant gr_… --events 'contact.*'",
    'troupe access webhooks verify whe_…',
    'troupe access webhooks deliveries whe_… --status exhausted',
  ],
  async run(input) {
    const [word = 'list'] = input.args
    const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
    if (!verb) throw new UsageError(`"${word}" is not one of ${Object.keys(verbs).join(', ')}`)
    console.log(await verb(ServiceSession.open(), input))
    return 0
  },
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

function idIn({ args: [word, id = ''] }: CliInput, kind: 'endpoint' | 'delivery' = 'endpoint') {
  if (isAccessId(kind, id)) return id
  const form = kind === 'endpoint' ? 'a webhook: whe_…' : 'a delivery: dlv_…'
  throw new UsageError(`${word} takes ${form}`)
}

async function list(service: ServiceSession, { values, switches }: CliInput): Promise<string> {
  const { client, status } = values
  const { items, hasMore } = await itemsOf(
    service,
    { path },
    {
      ...defined({ client_id: client, status }),
    },
  )
  if (hasMore) console.error('there are more; narrow the list')
  return switches.has('json') ? json(items) : webhooksTable(z.array(webhookAnswer).parse(items))
}

async function add(service: ServiceSession, { args, values }: CliInput): Promise<string> {
  const [, url] = args
  const { grant, events, payload, signature, description } = values
  if (url === undefined || !grant || !events) {
    throw new UsageError('add takes a URL, --grant ID and --events LIST')
  }
  const body = {
    ...{ grant_id: grant, ...webhookBodyOf(url, { events, signature, description }) },
    ...defined({ payload }),
  }
  const answer = dataOf(madeAnswer)
  const made = await service.call({ method: 'POST', path, body, answer })
  const { id } = made
  console.error(
    `${id} was created. When your receiver has what follows: npm run troupe -- access webhooks verify ${id}`,
  )
  return verifierOf(made)
}

async function verify(service: ServiceSession, input: CliInput): Promise<string> {
  const id = idIn(input)
  const order = {
    method: 'POST',
    path: `${path}/${id}/verify`,
    answer: dataOf(sentAnswer),
  } as const
  const { delivery_id } = await service.call(order)
  return `${delivery_id} is on its way; npm run troupe -- access webhooks deliveries ${id} shows its outcome`
}

const read = (service: ServiceSession, id: string) =>
  service.call({ method: 'GET', path: `${path}/${id}`, answer: dataOf(endpointAnswer) })

async function show(service: ServiceSession, input: CliInput): Promise<string> {
  const one = await read(service, idIn(input))
  if (input.switches.has('json')) return json(one)
  const at = (time: string | undefined) => (time === undefined ? undefined : minuteText(time))
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['URL', one.url],
    ['Status', one.status_reason ? `${one.status} (${one.status_reason})` : one.status],
    ['Reason', one.reason],
    ['For', one.description || undefined],
    ['Client', one.client_id],
    ['Grant', one.grant_id],
    ['Events', one.events.join(', ')],
    ['Payload', `${one.payload}, at most ${one.rate_per_second} a second`],
    ['Verified', at(one.verified_at)],
    ['Last success', at(one.last_success_at)],
    ['Failing since', at(one.failing_since)],
    ...one.secrets.map(({ signature, hint, expires_at: until }): readonly [string, string] => [
      'Secret',
      `${signature} ${hint}${until === undefined ? '' : `, until ${minuteText(until)}`}`,
    ]),
  ]
  const rows = facts.flatMap(([name, is]) => (is === undefined ? [] : [[name, cleanText(is)]]))
  return [`Webhook ${one.id}`, alignColumns(rows)].join('\n')
}

async function deliveries(service: ServiceSession, input: CliInput): Promise<string> {
  const { status } = input.values
  const { items, hasMore } = await itemsOf(service, deliveriesAt, {
    endpoint_id: idIn(input),
    ...defined({ status }),
  })
  if (hasMore) console.error('there are more; narrow the list')
  if (input.switches.has('json')) return json(items)
  return deliveriesTable(z.array(deliveryAnswer).parse(items))
}

async function replay(service: ServiceSession, input: CliInput): Promise<string> {
  const at = `${deliveriesAt.path}/${idIn(input, 'delivery')}/replay`
  const order = { method: 'POST', path: at, answer: dataOf(sentAnswer) } as const
  return `${(await service.call(order)).delivery_id} is on its way`
}

async function rotate(service: ServiceSession, input: CliInput): Promise<string> {
  const at = `${path}/${idIn(input)}/secret/rotate`
  const order = { method: 'POST', path: at, body: graceOf(input.values['grace']) } as const
  return verifierOf(await service.call({ ...order, answer: dataOf(madeAnswer) }))
}

/**
 * Uses the current version: the endpoint is removed even if its settings have changed meanwhile.
 */
async function remove(service: ServiceSession, input: CliInput): Promise<string> {
  const id = idIn(input)
  const { version } = await read(service, id)
  await service.call({ method: 'DELETE', path: `${path}/${id}`, version, answer: noContent })
  return `${id} is removed`
}
