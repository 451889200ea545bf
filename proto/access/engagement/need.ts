/** An operational need: why somebody needs access, and until when. Every grant cites one. */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import type { ByAuthor } from '../author.ts'
import {
  reasonText,
  timeText,
  type AccessView,
  type Citation,
  type EntityReply,
  type SecondSignature,
} from '../common.ts'
import { accessId, type ClientId, type NeedId, type PersonId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'

export const needCategories = [
  'delivery',
  'support',
  'incident',
  'reporting',
  'audit',
  'integration',
  'migration',
] as const
export const needStatuses = ['open', 'overdue', 'closed'] as const
export type NeedStatus = (typeof needStatuses)[number]

const reference = z.strictObject({
  kind: z.enum(['task', 'project', 'change', 'ticket', 'contract']),
  id: z.string().min(1).max(limits.referenceChars).describe('An id or a URL.'),
})
const shape = {
  title: z.string().trim().min(limits.reasonCharsLeast).max(limits.nameChars),
  purpose: z.string().trim().min(limits.purposeCharsLeast).max(limits.reasonChars),
  category: z.enum(needCategories),
  reference,
  owner_id: accessId('person'),
  expected_end_at: timeText,
}

export const needBody = z.strictObject({ client_id: accessId('client'), ...shape })
export const needPatch = z
  .strictObject({ title: shape.title, purpose: shape.purpose, reference })
  .partial()
export const needExtension = z.strictObject({ expected_end_at: timeText, reason: reasonText })

export interface NeedDetails {
  readonly title: string
  readonly purpose: string
  readonly category: (typeof needCategories)[number]
  readonly reference: Readonly<z.output<typeof reference>>
  readonly ownerId: PersonId
  /** Wall-clock ms. */
  readonly expectedEndAtMs: number
}

export interface NeedInput extends ByAuthor, NeedDetails {
  readonly id: NeedId
  readonly tenant: ClientId
  readonly createdAtMs: number
}

export interface NeedView extends AccessView, NeedDetails {
  readonly id: NeedId
  readonly tenant: ClientId
  readonly status: NeedStatus
  /** The last extension. */
  readonly extension?: SecondSignature & { readonly reason: string }
  readonly closedAtMs?: number
  readonly closedReason?: string
}

export const needActor = actorProtocol<NeedInput, NeedView>()('need', {
  created: queryVerb<EntityReply<NeedView>>(),
  get: queryVerb<EntityReply<NeedView>>(),
  update: commandVerb<
    EntityReply<NeedView>,
    ByAuthor & { readonly patch: Readonly<z.output<typeof needPatch>> }
  >(),
  /** By another person than its owner, to a time in the future. */
  extend: commandVerb<
    EntityReply<NeedView>,
    ByAuthor & { readonly expectedEndAtMs: number; readonly reason: string }
  >(),
  /** Ends every grant that cites the need. */
  close: commandVerb<EntityReply<NeedView>, ByAuthor & { readonly reason: string }>(),
  /** Sent by a new grant, which then ends with the need. A closed need refuses. */
  cite: commandVerb<EntityReply<NeedView>, Citation>(),
})
