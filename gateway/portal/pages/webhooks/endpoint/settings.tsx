/** The settings of an endpoint, as form fields and as a REST body. */
import type { Permission } from '../../../../../proto/access/permissions.ts'
import { webhookLimits as limits } from '../../../../../proto/access/webhooks/webhook-limits.ts'
import { ChoiceField, TextField } from '../../../../html/fields.tsx'
import type { NamedField } from '../../../../html/form.tsx'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import { EventFields, eventsId } from './events.tsx'

export interface EndpointFormSettings {
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly payload: string
  readonly rate: string
}

export const noSettings: EndpointFormSettings = {
  ...{ url: '', description: '', events: [], payload: 'thin' },
  rate: String(limits.ratePerSecond),
}

export const settingsIn = (form: SubmittedForm): EndpointFormSettings => ({
  url: form.text('url'),
  description: form.text('description'),
  events: form.all('events'),
  payload: form.text('payload'),
  rate: form.text('rate_per_second'),
})

/** Text that is not a number is passed on, so that the route reports the error. */
export const settingsBody = ({ rate, ...settings }: EndpointFormSettings) => ({
  ...settings,
  rate_per_second: /^\d{1,9}$/.test(rate) ? Number(rate) : rate,
})

export const settingFields: readonly NamedField[] = [
  { name: 'url', label: 'URL' },
  { name: 'events', id: eventsId, label: 'Events' },
  { name: 'payload', label: 'Payload' },
  { name: 'description', label: 'Description' },
  { name: 'rate_per_second', label: 'Messages per second' },
]

export const SettingFields = ({
  permissions,
  settings,
  problem,
}: {
  permissions: readonly Permission[]
  settings: EndpointFormSettings
  problem: FormProblem | undefined
}) => (
  <>
    <TextField
      {...{ name: 'url', label: 'URL', type: 'url', value: settings.url, problem }}
      hint="A public address that starts with https://. Messages are sent with POST."
    />
    <TextField
      {...{ name: 'description', label: 'Description', isOptional: true, problem }}
      hint="What the endpoint is for."
      value={settings.description}
    />
    <h2 class="of-fields">Events</h2>
    <p class="hint">The events to send. Choose at least one of those that the grant includes.</p>
    <EventFields permissions={permissions} chosen={settings.events} problem={problem} />
    <h2 class="of-fields">Delivery</h2>
    <ChoiceField
      {...{ name: 'payload', label: 'Payload', kind: 'radio', problem }}
      chosen={[settings.payload]}
      choices={[
        {
          value: 'thin',
          label: 'IDs only',
          hint: 'Your program fetches the record with a token. Access is checked and logged at that time.',
        },
        {
          value: 'full',
          label: 'Full record',
          hint: 'The record as the grant shows it when the message is sent.',
        },
      ]}
    />
    <TextField
      {...{ name: 'rate_per_second', label: 'Messages per second', problem }}
      {...{ inputmode: 'numeric', width: 'short', value: settings.rate }}
      hint={`The most to send to this endpoint, from 1 to ${limits.ratePerSecondMost}.`}
    />
  </>
)
