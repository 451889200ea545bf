/** The actions on an endpoint for the holder of its grant. */
import type { EndpointView } from '../../../../../proto/access/webhooks/endpoint.ts'
import { dayMs } from '../../../../../proto/units.ts'
import { webhookLimits as limits } from '../../../../../proto/access/webhooks/webhook-limits.ts'
import { LongField, SelectField, TextField } from '../../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { PageSection } from '../../../../html/parts.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { Visit } from '../../../visit.ts'
import { localText } from '../../../../html/times.ts'
import { testTypes } from './events.tsx'

interface Props {
  readonly visit: Visit
  readonly endpoint: EndpointView
  readonly problem: FormProblem | undefined
}

/** Only the form that was sent shows its problem. */
const problemOf = ({ visit, problem }: Props, verb: string) =>
  visit.verb === verb ? problem : undefined

const actionOf = ({ visit, endpoint }: Props, verb: string) =>
  visit.at(`/webhooks/${endpoint.id}/${verb}`)

export const ManageEndpoint = (props: Props) => {
  const { status, statusReason } = props.endpoint
  const isLive = status === 'active' || status === 'pending'
  return (
    <PageSection title="Manage">
      {status === 'active' ? <Test {...props} /> : ''}
      {status === 'active' ? <Recover {...props} /> : ''}
      {isLive ? <Pause {...props} /> : ''}
      {status === 'disabled' && statusReason !== 'grant_ended' ? <Resume {...props} /> : ''}
      <Remove {...props} />
    </PageSection>
  )
}

const Test = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'test')
  return (
    <Collapsible label="Send a test event" isOpen={problem !== undefined}>
      <PostForm visit={visit} action={actionOf(props, 'test')} class="narrow">
        <p>Sends one sample event, which is marked as a test. It is not retried.</p>
        <SelectField
          {...{ name: 'event_type', label: 'Event type', problem }}
          value={visit.form.given('event_type')}
          choices={testTypes(endpoint.events).map((type) => ({ value: type, label: type }))}
        />
        <SubmitButton>Send test event</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

const Recover = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'recover')
  const { form, zone, now } = visit
  const sinceMs = Math.max(endpoint.failingSinceMs ?? now - dayMs, now - limits.recoverMs + dayMs)
  return (
    <Collapsible label="Recover missed events" isOpen={problem !== undefined}>
      <PostForm visit={visit} action={actionOf(props, 'recover')} isOnce class="narrow">
        <p>
          Events from a period that were not delivered are sent again, oldest first. You can go back
          at most {limits.recoverMs / dayMs} days.
        </p>
        <TextField
          {...{ name: 'since', label: 'Since', type: 'datetime-local', width: 'middle', problem }}
          hint={`Time zone: ${zone}.`}
          value={form.given('since') ?? localText(sinceMs, zone)}
        />
        <TextField
          {...{ name: 'until', label: 'Until', type: 'datetime-local', width: 'middle', problem }}
          hint="If empty, until now."
          value={form.given('until')}
          isOptional
        />
        <SubmitButton>Recover events</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

const Pause = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'disable')
  return (
    <Collapsible label="Pause" isOpen={problem !== undefined}>
      <PostForm
        visit={visit}
        action={actionOf(props, 'disable')}
        seen={endpoint.version}
        class="narrow"
      >
        <p>
          While the endpoint is paused, nothing is sent, and waiting deliveries are cancelled. You
          can recover missed events afterwards.
        </p>
        <LongField
          {...{ name: 'reason', id: 'reason-disable', label: 'Reason', rows: 2, problem }}
          hint="At least 10 characters. Kept in the audit."
          value={problem ? visit.form.text('reason') : ''}
        />
        <SubmitButton>Pause the endpoint</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

const Resume = (props: Props) => (
  <PostForm
    visit={props.visit}
    action={actionOf(props, 'enable')}
    seen={props.endpoint.version}
    class="standing"
  >
    <p>The endpoint must be verified with a ping again. Then it receives events again.</p>
    <SubmitButton>Enable the endpoint</SubmitButton>
  </PostForm>
)

const Remove = (props: Props) => (
  <Collapsible label="Remove" isOpen={problemOf(props, 'remove') !== undefined}>
    <PostForm
      visit={props.visit}
      action={actionOf(props, 'remove')}
      seen={props.endpoint.version}
      class="narrow"
    >
      <p>The endpoint and its secrets are removed permanently. Past deliveries stay in the list.</p>
      <SubmitButton kind="danger">Remove the endpoint</SubmitButton>
    </PostForm>
  </Collapsible>
)
