/**
 * Custom access: a view of one area with some of its fields, under its own name
 * (`/v1/custom/{slug}`). Only completed changes create, update and retire it.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import { idOfDigest } from '../../ids.ts'
import { areaKeys, customSlug, type AreaKey } from '../areas/areas.ts'
import { commonFields, commonSorts } from '../areas/define-area.ts'
import { areaDefinitions } from '../areas/registry.ts'
import type { Author, ByAuthor } from '../author.ts'
import { nameText, type AccessView, type EntityReply } from '../common.ts'
import { accessPrefixes, type ChangeId, type ClientId, type CustomId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import { conditionSchema, type Condition } from '../permissions.ts'

const customStatuses = ['active', 'retired'] as const
export type CustomStatus = (typeof customStatuses)[number]

/** What a change of kind `custom_access` writes. */
export const customDefinition = z
  .strictObject({
    slug: z
      .string()
      .regex(customSlug, 'must be lower-case letters, digits and hyphens, 63 at most')
      .describe('Part of the path and of the permission. It cannot be changed.'),
    title: nameText,
    source_area: z.enum(areaKeys),
    fields: z.array(z.string()).min(1).max(limits.fieldsPerPermission),
    where: z.array(conditionSchema).max(limits.conditionsPerPermission).default([]),
    sort: z
      .string()
      .default('-created_at')
      .describe('A field to sort by; prefix it with - for descending order.'),
  })
  .superRefine(({ source_area: source, fields, where, sort }, context) => {
    const { fieldNames, filterable, sortable } = areaDefinitions[source]
    const refuse = (path: (string | number)[], known: readonly string[]) => {
      const message = `must be one of ${known.join(', ')}`
      context.addIssue({ code: 'custom', path, message })
    }
    const shown = [...commonFields, ...fieldNames]
    fields.forEach((name, i) => shown.includes(name) || refuse(['fields', i], shown))
    where.forEach(
      ({ field }, i) => filterable.includes(field) || refuse(['where', i, 'field'], filterable),
    )
    // Sorting by a hidden field would reveal its values.
    const sorts = [...commonSorts, ...sortable.filter((name) => fields.includes(name))]
    if (!sorts.includes(sort.replace(/^-/, ''))) refuse(['sort'], sorts)
  })

export interface CustomDefinition {
  readonly slug: string
  readonly title: string
  readonly source_area: AreaKey
  readonly fields: readonly string[]
  readonly where: readonly Condition[]
  readonly sort: string
}

/** Derived from client and slug, so a slug is unique within a client. */
export const customIdOf = (client: ClientId, slug: string): CustomId =>
  idOfDigest(accessPrefixes.custom, createHash('sha256').update(`${client}.${slug}`).digest())

export interface CustomInput {
  readonly id: CustomId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly by: Author
  readonly definition: CustomDefinition
  readonly changeId: ChangeId
}

export interface CustomView extends AccessView {
  readonly id: CustomId
  readonly tenant: ClientId
  readonly status: CustomStatus
  readonly definition: CustomDefinition
  /** The last changes that wrote it, the newest last. */
  readonly changes: readonly { readonly id: ChangeId; readonly version: number }[]
}

/** Sent by a completed change. `ifVersion` is the version that the change was proposed for. */
interface ByChange extends ByAuthor {
  readonly changeId: ChangeId
}

export const customActor = actorProtocol<CustomInput, CustomView>()('custom', {
  created: queryVerb<EntityReply<CustomView>>(),
  get: queryVerb<EntityReply<CustomView>>(),
  /** Defining a retired view puts it back into service. */
  define: commandVerb<
    EntityReply<CustomView>,
    ByChange & { readonly definition: CustomDefinition }
  >(),
  retire: commandVerb<EntityReply<CustomView>, ByChange>(),
})
