/** Starts a task, and shows the code that starts an equal one. */
import { isNotFound } from '../../../../../proto/errors.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { SubmittedForm } from '../../../../html/forms/form.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { FoldedSample, KeyVariableHint } from '../../../../html/code/code-sample.tsx'
import type { ConsoleOutcome } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { badField } from '../../../../routing/schemas/validate.ts'
import { configuredProviders } from '../../../../tasks/providers.ts'
import { startedJson } from '../../../../tasks/json/task-json.ts'
import { creationFacts } from '../../sessions/create/creation-facts.ts'
import { NewTaskFields, namedTaskFields } from './task-fields.tsx'
import { assertSchemaIsJson, statusCurl, taskCurl, taskOrderBody } from './task-order.ts'

export async function createTask(visit: ConsoleVisit): Promise<ConsoleOutcome> {
  const { form } = visit
  // The script requests this too, to keep the code current while the form is being filled in.
  if (form.has('preview')) return newTaskPage(visit)
  assertSchemaIsJson(form)
  const sessionId = form.given('session')
  const call = {
    body: taskOrderBody(form),
    once: form.text('once'),
    ...(sessionId !== undefined && { query: { sessionId } }),
  }
  try {
    const route = 'POST /v1/tools/perform-web-task'
    const { data } = await visit.run(route, call, startedJson, tenantOf(visit, sessionId))
    return { to: visit.at(`/tasks/${data.id}`), notice: 'task-started' }
  } catch (error) {
    if (sessionId === undefined || !isNotFound(error)) throw error
    throw badField('sessionId', 'sessionId must be the id of a running session.')
  }
}

/**
 * A task in a session of another tenant belongs to that tenant; only a key with `admin` sees such a
 * session.
 */
function tenantOf(visit: ConsoleVisit, sessionId: string | undefined): string | undefined {
  const session = sessionId === undefined ? undefined : visit.deps.views.get(sessionId)
  return session && visit.sees(session.tenant) ? session.tenant : undefined
}

export async function newTaskPage(visit: ConsoleVisit, problem?: FormProblem) {
  const form = formOf(visit)
  const sessionId = form.given('session')
  const tenant = tenantOf(visit, sessionId) ?? visit.facts.principal.tenant
  const providers = await configuredProviders(visit.deps, tenant)
  return {
    title: 'New task',
    lead: 'An AI model works on a goal in a browser. Only the goal is required.',
    up: { href: visit.at('/tasks'), label: 'Tasks' },
    body: (
      <>
        <ErrorSummary problem={problem} fields={namedTaskFields} />
        <div class="beside">
          <PostForm visit={visit} action={visit.at('/tasks/new')} isOnce>
            <NewTaskFields visit={visit} form={form} problem={problem} providers={providers} />
            <div class="buttons ends">
              <SubmitButton>Run task</SubmitButton>
              <SubmitButton kind="plain" name="preview" value="yes">
                Update the code
              </SubmitButton>
            </div>
          </PostForm>
          <CodeOf visit={visit} form={form} sessionId={sessionId} usual={providers.usual} />
        </div>
      </>
    ),
  } satisfies PageContent
}

/** A link may prefill the session. */
function formOf(visit: ConsoleVisit): SubmittedForm {
  const session = visit.asked('session')
  if (visit.facts.request.method === 'POST' || session === undefined) return visit.form
  return new SubmittedForm(new URLSearchParams({ session }))
}

interface CodeFacts {
  readonly visit: ConsoleVisit
  readonly form: SubmittedForm
  readonly sessionId: string | undefined
  readonly usual: string | undefined
}

const CodeOf = ({ visit, form, sessionId, usual }: CodeFacts) => {
  const { prompt = 'What is on this page?', ...body } = taskOrderBody(form)
  const order = { prompt, ...(usual !== undefined && { provider: usual }), ...body }
  return (
    <section class="code" id="code" aria-labelledby="s-code">
      <h2 id="s-code">Do the same from code</h2>
      <KeyVariableHint usesDevKey={creationFacts(visit).usesDevKey} />
      <p class="quiet">
        The response contains the id of the task. Without <code>async</code>, the request waits for
        the result.
      </p>
      <FoldedSample
        id="code-shell"
        label="Shell, with curl"
        text={taskCurl(visit, order, sessionId)}
        isOpen
      />
      <FoldedSample id="code-status" label="Get the result" text={statusCurl(visit)} isOpen />
    </section>
  )
}
