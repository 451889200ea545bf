/**
 * Converts the form of a new session to the creation body of REST, without fields that have their
 * default value.
 */
import { sessionDefaults } from '../../../../../proto/session/session.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import {
  nonEmptyListIn,
  numberIn,
  definedFields,
  unlessDefault,
} from '../../../html/form-values.ts'

type Body = Readonly<Record<string, unknown>>

/** Checkboxes of the browser: field, label, and default value. */
export const browserToggles = [
  { name: 'fullscreen', label: 'Start full screen', byDefault: false },
  { name: 'popup_blocker', label: 'Block pop-ups that open without a click', byDefault: true },
  { name: 'force_popups_as_tabs', label: 'Open pop-up windows as tabs', byDefault: false },
  {
    name: 'pdf_viewer',
    label: 'Show PDFs in the page instead of downloading them',
    byDefault: true,
  },
  { name: 'evaluate', label: 'Allow callers to run scripts in pages', byDefault: false },
  { name: 'tracing', label: 'Record a trace of each command', byDefault: false },
  { name: 'disable_web_security', label: 'Turn off the same-origin policy', byDefault: false },
] as const

/** `recordsAll`: whether the service records sessions that do not say so themselves. */
export function creationBody(form: SubmittedForm, recordsAll: boolean): Body {
  const { viewport, maxDurationMinutes, idleTimeoutMinutes } = sessionDefaults
  const isHeadless = form.text('kind') === 'headless'
  return (
    definedFields({
      session: definedFields({
        initial_url: form.given('initial_url'),
        tags: nonEmptyListIn(form.text('tags')),
        timeout: definedFields({
          max_duration: unlessDefault(numberIn(form.given('max_duration')), maxDurationMinutes),
          idle_timeout: unlessDefault(numberIn(form.given('idle_timeout')), idleTimeoutMinutes),
        }),
        proxy: proxyIn(form),
        network: networkIn(form),
        recording: recordingIn(form, recordsAll),
        live_view: definedFields({
          read_only: form.has('read_only') ? true : undefined,
          one_time_url: form.has('one_time_url') ? true : undefined,
        }),
      }),
      browser: definedFields({
        headless: isHeadless ? { active: true } : undefined,
        viewport: definedFields({
          width: unlessDefault(numberIn(form.given('width')), viewport.width),
          height: unlessDefault(numberIn(form.given('height')), viewport.height),
        }),
        profile: profileIn(form),
        extensions: listUnlessEmpty(form.all('extensions')),
        ...setupIn(form),
        ...togglesIn(form),
      }),
    }) ?? {}
  )
}

const listUnlessEmpty = (list: readonly string[]) => (list.length > 0 ? list : undefined)

function profileIn(form: SubmittedForm): Body | undefined {
  const name = form.given('profile')
  return name === undefined ? undefined : { name, ...(form.has('persist') && { persist: true }) }
}

/** What REST checks, and answers for, is passed on as it was typed. */
function setupIn(form: SubmittedForm): Body {
  const [latitude, longitude] = (form.given('geolocation') ?? '').split(',').map(Number)
  return (
    definedFields({
      device: form.given('device'),
      locale: form.given('locale'),
      timezone: form.given('timezone'),
      geolocation: form.given('geolocation') === undefined ? undefined : { latitude, longitude },
      permissions: nonEmptyListIn(form.text('permissions')),
      user_agent: form.given('user_agent'),
      color_scheme: form.has('dark') ? 'dark' : undefined,
      ignore_https_errors: form.has('ignore_https_errors') ? true : undefined,
      downloads: form.has('deny_downloads') ? 'deny' : undefined,
      block: definedFields({
        ...(form.has('block_ads') && { ads: true, trackers: true }),
        ...(form.has('block_images') && { images: true }),
      }),
      sensitive_data_mask: maskIn(form),
    }) ?? {}
  )
}

function maskIn(form: SubmittedForm): Body | undefined {
  const hidden = form.given('hidden')
  if (hidden === undefined && !form.has('mask')) return undefined
  return { active: true, ...(hidden !== undefined && { custom_selectors: [hidden] }) }
}

function proxyIn(form: SubmittedForm): Body | undefined {
  const server = form.given('proxy_server')
  if (server === undefined) return undefined
  const login = definedFields({
    username: form.given('proxy_username'),
    password: form.exact('proxy_password') || undefined,
  })
  return { active: true, type: 'custom', server, ...login }
}

function networkIn(form: SubmittedForm): Body | undefined {
  return definedFields({
    allow: nonEmptyListIn(form.text('allow')),
    deny: nonEmptyListIn(form.text('deny')),
    allow_private: form.has('allow_private') ? true : undefined,
  })
}

function recordingIn(form: SubmittedForm, recordsAll: boolean): Body | undefined {
  const active = isTicked(form, 'recording', recordsAll)
  return active === recordsAll ? undefined : { active }
}

/** An unchecked box sends nothing, so the boxes count only in a form that has been submitted. */
export const isTicked = (form: SubmittedForm, name: string, byDefault: boolean): boolean =>
  form.has('kind') ? form.has(name) : byDefault

function togglesIn(form: SubmittedForm): Readonly<Record<string, unknown>> {
  const changed = browserToggles.filter(
    ({ name, byDefault }) => isTicked(form, name, byDefault) !== byDefault,
  )
  return Object.fromEntries(changed.map(({ name }) => [name, { active: form.has(name) }]))
}
