/**
 * The definition of an event type: its name, its object, and the condition under which it occurs.
 */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import type { RecordAction } from '../../../proto/access/areas/record.ts'

export interface EventType {
  readonly type: string
  readonly summary: string
  /** For records: receivers must have read access to this area. */
  readonly area?: AreaKey
}

/** A record after a change. The previous state is read only for rules that need it. */
export interface RecordMoment {
  readonly action: RecordAction
  readonly version: number
  readonly changed: readonly string[]
  readonly fields: RecordFields
  readonly before?: RecordFields
}

export interface RecordEventType extends EventType {
  readonly area: AreaKey
  readonly when: (moment: RecordMoment) => boolean
  /** It needs `before`, which costs a read of the record's history. */
  readonly compares?: true
}

export interface ActorEventType extends EventType {
  /** The kind of actor whose log reports it. */
  readonly kind: string
  readonly when: (moment: ActorMoment) => boolean
  /** The id of the object, if it is not the actor itself. */
  readonly about?: (moment: ActorMoment) => string | undefined
  /** Words beside the ids, such as a state or a reason. */
  readonly more?: (moment: ActorMoment) => Readonly<Record<string, string>>
}

/** One entry of an actor's log. */
export interface ActorMoment {
  readonly event: string
  /** Wall-clock ms. */
  readonly at: number
  /** The actor's id. */
  readonly id: string
  /** The actor's status after the entry. */
  readonly status: string
  readonly context: Readonly<Record<string, unknown>>
}

type When = RecordEventType['when']

export const onCreate: When = ({ version }) => version === 1
export const onUpdate: When = ({ version, action }) => version > 1 && action !== 'delete'
export const onDelete: When = ({ action }) => action === 'delete'

/** True if this change set the field to one of the values. */
export const onFieldValue =
  (field: string, ...values: readonly string[]): When =>
  ({ action, changed, fields }) =>
    action !== 'delete' && changed.includes(field) && values.includes(String(fields[field]))

/** The same, if the field had another value before. */
export const onFieldChange =
  (field: string, from: readonly string[], to: readonly string[]): When =>
  (moment) =>
    onFieldValue(field, ...to)(moment) && from.includes(String(moment.before?.[field]))

type Item = Readonly<Record<string, unknown>>
const itemsOf = (fields: RecordFields | undefined, list: string): readonly Item[] => {
  const items = fields?.[list]
  return Array.isArray(items) ? (items as readonly Item[]) : []
}

/** True if an item of a list has reached a status that it did not have before. */
export const onItemStatus =
  (list: string, key: string, status: string): When =>
  ({ fields, before }) => {
    const had = itemsOf(before, list)
    return itemsOf(fields, list).some(
      (item) =>
        item['status'] === status &&
        !had.some((old) => old[key] === item[key] && old['status'] === status),
    )
  }

type RecordRule = Omit<RecordEventType, 'area'>

export const recordTypes = (
  area: AreaKey,
  rules: readonly RecordRule[],
): readonly RecordEventType[] => rules.map((rule) => ({ ...rule, area }))

export const recordRule = (type: string, summary: string, when: When): RecordRule => ({
  type,
  summary,
  when,
})

export const withPrevious = (rule: RecordRule): RecordRule => ({ ...rule, compares: true })
