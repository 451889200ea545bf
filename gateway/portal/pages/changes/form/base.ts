/** The starting point of a change's form: the current target, and choices for its fields. */
import type { AreaKey } from '../../../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { customAccess } from '../../../../../proto/access/changes/change-terms.ts'
import { platformTenant } from '../../../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../../../proto/access/limits.ts'
import { recordReadOf } from '../../../../../runtime/access/audit/sources/reads.ts'
import type { FieldChoice } from '../../../../html/fields.tsx'
import type { Visit } from '../../../visit.ts'
import { titleOf } from '../../records/columns.ts'
import { readVisibleTarget } from '../change/target.tsx'
import { fieldSpecsOf, templateFieldSpecs, isGroup, type FieldSpec } from './spec.ts'
import type { InputMode } from './inputs.tsx'
import type { ChangeSubject } from './change-subject.ts'

export interface FormBase {
  readonly mode: InputMode
  /** The current fields of the target; undefined if it is new or hidden from the reader. */
  readonly fields: RecordFields | undefined
  readonly version: number | undefined
  /** The target's name, if the reader may see it. */
  readonly title: string | undefined
}

const made: FormBase = { mode: 'new', fields: undefined, version: undefined, title: undefined }
const unseen: FormBase = { ...made, mode: 'unseen' }

export async function formBaseOf(
  visit: Visit,
  { client, on, record }: ChangeSubject,
): Promise<FormBase> {
  if (on === undefined || record === undefined || record === 'new') return made
  if (on === customAccess) {
    const custom = visit.find('custom', record)
    if (!custom || custom.tenant !== client) return unseen
    const { definition, version } = custom
    return { mode: 'seen', fields: { ...definition }, version, title: definition.title }
  }
  const work = { does: 'delete', on, id: record, version: 1 } as const
  const seen = await readVisibleTarget(visit, { tenant: client, terms: { work } })
  if (!seen) return unseen
  const { record: found } = seen
  return { mode: 'seen', fields: found, version: found.version, title: titleOf(found) }
}

export function specsOf({ on, template }: ChangeSubject): readonly FieldSpec[] {
  if (template) return templateFieldSpecs(template)
  return on === undefined || on === customAccess ? [] : fieldSpecsOf(on)
}

export type FieldChoices = ReadonlyMap<string, readonly FieldChoice[]>

/** The choices for fields that refer to people or records, limited to what the reader may see. */
export async function fieldChoicesOf(
  visit: Visit,
  { client }: ChangeSubject,
  specs: readonly FieldSpec[],
): Promise<FieldChoices> {
  const found = new Map<string, readonly FieldChoice[]>()
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

/** Members do not see the provider's people. */
function peopleOf(visit: Visit, client: string): readonly FieldChoice[] {
  const own = visit.list('person', client)
  const staff = visit.isStaff ? visit.list('person', platformTenant) : []
  return [...own, ...staff].filter(isActive).map(({ id, name }) => ({ value: id, label: name }))
}

/** Staff who may implement a change. */
export const implementerChoices = (visit: Visit): readonly FieldChoice[] =>
  visit
    .list('person', platformTenant)
    .filter(isActive)
    .filter(({ roles }) => roles.some((role) => role === 'operator' || role === 'change_manager'))
    .map(({ id, name }) => ({ value: id, label: name }))

/** The first hundred records of an area that the reader's grants show; empty without a grant. */
export async function recordsIn(
  visit: Visit,
  client: string,
  area: AreaKey,
): Promise<readonly FieldChoice[]> {
  const found = new Map<string, string>()
  for (const { access } of visit.held(area, 'read')) {
    if (access.clientId !== client) continue
    const query = new URLSearchParams({ limit: String(limits.listRowsMost) })
    const { data } = await visit.deps.records.list(access, area, query)
    for (const record of data) found.set(String(record['id']), titleOf(record))
    visit.deps.reads.add(recordReadOf(access, area, [...found.keys()], visit.now))
  }
  return [...found]
    .slice(0, limits.listRowsMost)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label))
}
