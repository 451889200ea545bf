/** Creating, changing and deleting records by hand, with a portal grant that includes it. */
import { createHash } from 'node:crypto'
import {
  areaRules,
  type AreaAction,
  type AreaKey,
} from '../../../../../proto/access/areas/areas.ts'
import { areaPrefixes } from '../../../../../proto/access/areas/prefixes.ts'
import { areaDefinitions } from '../../../../../proto/access/areas/registry.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { idAt } from '../../../../../proto/ids.ts'
import type { RecordJson } from '../../../../../runtime/access/records/record-json.ts'
import type { PortalAccess } from '../../../../access/gate/authorize.ts'
import { requirePermission } from '../../../../access/gate/access.ts'
import { SelectField } from '../../../../html/fields.tsx'
import { Collapsible, ErrorSummary, PostForm, SubmitButton } from '../../../../html/form.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { ButtonLink } from '../../../../html/parts.tsx'
import type { Redirect } from '../../../page.ts'
import type { Visit } from '../../../visit.ts'
import { clientName, needTitle } from '../../../words/names.ts'
import { areaOfPath } from '../access.tsx'
import { titleOf } from '../columns.ts'
import { patchOf, recordForm, textOfValue, type RecordForm } from './form-fields.ts'
import { RecordInput } from './inputs.tsx'

/** The grants with which the person may do this to records of the area by hand. */
function grantsTo(visit: Visit, area: AreaKey, action: AreaAction): readonly PortalAccess[] {
  return areaDefinitions[area].operations.length === 0 ? [] : visit.held(area, action)
}

const mayWith = (
  visit: Visit,
  area: AreaKey,
  { id }: Pick<PortalAccess['grant'], 'id'>,
  action: AreaAction,
): boolean => grantsTo(visit, area, action).some(({ grant }) => grant.id === id)

/**
 * The grant that the page names, otherwise the first with which the person may do one of these, and
 * the fields that it includes for that. Throws `insufficient_scope`.
 */
function openForm(visit: Visit, ...actions: readonly [AreaAction, ...AreaAction[]]) {
  const area = areaOfPath(visit)
  const all = actions.flatMap((action) => grantsTo(visit, area, action))
  const named = visit.form.given('grant') ?? visit.asked('grant')
  const held = all.find(({ grant }) => grant.id === named) ?? all[0]
  if (!held) {
    const what = `None of your portal grants lets you ${actions.join(' or ')} records`
    const scope = `${area}:${actions[0]}`
    throw new ServiceError('insufficient_scope', `${what} of ${areaRules[area].label} here.`, {
      scope,
    })
  }
  const { access, grant } = held
  const action = actions.find((one) => mayWith(visit, area, grant, one))!
  const form = recordForm(areaDefinitions[area], requirePermission(access, area, action))
  return { area, access, grant, form }
}

export const NewRecordLink = ({ visit, area }: { visit: Visit; area: AreaKey }) =>
  grantsTo(visit, area, 'write').length === 0 ? (
    <></>
  ) : (
    <ButtonLink href={visit.at(`/records/${area}/new`)} kind="main">
      Add a record
    </ButtonLink>
  )

/** Shown to those who may write or delete the record with the grant that they see it by. */
export const EditRecordLink = ({
  visit,
  area,
  of: { grant },
}: {
  visit: Visit
  area: AreaKey
  of: PortalAccess
}) => {
  const may = (action: AreaAction) => mayWith(visit, area, grant, action)
  if (!may('write') && !may('delete')) return <></>
  const path = visit.at(`/records/${area}/${visit.param('id')}/edit?grant=${grant.id}`)
  return <ButtonLink href={path}>{may('write') ? 'Edit' : 'Delete'}</ButtonLink>
}

export function showNew(visit: Visit, problem?: FormProblem): PageContent {
  const { area, grant, form } = openForm(visit, 'write')
  const grants = grantsTo(visit, area, 'write')
  return {
    title: `Add to ${areaRules[area].label.toLowerCase()}`,
    lead: 'What you leave empty has no value.',
    up: { href: visit.at(`/records/${area}`), label: areaRules[area].label },
    body: (
      <PostForm visit={visit} action={visit.at(`/records/${area}/new`)} isOnce class="narrow">
        <ErrorSummary problem={problem} fields={form.fields} />
        {grants.length === 1 ? (
          ''
        ) : (
          <SelectField
            {...{ name: 'grant', label: 'With the grant', value: grant.id }}
            choices={grants.map(({ grant: { id, tenant, needId } }) => ({
              value: id,
              label: [visit.isStaff && clientName(visit, tenant), needTitle(visit, needId)]
                .filter(Boolean)
                .join(': '),
            }))}
          />
        )}
        <Inputs visit={visit} form={form} record={undefined} of={grant} problem={problem} />
        <SubmitButton>Add the record</SubmitButton>
      </PostForm>
    ),
  }
}

const Inputs = ({
  visit,
  form,
  record,
  of: { tenant },
  problem,
}: {
  visit: Visit
  form: RecordForm
  record: RecordJson | undefined
  of: PortalAccess['grant']
  problem: FormProblem | undefined
}) => (
  <>
    {form.fields.map((field) => {
      const kept = visit.form.has(field.name) ? visit.form.text(field.name) : undefined
      const stored = record ? record[field.name] : field.initial
      const value = kept ?? textOfValue(field, stored, visit.zone)
      return <RecordInput visit={visit} of={field} {...{ value, tenant, problem }} />
    })}
    {form.leftOut.length === 0 ? (
      ''
    ) : (
      <p class="quiet">Only programs write these fields: {form.leftOut.join(', ')}.</p>
    )}
  </>
)

export async function addByForm(visit: Visit): Promise<Redirect> {
  const { area, access, form } = openForm(visit, 'write')
  const body = patchOf(form, visit.form, undefined, visit.zone)
  const sent = createHash('sha256')
    .update(`${visit.person.id} ${visit.form.text('once')}`)
    .digest()
  const id = idAt(areaPrefixes[area], 0, sent)
  const { data } = await visit.deps.records.create(access, area, body, id)
  return { to: visit.at(`/records/${area}/${data.id}`), notice: 'record-added' }
}

export async function showEdit(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const { area, access, grant, form } = openForm(visit, 'write', 'delete')
  const id = visit.param('id')
  const { data: record } = await visit.deps.records.get(access, area, id)
  const path = visit.at(`/records/${area}/${id}`)
  const may = (action: AreaAction) => mayWith(visit, area, grant, action)
  const query = `?grant=${grant.id}`
  return {
    title: `Edit ${titleOf(record)}`,
    lead: 'What you empty is removed.',
    up: { href: path, label: titleOf(record) },
    body: (
      <>
        <ErrorSummary problem={problem} fields={form.fields} />
        {may('write') ? (
          <PostForm
            visit={visit}
            action={`${path}/edit${query}`}
            seen={record.version}
            class="narrow"
          >
            <Inputs visit={visit} form={form} record={record} of={grant} problem={problem} />
            <SubmitButton>Save</SubmitButton>
          </PostForm>
        ) : (
          ''
        )}
        {may('delete') ? (
          <Collapsible label="Delete the record" isOpen={!may('write')}>
            <PostForm visit={visit} action={`${path}/delete${query}`} seen={record.version}>
              <p>This cannot be undone. The audit keeps that you did it.</p>
              <SubmitButton kind="danger">Delete it</SubmitButton>
            </PostForm>
          </Collapsible>
        ) : (
          ''
        )}
      </>
    ),
  }
}

/** The version that the page showed. */
const seenVersion = (visit: Visit) => () => Number(visit.form.text('seen'))

export async function saveRecord(visit: Visit): Promise<Redirect> {
  const { area, access, form } = openForm(visit, 'write')
  const id = visit.param('id')
  const { records } = visit.deps
  const { data: shown } = await records.get(access, area, id)
  const body = patchOf(form, visit.form, shown, visit.zone)
  await records.patch(access, area, id, seenVersion(visit), body)
  return { to: visit.at(`/records/${area}/${id}`), notice: 'saved' }
}

export async function deleteRecord(visit: Visit): Promise<Redirect> {
  const { area, access } = openForm(visit, 'delete')
  await visit.deps.records.remove(access, area, visit.param('id'), seenVersion(visit))
  return { to: visit.at(`/records/${area}`), notice: 'record-deleted' }
}
