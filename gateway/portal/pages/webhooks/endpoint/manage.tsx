/** The actions on an endpoint for the holder of its grant. */
import type { EndpointView } from '../../../../../proto/access/webhooks/endpoint.ts'
import { dayMs } from '../../../../../proto/access/limits.ts'
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
    <Collapsible label="Send a test" isOpen={problem !== undefined}>
      <PostForm visit={visit} action={actionOf(props, 'test')} class="narrow">
        <p>One message as if it had happened, once. It says that it is a test.</p>
        <SelectField
          {...{ name: 'event_type', label: 'Type of event', problem }}
          value={visit.form.given('event_type')}
          choices={testTypes(endpoint.events).map((type) => ({ value: type, label: type }))}
        />
        <SubmitButton>Send the test</SubmitButton>
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
    <Collapsible label="Recover what did not arrive" isOpen={problem !== undefined}>
      <PostForm visit={visit} action={actionOf(props, 'recover')} isOnce class="narrow">
        <p>
          What happened in a time and did not arrive is sent again, oldest first. That time is{' '}
          {limits.recoverMs / dayMs} days at most.
        </p>
        <TextField
          {...{ name: 'since', label: 'Since', type: 'datetime-local', width: 'middle', problem }}
          hint={`In the time zone ${zone}.`}
          value={form.given('since') ?? localText(sinceMs, zone)}
        />
        <TextField
          {...{ name: 'until', label: 'Until', type: 'datetime-local', width: 'middle', problem }}
          hint="Now, where it is left empty."
          value={form.given('until')}
          isOptional
        />
        <SubmitButton>Send it again</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

const Pause = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'disable')
  return (
    <Collapsible label="Pause it" isOpen={problem !== undefined}>
      <PostForm
        visit={visit}
        action={actionOf(props, 'disable')}
        seen={endpoint.version}
        class="narrow"
      >
        <p>
          Nothing is sent while it is paused, and what waits is cancelled. What happens meanwhile
          can be recovered afterwards.
        </p>
        <LongField
          {...{ name: 'reason', id: 'reason-disable', label: 'Reason', rows: 2, problem }}
          hint="At least 10 characters. It is kept in the audit."
          value={problem ? visit.form.text('reason') : ''}
        />
        <SubmitButton>Pause it</SubmitButton>
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
    <p>It proves once more whose it is, with a ping, and is told of events again.</p>
    <SubmitButton>Switch it on again</SubmitButton>
  </PostForm>
)

const Remove = (props: Props) => (
  <Collapsible label="Remove it" isOpen={problemOf(props, 'remove') !== undefined}>
    <PostForm
      visit={props.visit}
      action={actionOf(props, 'remove')}
      seen={props.endpoint.version}
      class="narrow"
    >
      <p>It ends for good, with its secrets. What was sent stays in the list of deliveries.</p>
      <SubmitButton kind="danger">Remove it for good</SubmitButton>
    </PostForm>
  </Collapsible>
)
