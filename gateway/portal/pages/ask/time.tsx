/** The third step: end and reason. It creates a draft, which is checked before it is sent. */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { dayMs } from '../../../../proto/units.ts'
import type { RequestView } from '../../../../proto/access/grants/request.ts'
import { LongField, SelectField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, hiddenField, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { Redirect, PageOutcome } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { Visit } from '../../visit.ts'
import { dayText, dayWord, endOfDay } from '../../../html/times.ts'
import {
  askStateIn,
  chosenScope,
  askClient,
  askStatePairs,
  askedPermissions,
  requestBeingRewritten,
  currentScopes,
  stepHref,
  type AskState,
} from './state.ts'
import { firstStepGap } from './areas.tsx'
import { StepList } from './steps.tsx'

const usualDays = 28
const fields = [
  { name: 'ends_at', label: 'Last day' },
  { name: 'justification', label: 'Reason' },
]

export async function showTime(visit: Visit, problem?: FormProblem): Promise<PageOutcome> {
  const asking = askStateIn(visit)
  const back = firstStepGap(asking)
  if (back) return { to: stepHref(visit, '', [...askStatePairs(asking), ['missing', back]]) }
  if (asking.areas.length === 0) {
    return { to: stepHref(visit, '/areas', [...askStatePairs(asking), ['missing', 'areas']]) }
  }
  const request = await requestBeingRewritten(visit, asking)
  const latestMs = latestFor(visit, asking)
  return {
    title: 'Duration and reason',
    lead: 'Access cannot be extended. If you need it for longer, submit a new request before it ends.',
    up: { href: stepHref(visit, '/areas', askStatePairs(asking)), label: 'Back to the areas' },
    body: (
      <>
        <StepList at={2} />
        <PostForm visit={visit} action={visit.at('/ask/time')} isOnce class="narrow">
          <ErrorSummary problem={problem} fields={fields} />
          {askStatePairs(asking).map(([name, value]) => hiddenField(name, value))}
          {request === undefined ? '' : hiddenField('seen', String(request.version))}
          <End
            visit={visit}
            asking={asking}
            request={request}
            latestMs={latestMs}
            problem={problem}
          />
          <LongField
            {...{ name: 'justification', label: 'Reason', problem }}
            hint="At least 20 characters. Tell the reviewers what will be done with the data."
            value={visit.form.given('justification') ?? request?.terms.justification}
          />
          <SubmitButton>Continue</SubmitButton>
        </PostForm>
      </>
    ),
  }
}

/** The latest end that the need and the scope allow. */
function latestFor(visit: Visit, asking: AskState): number {
  const need = visit.find('need', asking.one('need') ?? '')
  const scope = chosenScope(currentScopes(visit, askClient(visit, asking)), asking)
  return Math.min(
    visit.now + limits.grantMs,
    need?.expectedEndAtMs ?? Infinity,
    scope?.terms.effectiveToMs ?? Infinity,
  )
}

const End = ({
  visit,
  asking,
  request,
  latestMs,
  problem,
}: {
  visit: Visit
  asking: AskState
  request: RequestView | undefined
  latestMs: number
  problem: FormProblem | undefined
}) => {
  if (asking.one('emergency') !== undefined) {
    const hours = limits.emergencyMs / 3_600_000
    const choices = Array.from({ length: hours }, (_, i) => String(i + 1))
    return (
      <SelectField
        name="hours"
        label="Duration"
        hint="Counted from now."
        choices={choices.map((value) => ({
          value,
          label: value === '1' ? '1 hour' : `${value} hours`,
        }))}
        value={visit.form.given('hours') ?? '1'}
      />
    )
  }
  const usualMs = Math.min(visit.now + usualDays * dayMs, latestMs - dayMs)
  const day = dayText(request?.terms.endsAtMs ?? usualMs, visit.zone)
  return (
    <TextField
      {...{ name: 'ends_at', label: 'Last day', type: 'date', width: 'short', problem }}
      hint={`${dayWord(latestMs - dayMs, visit.zone)} at the latest. More than 30 days requires two reviewers.`}
      value={visit.form.given('ends_at') ?? day}
    />
  )
}

const drafted = z.object({ data: z.object({ id: z.string() }) })

export async function submitTime(visit: Visit): Promise<Redirect> {
  const asking = askStateIn(visit)
  const { form, deps, facts } = visit
  const client = askClient(visit, asking)
  const request = asking.one('request')
  const body = bodyOf(visit, asking, client)
  if (request !== undefined) {
    const act = { params: { id: request }, seen: form.text('seen'), body }
    await visit.do('PUT /v1/access-requests/{id}', act)
    return { to: visit.at(`/requests/${request}`), notice: 'drafted' }
  }
  const act = { body: { ...body, client_id: client }, once: form.text('once') }
  const { data } = await deps.acts.run(facts, 'POST /v1/access-requests', act, drafted)
  return { to: visit.at(`/requests/${data.id}`), notice: 'drafted' }
}

function bodyOf(visit: Visit, asking: AskState, client: string) {
  const { one, areas } = asking
  const scope = chosenScope(currentScopes(visit, client), asking)
  const isProgram = one('who') === 'program'
  const isEmergency = one('emergency') !== undefined
  const renews = one('renews')
  return {
    scope_id: scope?.scope.id,
    need_id: one('need'),
    path: one('path'),
    subject: isProgram
      ? { kind: 'integration', id: one('program') }
      : { kind: 'person', id: one('who') },
    permissions: scope ? askedPermissions(areas, scope) : [],
    ends_at: isEmergency
      ? new Date(visit.now + Number(visit.form.text('hours')) * 3_600_000).toISOString()
      : endOfDay(visit.form.text('ends_at'), visit.zone),
    justification: visit.form.text('justification'),
    emergency: isEmergency,
    ...defined({ renews_grant_id: renews }),
  }
}
