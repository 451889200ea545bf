/** The fields for how a new session's browser appears to pages, and what pages may do. */
import { devices } from '../../../../../proto/session/setup/devices.ts'
import { TextField } from '../../../../html/fields.tsx'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { Toggle } from './toggle.tsx'

/** The names of the fields in REST. */
export const setupNames = {
  device: 'browser.device',
  locale: 'browser.locale',
  timezone: 'browser.timezone',
  geolocation: 'browser.geolocation',
  permissions: 'browser.permissions',
  user_agent: 'browser.user_agent',
  hidden: 'browser.sensitive_data_mask.custom_selectors',
} as const
type SetupName = keyof typeof setupNames

export const setupLabels: Readonly<Record<SetupName, string>> = {
  device: 'Device',
  locale: 'Language',
  timezone: 'Time zone',
  geolocation: 'Place',
  permissions: 'Permissions',
  user_agent: 'User agent',
  hidden: 'Hide elements',
}

const toggles = [
  { name: 'dark', label: 'Prefer dark colours' },
  { name: 'ignore_https_errors', label: 'Accept certificates that are not valid' },
  { name: 'deny_downloads', label: 'Deny downloads' },
  { name: 'block_ads', label: 'Block advertisements and trackers' },
  { name: 'block_images', label: 'Block pictures' },
  { name: 'mask', label: 'Hide passwords, payment cards and one-time codes' },
] as const

export const hasSetup = (form: SubmittedForm): boolean =>
  [...Object.keys(setupNames), ...toggles.map(({ name }) => name)].some(
    (name) => form.given(name) !== undefined,
  )

interface SetupProps {
  readonly field: (name: SetupName) => Parameters<typeof TextField>[0]
  readonly form: SubmittedForm
}

export const SetupFields = ({ field, form }: SetupProps) => (
  <>
    <TextField
      {...field('device')}
      list="devices"
      hint="For example iPhone 15. A phone needs a headless session."
    />
    <datalist id="devices">
      {[...devices.keys()].map((name) => (
        <option value={name}></option>
      ))}
    </datalist>
    <div class="pair">
      <TextField {...field('locale')} hint="For example de-AT." />
      <TextField {...field('timezone')} hint="For example Europe/Vienna." />
    </div>
    <div class="pair">
      <TextField {...field('geolocation')} hint="Latitude, longitude: 48.21, 16.37." />
      <TextField {...field('permissions')} hint="For example geolocation." />
    </div>
    <TextField {...field('user_agent')} hint="If empty, that of Chromium or of the device." />
    <TextField
      {...field('hidden')}
      hint="A CSS selector, for example .customer-name. Nobody who watches sees them."
    />
    <fieldset class="field">
      <legend>Pages</legend>
      <div class="choices">
        {toggles.map(({ name, label }) => (
          <Toggle name={name} label={label} isOn={form.has(name)} />
        ))}
      </div>
    </fieldset>
  </>
)
