/** The entities of Surface A for the command line: their routes, list columns and texts. */
import { z } from 'zod'
import { isId } from '../../../../proto/ids.ts'
import { accessPrefixes } from '../../../../proto/access/ids.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { UsageError } from '../../command.ts'
import {
  clientAnswer,
  grantAnswer,
  needAnswer,
  personAnswer,
  requestAnswer,
  scopeAnswer,
  tokenAnswer,
} from './answers.ts'
import { changeAnswer, changeAsText } from './change-text.ts'
import { dataOf, RequestRefused } from './service.ts'
import type { ServiceSession } from '../people/service-session.ts'
import {
  clientText,
  grantText,
  needText,
  permissionsText,
  personText,
  requestText,
  scopeText,
  subjectText,
  minuteText,
} from './texts.ts'

/** A list shown as a table; `row` throws if an answer has the wrong form. */
export interface EntityListing {
  readonly path: string
  readonly heads: readonly string[]
  readonly row: (item: unknown) => readonly string[]
}

function listing<T>(
  path: string,
  heads: readonly string[],
  schema: z.ZodType<T>,
  cells: (item: T) => readonly string[],
): EntityListing {
  return { path, heads, row: (item) => cells(schema.parse(item)).map(cleanText) }
}

const heads = ['ID', 'STATUS'] as const
const people = (path: string) =>
  listing(path, [...heads, 'E-MAIL', 'ROLES', 'CLIENT'], personAnswer, (person) => [
    person.id,
    person.status,
    person.email,
    person.roles.join(','),
    person.client_id ?? '',
  ])

export const entityListings = {
  clients: listing('/v1/clients', [...heads, 'SLUG', 'NAME'], clientAnswer, (client) => [
    client.id,
    client.status,
    client.slug,
    client.name,
  ]),
  scopes: listing(
    '/v1/service-scopes',
    [...heads, 'UNTIL', 'CLIENT', 'NAME'],
    scopeAnswer,
    ({ id, status, current, proposal, client_id: client = '' }) => {
      const terms = current ?? proposal
      return [id, status, minuteText(terms?.effective_to ?? ''), client, terms?.name ?? '']
    },
  ),
  needs: listing('/v1/needs', [...heads, 'UNTIL', 'CLIENT', 'TITLE'], needAnswer, (need) => [
    need.id,
    need.status,
    minuteText(need.expected_end_at),
    need.client_id ?? '',
    need.title,
  ]),
  requests: listing(
    '/v1/access-requests',
    [...heads, 'UNTIL', 'FOR', 'ACCESS'],
    requestAnswer,
    (request) => [
      request.id,
      request.status,
      minuteText(request.ends_at),
      subjectText(request.subject),
      permissionsText(request.permissions),
    ],
  ),
  grants: listing('/v1/grants', [...heads, 'UNTIL', 'FOR', 'ACCESS'], grantAnswer, (grant) => [
    grant.id,
    grant.status,
    minuteText(grant.ends_at),
    subjectText(grant.subject),
    permissionsText(grant.permissions),
  ]),
  changes: listing(
    '/v1/changes',
    [...heads, 'TYPE', 'RISK', 'CLIENT', 'TITLE'],
    changeAnswer,
    (change) => [
      change.id,
      change.status,
      change.type,
      change.risk,
      change.client_id ?? '',
      change.title,
    ],
  ),
  members: people('/v1/members'),
  staff: people('/v1/staff'),
} as const satisfies Readonly<Record<string, EntityListing>>

export type ListName = keyof typeof entityListings

const kinds = ['client', 'scope', 'need', 'request', 'grant', 'person', 'change'] as const
type Kind = (typeof kinds)[number]

/** The kind of object that an id belongs to, by its prefix. */
export function entityKindOf(id: string): Kind | 'token' {
  const kind = [...kinds, 'token' as const].find((one) => isId(accessPrefixes[one], id))
  if (kind) return kind
  const known = [...kinds, 'token' as const].map((one) => `${accessPrefixes[one]}_… (${one})`)
  throw new UsageError(`"${id}" is not an id; ids are ${known.join(', ')}`)
}

const get = <T>(service: ServiceSession, path: string, answer: z.ZodType<T>) =>
  service.call({ method: 'GET', path, answer: dataOf(answer) })

export const getRequest = (service: ServiceSession, id: string) =>
  get(service, `/v1/access-requests/${id}`, requestAnswer)
const getGrant = (service: ServiceSession, id: string) =>
  get(service, `/v1/grants/${id}`, grantAnswer)
export const getChange = (service: ServiceSession, id: string) =>
  get(service, `/v1/changes/${id}`, changeAnswer)
export const getNeed = (service: ServiceSession, id: string) =>
  get(service, `/v1/needs/${id}`, needAnswer)

const readers: Readonly<Record<Kind, (service: ServiceSession, id: string) => Promise<string>>> = {
  client: async (service, id) => clientText(await get(service, `/v1/clients/${id}`, clientAnswer)),
  scope: async (service, id) =>
    scopeText(await get(service, `/v1/service-scopes/${id}`, scopeAnswer)),
  need: async (service, id) => needText(await getNeed(service, id)),
  request: async (service, id) => requestText(await getRequest(service, id)),
  grant: async (service, id) => {
    const grant = await getGrant(service, id)
    return grantText(grant, await get(service, `/v1/grants/${id}/tokens`, z.array(tokenAnswer)))
  },
  change: async (service, id) => changeAsText(await getChange(service, id)),
  person: async (service, id) => personText(await getPerson(service, id)),
}

/** Returns the function that reads and formats the object with this id. */
export function readerOf(id: string): (service: ServiceSession) => Promise<string> {
  const kind = entityKindOf(id)
  if (kind !== 'token') return (service) => readers[kind](service, id)
  throw new UsageError('a token is shown with its grant: npm run troupe -- access show gr_…')
}

/** Reads a person who is a member or staff, because the id does not show which. */
export async function getPerson(service: ServiceSession, id: string) {
  try {
    return await get(service, `/v1/members/${id}`, personAnswer)
  } catch (error) {
    if (!(error instanceof RequestRefused) || error.status !== 404) throw error
    return get(service, `/v1/staff/${id}`, personAnswer)
  }
}
