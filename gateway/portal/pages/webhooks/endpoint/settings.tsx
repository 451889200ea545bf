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
  { name: 'payload', label: 'What is sent' },
  { name: 'description', label: 'What it is for' },
  { name: 'rate_per_second', label: 'At most, each second' },
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
      hint="An address on the public internet that begins with https://. Messages come as POST."
    />
    <TextField
      {...{ name: 'description', label: 'What it is for', isOptional: true, problem }}
      hint="For those who find it here later."
      value={settings.description}
    />
    <h2 class="of-fields">Events</h2>
    <p class="hint">What it is told of. These are what the grant includes; tick at least one.</p>
    <EventFields permissions={permissions} chosen={settings.events} problem={problem} />
    <h2 class="of-fields">How it is sent</h2>
    <ChoiceField
      {...{ name: 'payload', label: 'What is sent', kind: 'radio', problem }}
      chosen={[settings.payload]}
      choices={[
        {
          value: 'thin',
          label: 'Ids alone',
          hint: 'Your program fetches the rest with a token, so reading is allowed and logged then.',
        },
        {
          value: 'full',
          label: 'The record too',
          hint: 'As the grant shows it at that moment.',
        },
      ]}
    />
    <TextField
      {...{ name: 'rate_per_second', label: 'At most, each second', problem }}
      {...{ inputmode: 'numeric', width: 'short', value: settings.rate }}
      hint={`Messages to this endpoint, from 1 to ${limits.ratePerSecondMost}.`}
    />
  </>
)
