/** What a form of a change begins with: what its target says now, and what can be chosen. */
import type { AreaKey } from '../../../../../proto/access/areas.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { customAccess } from '../../../../../proto/access/change-terms.ts'
import { platformTenant } from '../../../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../../../proto/access/limits.ts'
import { readOf } from '../../../../../runtime/access/audit/reads.ts'
import type { Choice } from '../../../html/fields.tsx'
import type { Visit } from '../../../visit.ts'
import { titleOf } from '../../records/columns.ts'
import { readTarget } from '../thing.tsx'
import { fieldsOf, fieldsOfTemplate, isGroup, type FieldSpec } from './spec.ts'
import type { Mode } from './inputs.tsx'
import type { Wish } from './wish.ts'

export interface Base {
  readonly mode: Mode
  /** Of the target as it is; undefined where it is new or not to be seen. */
  readonly fields: RecordFields | undefined
  readonly version: number | undefined
  /** What the target is called, where it may be seen. */
  readonly title: string | undefined
}

const made: Base = { mode: 'new', fields: undefined, version: undefined, title: undefined }
const unseen: Base = { ...made, mode: 'unseen' }

export async function baseOf(visit: Visit, { client, on, record }: Wish): Promise<Base> {
  if (on === undefined || record === undefined || record === 'new') return made
  if (on === customAccess) {
    const custom = visit.find('custom', record)
    if (!custom || custom.tenant !== client) return unseen
    const { definition, version } = custom
    return { mode: 'seen', fields: { ...definition }, version, title: definition.title }
  }
  const work = { does: 'delete', on, id: record, version: 1 } as const
  const seen = await readTarget(visit, { tenant: client, terms: { work } })
  if (!seen) return unseen
  const { record: found } = seen
  return { mode: 'seen', fields: found, version: found.version, title: titleOf(found) }
}

export function specsOf({ on, template }: Wish): readonly FieldSpec[] {
  if (template) return fieldsOfTemplate(template)
  return on === undefined || on === customAccess ? [] : fieldsOf(on)
}

export type Choices = ReadonlyMap<string, readonly Choice[]>

/** People and records that fields name, as far as the reader may see them. */
export async function choicesOf(
  visit: Visit,
  { client }: Wish,
  specs: readonly FieldSpec[],
): Promise<Choices> {
  const found = new Map<string, readonly Choice[]>()
  for (const spec of specs) {
    if (isGroup(spec)) continue
    const { kind, name } = spec
    if (kind.type === 'person') found.set(name, peopleOf(visit, client))
    if (kind.type !== 'record') continue
    const records = await recordsIn(visit, client, kind.area)
    if (records.length > 0) found.set(name, records)
  }
  return found
}

const isActive = ({ status }: { readonly status: string }) => status === 'active'

/** Members are not told who the provider's people are. */
function peopleOf(visit: Visit, client: string): readonly Choice[] {
  const own = visit.list('person', client)
  const staff = visit.isStaff ? visit.list('person', platformTenant) : []
  return [...own, ...staff].filter(isActive).map(({ id, name }) => ({ value: id, label: name }))
}

/** Those who may be asked to do a change. */
export const implementers = (visit: Visit): readonly Choice[] =>
  visit
    .list('person', platformTenant)
    .filter(isActive)
    .filter(({ roles }) => roles.some((role) => role === 'operator' || role === 'change_manager'))
    .map(({ id, name }) => ({ value: id, label: name }))

/** The first hundred of an area, through the grants that show them; none without one. */
export async function recordsIn(
  visit: Visit,
  client: string,
  area: AreaKey,
): Promise<readonly Choice[]> {
  const found = new Map<string, string>()
  for (const { access } of visit.held(area, 'read')) {
    if (access.clientId !== client) continue
    const query = new URLSearchParams({ limit: String(limits.listRowsMost) })
    const { data } = await visit.deps.records.list(access, area, query)
    for (const record of data) found.set(String(record['id']), titleOf(record))
    visit.deps.reads.add(readOf(access, area, [...found.keys()], visit.now))
  }
  return [...found]
    .slice(0, limits.listRowsMost)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label))
}
