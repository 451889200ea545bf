/** A client: the owner of data. Every other entity of Surface A belongs to exactly one client. */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import type { ByAuthor } from '../author.ts'
import {
  emailText,
  nameText,
  type AccessView,
  type Citation,
  type EntityReply,
  type SecondSignature,
} from '../common.ts'
import type { ChangeId, ClientId, ScopeId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'

export const clientStatuses = [
  'onboarding',
  'active',
  'suspended',
  'offboarding',
  'closed',
] as const
export type ClientStatus = (typeof clientStatuses)[number]

const contact = z.strictObject({ name: nameText, email: emailText })

export const clientBody = z.strictObject({
  name: nameText,
  slug: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens')
    .max(limits.slugChars)
    .describe('Unique. It cannot be changed.'),
  contact,
  timezone: z.string().max(limits.nameChars).default('UTC'),
  locale: z.string().max(limits.nameChars).default('en'),
})
export type ClientBody = Readonly<z.output<typeof clientBody>>

export const clientPatch = z
  .strictObject({
    name: nameText,
    contact,
    timezone: z.string().max(limits.nameChars),
    locale: z.string().max(limits.nameChars),
  })
  .partial()
export type ClientPatch = Readonly<z.output<typeof clientPatch>>

/** The time during which a change works on a target; no other change may work on it then. */
export interface BookedWindow {
  readonly changeId: ChangeId
  /** For example `domains.dom_…`. */
  readonly target: string
  readonly startMs: number
  readonly endMs: number
}

export interface ClientInput extends ByAuthor, ClientBody {
  readonly id: ClientId
  /** Equal to the client's own id. */
  readonly tenant: ClientId
  readonly createdAtMs: number
}

export interface ClientView extends AccessView, ClientBody {
  readonly id: ClientId
  readonly tenant: ClientId
  readonly status: ClientStatus
  readonly activation?: SecondSignature
  /** Reason given for the last suspension, resumption, offboarding or closing. */
  readonly reason?: string
}

export const clientActor = actorProtocol<ClientInput, ClientView>()('client', {
  created: queryVerb<EntityReply<ClientView>>(),
  get: queryVerb<EntityReply<ClientView>>(),
  update: commandVerb<EntityReply<ClientView>, ByAuthor & { readonly patch: ClientPatch }>(),
  /** By another admin than the one who created it, once one of its scopes is in force. */
  activate: commandVerb<EntityReply<ClientView>, ByAuthor>(),
  suspend: commandVerb<EntityReply<ClientView>, ByAuthor & { readonly reason: string }>(),
  resume: commandVerb<EntityReply<ClientView>, ByAuthor & { readonly reason: string }>(),
  offboard: commandVerb<EntityReply<ClientView>, ByAuthor & { readonly reason: string }>(),
  /** Ends every grant that cites the client. */
  close: commandVerb<EntityReply<ClientView>, ByAuthor & { readonly reason: string }>(),
  /** Refused unless the client is active. */
  cite: commandVerb<EntityReply<ClientView>, Citation>(),
  /** Sent by a scope of the client when it comes into force or ends. */
  scope_confirmed: commandVerb<EntityReply<ClientView>, { readonly scopeId: ScopeId }>(),
  scope_retired: commandVerb<EntityReply<ClientView>, { readonly scopeId: ScopeId }>(),
  /** Sent by a change; `conflict` if another change has booked the target in that time. */
  book: commandVerb<EntityReply<ClientView>, BookedWindow>(),
  /** Sent by a change that no longer needs its window. */
  unbook: commandVerb<EntityReply<ClientView>, { readonly changeId: ChangeId }>(),
})
