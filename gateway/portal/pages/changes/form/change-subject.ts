/**
 * The choices made in the steps before a change's form. They are in the URL of each step, and in
 * the form.
 */
import {
  technicalAreas,
  isAreaKey,
  type AreaKey,
  type TechnicalArea,
} from '../../../../../proto/access/areas/areas.ts'
import {
  changeTemplate,
  isRequestable,
  type ChangeTemplate,
} from '../../../../../proto/access/changes/change-templates.ts'
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import {
  changeKinds,
  customAccess,
  type ChangedThing,
  type ChangeKind,
} from '../../../../../proto/access/changes/change-terms.ts'
import { isRecordId } from '../../../../../proto/access/areas/prefixes.ts'
import { isAccessId, type ClientId } from '../../../../../proto/access/ids.ts'
import type { Visit } from '../../../visit.ts'

export const subjectParams = [
  ...(['client', 'template', 'kind', 'area', 'record', 'does', 'source', 'need'] as const),
] as const
export type SubjectParam = (typeof subjectParams)[number]

export interface ChangeSubject {
  readonly client: ClientId
  readonly kind: ChangeKind
  readonly template: ChangeTemplate | undefined
  /** What the change writes; undefined for kinds that write nothing. */
  readonly on: ChangedThing | undefined
  /** `new`, the id of the target, or undefined if not chosen yet. */
  readonly record: string | undefined
  readonly does: 'change' | 'delete'
  /** For custom access: the area of the view. */
  readonly source: AreaKey | undefined
  readonly need: string | undefined
}

/** A choice from the step's URL or from the form that was sent. */
export function subjectParam(visit: Visit, name: SubjectParam): string | undefined {
  const isForm = visit.facts.request.method === 'POST'
  return isForm ? visit.form.given(name) : visit.asked(name)
}

/** The chosen client, or the only one there is. */
export function chosenClient(visit: Visit): ClientId | undefined {
  const only = visit.isStaff ? soleClient(visit) : visit.client?.id
  const asked = visit.isStaff ? (subjectParam(visit, 'client') ?? only) : only
  return asked === undefined ? undefined : visit.clientOf(asked)
}

function soleClient(visit: Visit): string | undefined {
  const all = servedClients(visit)
  return all.length === 1 ? all[0]!.id : undefined
}

export const servedClients = (visit: Visit) =>
  visit.list('client').filter(({ status }) => status === 'active')

const areaOfKind: Partial<Readonly<Record<ChangeKind, ChangedThing>>> = {
  deployment: 'deployments',
  domain: 'domains',
  monitoring: 'monitoring',
  workflow: 'workflow-actions',
  custom_access: customAccess,
}

export const kindOfArea: Readonly<Record<TechnicalArea, ChangeKind>> = {
  projects: 'record_patch',
  deployments: 'deployment',
  domains: 'domain',
  monitoring: 'monitoring',
  'workflow-actions': 'workflow',
}

const isTechnical = (text: string): text is TechnicalArea =>
  technicalAreas.some((area) => area === text)

export const asTechnical = (text: string): TechnicalArea | undefined =>
  isTechnical(text) ? text : undefined

/** Undefined until a kind was chosen. */
export function changeSubjectIn(visit: Visit, client: ClientId): ChangeSubject | undefined {
  const named = changeTemplate(subjectParam(visit, 'template') ?? '')
  const template = named && isRequestable(named) ? named : undefined
  const kind = template?.kind ?? changeKinds.find((each) => each === subjectParam(visit, 'kind'))
  if (kind === undefined) return undefined
  const area = asTechnical(subjectParam(visit, 'area') ?? '')
  const on = template?.area ?? areaOfKind[kind] ?? (kind === 'record_patch' ? area : undefined)
  if (kind === 'record_patch' && on === undefined) return undefined
  const source = subjectParam(visit, 'source') ?? ''
  return {
    ...{ client, kind, template, on },
    record: recordIn(visit, on, template),
    does: subjectParam(visit, 'does') === 'delete' && !template ? 'delete' : 'change',
    source: isAreaKey(source) ? source : undefined,
    need: subjectParam(visit, 'need'),
  }
}

function recordIn(
  visit: Visit,
  on: ChangedThing | undefined,
  template: ChangeTemplate | undefined,
): string | undefined {
  if (on === undefined || template?.operation === 'create') return 'new'
  const asked = subjectParam(visit, 'record')
  if (asked === 'other') return knownRecordId(on, visit.asked('other'))
  if (asked === 'new') return template ? undefined : 'new'
  return knownRecordId(on, asked)
}

/** An id of another type is treated as not chosen. */
function knownRecordId(on: ChangedThing, id: string | undefined): string | undefined {
  const isKnown = on === customAccess ? isAccessId('custom', id ?? '') : isRecordId(on, id ?? '')
  return isKnown ? id : undefined
}

/** The choices that led to a draft being edited. */
export function changeSubjectOf({ tenant, terms }: ChangeView): ChangeSubject {
  const { work, kind, templateId, needId } = terms
  const template = templateId === undefined ? undefined : changeTemplate(templateId)
  const source = work.does !== 'nothing' && 'patch' in work ? work.patch['source_area'] : undefined
  return {
    ...{ client: tenant, kind, template, need: needId },
    on: work.does === 'nothing' ? undefined : work.on,
    record: 'id' in work ? work.id : 'new',
    does: work.does === 'delete' ? 'delete' : 'change',
    source: typeof source === 'string' && isAreaKey(source) ? source : undefined,
  }
}

/** As query parameters of the next step. */
export const changeSubjectPairs = (
  { client, kind, template, on, record, does, source, need }: ChangeSubject,
  isStaff: boolean,
): readonly (readonly [SubjectParam, string])[] => {
  const all: readonly (readonly [SubjectParam, string | undefined | false])[] = [
    ['client', isStaff && client],
    ['template', template?.id],
    ['kind', !template && kind],
    ['area', kind === 'record_patch' && !template && on],
    ['record', record],
    ['does', does === 'delete' && does],
    ['source', source],
    ['need', need],
  ]
  return all.filter((pair): pair is [SubjectParam, string] => typeof pair[1] === 'string')
}
