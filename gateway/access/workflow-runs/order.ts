/**
 * Translates a run of a workflow action to a standard change: the action's template defines what is
 * written, the input the values. Throws why a run is not possible, and what to do about it.
 */
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import {
  changeTemplate,
  changeTemplates,
  type ChangeTemplate,
} from '../../../proto/access/changes/change-templates.ts'
import type { ChangeTerms, ChangeWork } from '../../../proto/access/changes/change-terms.ts'
import type { NeedId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { invalidFields } from '../../../runtime/access/records/validate-fields.ts'
import type { OutputSchemas } from '../../../runtime/lib/schemas/output-schemas.ts'

export interface RunOrder {
  readonly action: StoredRecord
  readonly input: RecordFields
  readonly needId: NeedId
  readonly schemas: Pick<OutputSchemas, 'fit'>
  /** The version of a record that the caller may read; throws for others. */
  readonly versionOf: (pointer: string, area: AreaKey, id: string) => Promise<number>
}

/** The input field with the id of the record that a template changes. */
const targetField = 'target_id'

export async function runTerms(order: RunOrder): Promise<ChangeTerms> {
  const { action, input, needId } = order
  const template = templateOf(action)
  await checkInput(order)
  const work = await workOf(template, order)
  const name = String(action.fields['name'])
  return {
    title: `Run: ${name}`.slice(0, limits.nameChars),
    description: String(action.fields['description'] ?? ''),
    ...{ kind: template.kind, type: 'standard', templateId: template.id, needId, work },
    ...{ risk: template.risk, impact: template.about, clientVisible: false },
    ...{ testPlan: template.test_plan, rollbackPlan: template.rollback_plan },
    run: { actionId: action.id, input },
  }
}

/** The template of an action that may be run. */
function templateOf({ id, fields }: StoredRecord): ChangeTemplate {
  const link = '</v1/changes>; rel="edit"'
  const edit = `Propose a change of ${id} (POST /v1/changes, kind workflow)`
  if (fields['pre_approved'] !== true) {
    const message = `This workflow action is not pre-approved, so it cannot be run. ${edit} that sets pre_approved.`
    throw new ServiceError('change_required', message, { link })
  }
  if (fields['enabled'] !== true) {
    const message = `This workflow action is disabled. ${edit} that sets enabled.`
    throw new ServiceError('conflict', message, { link })
  }
  const named = fields['change_template_id']
  const template = typeof named === 'string' ? changeTemplate(named) : undefined
  if (template) return template
  const missing =
    named === undefined
      ? 'has no change_template_id, which says how a run is carried out'
      : `names a template that does not exist (${JSON.stringify(named)})`
  const message = `This workflow action ${missing}. ${edit} that sets change_template_id to one of: ${changeTemplates.map((one) => one.id).join(', ')}.`
  throw new ServiceError('conflict', message, { link })
}

async function checkInput({ action, input, schemas }: RunOrder): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(input)) > limits.changePatchBytes) {
    const text = `must have at most ${limits.changePatchBytes / 1024} KiB of JSON`
    throw invalidFields([{ pointer: '/input', text }])
  }
  const schema = action.fields['inputs_schema']
  if (schema === undefined) return
  const fit = await schemas.fit(schema as RecordFields, [input], action.client)
  if (fit.fits) return
  const [fault = 'does not match', ...more] = fit.faults
  const rest = more.length > 0 ? ` Further problems: ${more.length}.` : ''
  const message = `input does not match the inputs_schema of the action: ${fault}.${rest}`
  throw new ServiceError('validation_failed', message, { fields: ['/input'], faults: fit.faults })
}

async function workOf(template: ChangeTemplate, order: RunOrder): Promise<ChangeWork> {
  const { area, operation } = template
  if (operation === 'none') return { does: 'nothing' }
  const { [targetField]: id, ...rest } = order.input
  if (operation === 'create') {
    return { does: 'create', on: area, patch: patchOf(template, order.input) }
  }
  const pointer = `/input/${targetField}`
  if (typeof id !== 'string') {
    const text = `is required: the id of the record of ${area} that template ${template.id} changes`
    throw invalidFields([{ pointer, text }])
  }
  const patch = patchOf(template, rest)
  return { does: 'update', on: area, id, version: await order.versionOf(pointer, area, id), patch }
}

/** The input must match the template, which is what was approved. */
function patchOf({ id, patch }: ChangeTemplate, input: RecordFields): RecordFields {
  const fitted = patch.safeParse(input)
  if (fitted.success) return input
  throw invalidFields(
    fitted.error.issues.map((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
      const pointer = ['/input', ...issue.path.map(String), ...keys].join('/')
      return { pointer, text: `is not allowed by template ${id} of the action: ${issue.message}` }
    }),
  )
}
