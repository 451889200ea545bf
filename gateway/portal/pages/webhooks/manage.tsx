/** The actions on an endpoint for the holder of its grant. */
import type { EndpointView } from '../../../../proto/access/endpoint.ts'
import { dayMs } from '../../../../proto/access/limits.ts'
import { webhookLimits as limits } from '../../../../proto/access/webhook-limits.ts'
import { LongField, SelectField, TextField } from '../../html/fields.tsx'
import { Folded, PostForm, Submit } from '../../html/form.tsx'
import { Section } from '../../html/parts.tsx'
import type { Problem } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { localText } from '../../words/times.ts'
import { testTypes } from './events.tsx'

interface Props {
  readonly visit: Visit
  readonly endpoint: EndpointView
  readonly problem: Problem | undefined
}

/** Only the form that was sent shows its problem. */
const problemOf = ({ visit, problem }: Props, verb: string) =>
  visit.verb === verb ? problem : undefined

const actionOf = ({ visit, endpoint }: Props, verb: string) =>
  visit.at(`/webhooks/${endpoint.id}/${verb}`)

export const Manage = (props: Props) => {
  const { status, statusReason } = props.endpoint
  const isLive = status === 'active' || status === 'pending'
  return (
    <Section title="Manage">
      {status === 'active' ? <Test {...props} /> : ''}
      {status === 'active' ? <Recover {...props} /> : ''}
      {isLive ? <Pause {...props} /> : ''}
      {status === 'disabled' && statusReason !== 'grant_ended' ? <Resume {...props} /> : ''}
      <Remove {...props} />
    </Section>
  )
}

const Test = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'test')
  return (
    <Folded label="Send a test" isOpen={problem !== undefined}>
      <PostForm visit={visit} action={actionOf(props, 'test')} class="narrow">
        <p>One message as if it had happened, once. It says that it is a test.</p>
        <SelectField
          {...{ name: 'event_type', label: 'Type of event', problem }}
          value={visit.form.given('event_type')}
          choices={testTypes(endpoint.events).map((type) => ({ value: type, label: type }))}
        />
        <Submit>Send the test</Submit>
      </PostForm>
    </Folded>
  )
}

const Recover = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'recover')
  const { form, zone, now } = visit
  const sinceMs = Math.max(endpoint.failingSinceMs ?? now - dayMs, now - limits.recoverMs + dayMs)
  return (
    <Folded label="Recover what did not arrive" isOpen={problem !== undefined}>
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
        <Submit>Send it again</Submit>
      </PostForm>
    </Folded>
  )
}

const Pause = (props: Props) => {
  const { visit, endpoint } = props
  const problem = problemOf(props, 'disable')
  return (
    <Folded label="Pause it" isOpen={problem !== undefined}>
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
        <Submit>Pause it</Submit>
      </PostForm>
    </Folded>
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
    <Submit>Switch it on again</Submit>
  </PostForm>
)

const Remove = (props: Props) => (
  <Folded label="Remove it" isOpen={problemOf(props, 'remove') !== undefined}>
    <PostForm
      visit={props.visit}
      action={actionOf(props, 'remove')}
      seen={props.endpoint.version}
      class="narrow"
    >
      <p>It ends for good, with its secrets. What was sent stays in the list of deliveries.</p>
      <Submit kind="danger">Remove it for good</Submit>
    </PostForm>
  </Folded>
)
