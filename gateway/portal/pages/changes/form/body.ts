/** Converts a filled-in form to a REST body, and finds its errors. */
import { defined } from '../../../../../proto/defined.ts'
import { areaDefinitions } from '../../../../../proto/access/areas/registry.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { changeBody, customAccess } from '../../../../../proto/access/changes/change-terms.ts'
import { customDefinition } from '../../../../../proto/access/changes/custom.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { mergePatch } from '../../../../../runtime/access/records/merge-patch.ts'
import { issueTexts } from '../../../../routing/schemas/validate.ts'
import type { Visit } from '../../../visit.ts'
import { momentIn } from '../../../../html/times.ts'
import { specsOf, type FormBase } from './base.ts'
import { customPatch } from './custom.tsx'
import { typedPatchOf } from './form-values.ts'
import type { ChangeSubject } from './change-subject.ts'

/** The target's part of the body; empty if the change writes nothing. */
function workOf(visit: Visit, subject: ChangeSubject, base: FormBase) {
  const { form, zone } = visit
  const { on, record, does, source } = subject
  if (on === undefined) return {}
  const isNew = record === 'new'
  const version = base.version ?? Number(form.text('version'))
  const target = isNew ? {} : { target: { id: record, version } }
  const area = on === customAccess ? {} : { area: on }
  if (does === 'delete') return { ...area, ...target, patch: null }
  const before = base.fields
  const patch =
    on === customAccess
      ? customPatch(form, source ?? 'contacts', before)
      : typedPatchOf(specsOf(subject), { form, zone, before, isNew })
  return { ...area, ...target, patch }
}

export function changeBodyOf(visit: Visit, subject: ChangeSubject, base: FormBase) {
  const { form, zone } = visit
  const { kind, template, client } = subject
  const window =
    form.has('window_start') && (form.given('window_start') ?? form.given('window_end'))
      ? {
          start: momentIn(form.text('window_start'), zone),
          end: momentIn(form.text('window_end'), zone),
        }
      : undefined
  const implementer = form.given('implementer_id')
  const isStandard = template !== undefined
  return {
    client_id: client,
    title: form.text('title'),
    description: form.text('description'),
    kind,
    type: isStandard ? 'standard' : form.text('type'),
    ...(template && { template_id: template.id }),
    need_id: form.text('need_id'),
    ...workOf(visit, subject, base),
    risk: isStandard ? 'low' : form.text('risk'),
    impact: form.text('impact'),
    test_plan: form.text('test_plan'),
    rollback_plan: form.text('rollback_plan'),
    client_visible: form.text('client_visible') === 'true',
    ...(window && { window }),
    ...defined({ implementer_id: implementer }),
  }
}

export type ChangeBody = ReturnType<typeof changeBodyOf>

/** The errors of all fields, by their REST names. */
export function problemIn(
  subject: ChangeSubject,
  base: FormBase,
  body: ChangeBody,
): ReadonlyMap<string, string> {
  const found = new Map(issueTexts(changeBody, body))
  const { on } = subject
  const patch: unknown = 'patch' in body ? body.patch : undefined
  // A target hidden from the reader is checked by the change's actor when it is proposed.
  if (on === undefined || base.mode === 'unseen' || patch === null || patch === undefined) {
    return found
  }
  const given = patch as RecordFields
  const schema = on === customAccess ? customDefinition : areaDefinitions[on].record
  const after = mergePatch(base.fields ?? {}, given)
  const own = on === customAccess ? after : only(after, areaDefinitions[on].fieldNames)
  for (const [name, text] of issueTexts(schema, own)) {
    const [field = ''] = name.split('.')
    // A grant may hide fields of the target, so only fields in the patch are checked.
    if (base.mode === 'new' || field in given) found.set(`patch.${name}`, text)
  }
  return found
}

const only = (fields: RecordFields, names: readonly string[]): RecordFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

/**
 * Throws `precondition_failed` if the target's version is not the form's, and `validation_failed`
 * for a change that could be saved as a draft but not proposed.
 */
export function assertFits(
  visit: Visit,
  subject: ChangeSubject,
  base: FormBase,
  body: ChangeBody,
): void {
  const seen = visit.form.text('version')
  if (base.version !== undefined && seen !== String(base.version)) {
    const message = `The target is now at version ${base.version}. Check its fields again.`
    throw new ServiceError('precondition_failed', message, { version: base.version })
  }
  const isNothing = base.mode !== 'new' && subject.does === 'change' && isEmpty(body)
  if (isNothing) {
    const message = 'No field has changed. Change at least one field.'
    throw new ServiceError('validation_failed', message)
  }
  const wrong = [...problemIn(subject, base, body)].filter(([name]) => name.startsWith('patch.'))
  if (wrong.length === 0) return
  const [[name, text] = ['patch', 'does not fit']] = wrong
  const pointers = wrong.map(([one]) => `/${one.replaceAll('.', '/')}`)
  throw new ServiceError('validation_failed', `${name} ${text}.`, { pointers })
}

function isEmpty(body: ChangeBody): boolean {
  const patch: unknown = 'patch' in body ? body.patch : undefined
  return typeof patch === 'object' && patch !== null && Object.keys(patch).length === 0
}
