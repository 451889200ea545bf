/** Converts the form of a new task to the body of its order in REST, and to a shell command. */
import { taskLimits } from '../../../../../proto/task/task-limits.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { badField } from '../../../../routing/schemas/validate.ts'
import { curlGet, curlPost } from '../../../../html/code/curl-lines.ts'
import {
  nonEmptyListIn,
  numberIn,
  definedFields,
  unlessDefault,
} from '../../../html/form-values.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { creationFacts } from '../../sessions/create/creation-facts.ts'

type Body = Readonly<Record<string, unknown>>

const path = '/v1/tools/perform-web-task'

/** Fields with their default value are left out. */
export function taskOrderBody(form: SubmittedForm): Body {
  const minutes = numberIn(form.given('timeout_minutes'))
  const seconds = typeof minutes === 'number' ? Math.round(minutes * 60) : minutes
  const order = definedFields({
    prompt: form.given('prompt'),
    url: form.given('url'),
    provider: form.given('provider'),
    model: form.given('model'),
    output_schema: schemaIn(form.given('output_schema')),
    allowed_domains: nonEmptyListIn(form.text('allowed_domains')),
    max_steps: unlessDefault(numberIn(form.given('max_steps')), taskLimits.taskSteps),
    timeout_seconds: unlessDefault(seconds, taskLimits.taskSeconds),
    max_tokens: numberIn(form.given('max_tokens')),
    max_cost_usd: numberIn(form.given('max_cost_usd')),
    human_intervention: form.has('human_intervention') || undefined,
    keep_session: form.has('keep_session') || undefined,
    allow_private_network: form.has('allow_private_network') || undefined,
  })
  return { ...order, async: true }
}

/** Text that is not JSON is kept as text, because the code beside the form shows what was typed. */
function schemaIn(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Throws a `bad_request` that says where the schema is not valid JSON. */
export function assertSchemaIsJson(form: SubmittedForm): void {
  const text = form.given('output_schema')
  if (text === undefined) return
  try {
    JSON.parse(text)
  } catch (error) {
    throw badField('output_schema', `output_schema is not valid JSON: ${(error as Error).message}`)
  }
}

const pathIn = (sessionId: string | undefined) =>
  sessionId === undefined ? path : `${path}?sessionId=${encodeURIComponent(sessionId)}`

export function taskCurl(visit: ConsoleVisit, body: Body, sessionId?: string): string {
  return curlPost({ ...creationFacts(visit), path: pathIn(sessionId), body })
}

/** Requests the result of the task that `taskCurl` started. */
export const statusCurl = (visit: ConsoleVisit): string =>
  curlGet({ ...creationFacts(visit), path: `${path}/TASK_ID/status` })
