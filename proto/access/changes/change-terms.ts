/** The terms of a change: its REST body, and the form that its actor stores. */
import { defined } from '../../defined.ts'
import { z } from 'zod'
import { technicalAreas, type TechnicalArea } from '../areas/areas.ts'
import type { RecordFields } from '../areas/define-area.ts'
import { areaDefinitions } from '../areas/registry.ts'
import { longText, nameText, timeText } from '../common.ts'
import { changeTemplate } from './change-templates.ts'
import { customDefinition } from './custom.ts'
import { accessId, type NeedId, type PersonId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import { dayMs } from '../../units.ts'

export const changeKinds = [
  'record_patch',
  'deployment',
  'domain',
  'monitoring',
  'workflow',
  'custom_access',
  'integration',
  'other',
] as const
export type ChangeKind = (typeof changeKinds)[number]
export const changeTypes = ['standard', 'normal', 'emergency'] as const
export type ChangeType = (typeof changeTypes)[number]
export const changeRisks = ['low', 'medium', 'high'] as const
export type ChangeRisk = (typeof changeRisks)[number]

/**
 * The area that each kind writes. Kinds that are absent name an area themselves, or write nothing.
 */
const areaOfKind: Partial<Readonly<Record<ChangeKind, TechnicalArea>>> = {
  deployment: 'deployments',
  domain: 'domains',
  monitoring: 'monitoring',
  workflow: 'workflow-actions',
}
export const customAccess = 'custom-access'

const planText = z.string().trim().max(limits.reasonChars)
const target = z.strictObject({
  id: z.string().max(limits.slugChars),
  version: z.int().min(1).describe('The version that the change is based on.'),
})
const window = z.strictObject({ start: timeText, end: timeText })

const shape = {
  title: nameText.min(limits.reasonCharsLeast),
  description: longText,
  kind: z.enum(changeKinds),
  type: z.enum(changeTypes),
  template_id: z
    .string()
    .max(limits.slugChars)
    .describe('Required for standard changes; not allowed for others.'),
  need_id: accessId('need'),
  area: z
    .enum(technicalAreas)
    .describe('Required for kind `record_patch`; implied by the other kinds.'),
  target: target.describe(
    'The record or custom view to change. If absent, the change creates one.',
  ),
  patch: z
    .record(z.string(), z.json())
    .nullable()
    .describe('A merge patch (RFC 7396). Null in place of the whole patch deletes the target.'),
  risk: z.enum(changeRisks),
  impact: planText.describe('Who will notice the change, and how.'),
  test_plan: planText,
  rollback_plan: planText,
  client_visible: z
    .boolean()
    .describe('If true, an owner of the client must approve a normal change too.'),
  window: window.describe('When to carry out the change; scheduling can choose another window.'),
  implementer_id: accessId('person').describe('The only person who may carry out the change.'),
}
const terms = z.strictObject({
  ...shape,
  description: shape.description.default(''),
  type: shape.type.default('normal'),
  template_id: shape.template_id.optional(),
  area: shape.area.optional(),
  target: shape.target.optional(),
  patch: shape.patch.optional(),
  risk: shape.risk.default('medium'),
  impact: shape.impact.default(''),
  test_plan: shape.test_plan.default(''),
  rollback_plan: shape.rollback_plan.default(''),
  client_visible: shape.client_visible.default(false),
  window: shape.window.optional(),
  implementer_id: shape.implementer_id.optional(),
})
type TermsBody = z.output<typeof terms>

const optional = { ...shape, area: shape.area.nullable(), target: shape.target.nullable() }
/** Given fields replace those of the draft; null removes an optional one. */
export const changePatch = z
  .strictObject({
    ...optional,
    template_id: shape.template_id.nullable(),
    window: shape.window.nullable(),
    implementer_id: shape.implementer_id.nullable(),
  })
  .partial()

export const changeTerms = terms.superRefine(checkTerms)
export const changeBody = terms
  .extend({
    client_id: accessId('client')
      .optional()
      .describe('Required for staff; others can leave it out.'),
  })
  .superRefine(checkTerms)

type Refuse = (path: readonly string[], message: string) => void

function checkTerms(body: TermsBody, context: z.core.$RefinementCtx<TermsBody>): void {
  const refuse: Refuse = (path, message) =>
    void context.addIssue({ code: 'custom', path: [...path], message, input: body })
  if (body.window) checkWindow(body.window, refuse)
  if (body.type === 'standard') checkTemplate(body, refuse)
  else {
    if (body.template_id !== undefined)
      refuse(['template_id'], 'must be absent: it is only for standard changes')
    for (const name of ['impact', 'test_plan', 'rollback_plan'] as const) {
      if (body[name].length < limits.reasonCharsLeast)
        refuse([name], `must have at least ${limits.reasonCharsLeast} characters`)
    }
  }
  checkWork(body, refuse)
}

export function checkWindow({ start, end }: z.output<typeof window>, refuse: Refuse): void {
  if (end <= start) refuse(['window', 'end'], 'must be after window.start')
  else if (end - start > limits.changeWindowMs) {
    refuse(
      ['window', 'end'],
      `must be at most ${limits.changeWindowMs / dayMs} days after the start`,
    )
  }
}

/** A standard change is pre-approved, so a change that does not fit its template is refused. */
function checkTemplate(
  { template_id: id, kind, area, target: of, patch }: TermsBody,
  refuse: Refuse,
) {
  const template = id === undefined ? undefined : changeTemplate(id)
  if (!template)
    return refuse(['template_id'], 'must be the id of a template of GET /v1/change-templates')
  if (template.operation === 'none') {
    return refuse(
      ['template_id'],
      'must be another template: runs use POST /v1/workflow-actions/{id}/runs',
    )
  }
  if (kind !== template.kind || (area !== undefined && area !== template.area)) {
    refuse(['kind'], `must be ${template.kind}, as in the template`)
  }
  const isUpdate = of !== undefined
  if (isUpdate !== (template.operation === 'update')) {
    refuse(
      ['target'],
      `must be ${isUpdate ? 'absent' : 'present'}: the operation of the template is ${template.operation}`,
    )
  }
  const fitted = template.patch.safeParse(patch)
  if (fitted.success) return
  const [issue] = fitted.error.issues
  const at = [...(issue?.path ?? []), ...(issue && 'keys' in issue ? [issue.keys[0]] : [])]
  refuse(
    ['patch', ...at.map(String)],
    'must be within the template; otherwise propose a normal change',
  )
}

function checkWork({ kind, area, target: of, patch }: TermsBody, refuse: Refuse): void {
  if (kind === 'integration' || kind === 'other') {
    const stranger = Object.entries({ area, target: of, patch }).find(([, v]) => v !== undefined)
    if (stranger) refuse([stranger[0]], `must be absent: a change of kind ${kind} writes nothing`)
    return
  }
  const own = areaOfKind[kind]
  const on = kind === 'custom_access' ? customAccess : (own ?? area)
  if (on === undefined) return refuse(['area'], `must be one of ${technicalAreas.join(', ')}`)
  if (area !== undefined && area !== on) refuse(['area'], `must be ${on}, or left out`)
  if (patch === undefined) return refuse(['patch'], 'must be given: what to write')
  if (patch === null) {
    if (!of) refuse(['target'], 'must be given: what to delete')
    return
  }
  checkPatch(on, patch, of === undefined, refuse)
}

function checkPatch(on: ChangedThing, patch: RecordFields, isNew: boolean, refuse: Refuse): void {
  if (JSON.stringify(patch).length > limits.changePatchBytes) {
    return refuse(['patch'], `must have at most ${limits.changePatchBytes / 1024} KiB`)
  }
  const known = Object.keys(
    on === customAccess ? customDefinition.shape : areaDefinitions[on].record.shape,
  )
  const stranger = Object.keys(patch).find((name) => !known.includes(name))
  if (stranger !== undefined) {
    return refuse(
      ['patch', stranger],
      `must be absent: a change can only write ${known.join(', ')}`,
    )
  }
  // An update needs the current record: it is checked when the change is proposed.
  if (!isNew) return
  const schema = on === customAccess ? customDefinition : areaDefinitions[on].record
  const [issue] = schema.safeParse(patch).error?.issues ?? []
  if (issue) refuse(['patch', ...issue.path.map(String)], issue.message)
}

export type ChangedThing = TechnicalArea | typeof customAccess

/** What a change writes when it completes. */
export type ChangeWork =
  | { readonly does: 'nothing' }
  | { readonly does: 'create'; readonly on: ChangedThing; readonly patch: RecordFields }
  | (Targeted & { readonly does: 'update'; readonly patch: RecordFields })
  | (Targeted & { readonly does: 'delete' })

interface Targeted {
  readonly on: ChangedThing
  readonly id: string
  readonly version: number
}

export interface ChangeWindow {
  readonly startMs: number
  readonly endMs: number
}

export interface ChangeTerms {
  readonly title: string
  readonly description: string
  readonly kind: ChangeKind
  readonly type: ChangeType
  readonly templateId?: string
  readonly needId: NeedId
  readonly work: ChangeWork
  readonly risk: ChangeRisk
  readonly impact: string
  readonly testPlan: string
  readonly rollbackPlan: string
  readonly clientVisible: boolean
  readonly window?: ChangeWindow
  readonly implementerId?: PersonId
  /** The workflow run that it carries out. */
  readonly run?: ChangeRun
}

export interface ChangeRun {
  /** Id of a record of `workflow-actions`. */
  readonly actionId: string
  readonly input: RecordFields
}

export function changeTermsOf(body: TermsBody): ChangeTerms {
  const { template_id: templateId, window: when, implementer_id: implementerId } = body
  const template = templateId === undefined ? undefined : changeTemplate(templateId)
  return {
    title: body.title,
    description: body.description,
    kind: body.kind,
    type: body.type,
    ...defined({ templateId }),
    needId: body.need_id,
    work: workOf(body),
    risk: template?.risk ?? body.risk,
    impact: body.impact || (template?.about ?? ''),
    testPlan: body.test_plan || (template?.test_plan ?? ''),
    rollbackPlan: body.rollback_plan || (template?.rollback_plan ?? ''),
    clientVisible: body.client_visible,
    ...(when && { window: { startMs: when.start, endMs: when.end } }),
    ...(implementerId && { implementerId }),
  }
}

function workOf({ kind, area, target: of, patch }: TermsBody): ChangeWork {
  const on = kind === 'custom_access' ? customAccess : (areaOfKind[kind] ?? area)
  if (on === undefined || patch === undefined) return { does: 'nothing' }
  if (!of) return { does: 'create', on, patch: patch ?? {} }
  if (patch === null) return { does: 'delete', on, ...of }
  return { does: 'update', on, ...of, patch }
}

/** The terms as REST returns them and as a reviewer signs them. */
export function changeTermsJson({ work, window: when, ...of }: ChangeTerms) {
  const iso = (ms: number) => new Date(ms).toISOString()
  const on = work.does === 'nothing' || work.on === customAccess ? undefined : work.on
  const isTargeted = work.does === 'update' || work.does === 'delete'
  return {
    title: of.title,
    description: of.description,
    kind: of.kind,
    type: of.type,
    ...defined({ template_id: of.templateId }),
    need_id: of.needId,
    ...(on && { area: on }),
    ...(isTargeted && { target: { id: work.id, version: work.version } }),
    ...(work.does !== 'nothing' && { patch: work.does === 'delete' ? null : work.patch }),
    risk: of.risk,
    impact: of.impact,
    test_plan: of.testPlan,
    rollback_plan: of.rollbackPlan,
    client_visible: of.clientVisible,
    ...(when && { window: { start: iso(when.startMs), end: iso(when.endMs) } }),
    ...(of.implementerId && { implementer_id: of.implementerId }),
    ...(of.run && { run: { action_id: of.run.actionId, input: of.run.input } }),
  }
}
