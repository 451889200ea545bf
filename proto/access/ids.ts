/**
 * Ids of Surface A. Besides the id pattern of `proto/ids.ts`: a client's id is also the tenant of
 * everything that belongs to the client, so a tenant field must hold a well-formed client id.
 */
import { z } from 'zod'
import { isId, newId, type Id } from '../ids.ts'

export const accessPrefixes = {
  client: 'cli',
  scope: 'scp',
  need: 'nd',
  request: 'acr',
  grant: 'gr',
  change: 'chg',
  custom: 'cus',
  person: 'usr',
  token: 'tok',
  review: 'rv',
  session: 'pss',
  passkey: 'psk',
  /** A list that a person has saved. */
  savedView: 'svw',
  /** Also the id of the record of area `reports` that the report's actor writes. */
  report: 'rpt',
  endpoint: 'whe',
  delivery: 'dlv',
} as const
export type AccessObject = keyof typeof accessPrefixes
export type AccessId<K extends AccessObject> = Id<(typeof accessPrefixes)[K]>

export type ClientId = AccessId<'client'>
export type ScopeId = AccessId<'scope'>
export type NeedId = AccessId<'need'>
/** Id of an access request; the prefix `req_` belongs to HTTP requests. */
export type RequestId = AccessId<'request'>
export type GrantId = AccessId<'grant'>
export type ChangeId = AccessId<'change'>
/** Id of a custom access view. */
export type CustomId = AccessId<'custom'>
export type PersonId = AccessId<'person'>
export type TokenId = AccessId<'token'>
export type ReportId = AccessId<'report'>
export type EndpointId = AccessId<'endpoint'>
export type DeliveryId = AccessId<'delivery'>

/** The tenant of staff, for objects that belong to the provider and to no client. */
export const platformTenant = 'platform' as const
export type Tenant = ClientId | typeof platformTenant

export const newAccessId = <K extends AccessObject>(kind: K, nowMs?: number): AccessId<K> =>
  newId(accessPrefixes[kind], nowMs)

export const isAccessId = <K extends AccessObject>(kind: K, text: string): text is AccessId<K> =>
  isId(accessPrefixes[kind], text)

/** Schema of an id in a body or a query. An id that is not well-formed cannot exist. */
export const accessId = <K extends AccessObject>(kind: K) =>
  z.string().refine((text): text is AccessId<K> => isAccessId(kind, text), {
    message: `must be the id of a ${kind} (${accessPrefixes[kind]}_…)`,
  })
