/** The form of a new session, as the creation body of REST; what is left at its default is left out. */
import { sessionDefaults } from '../../../../../proto/session/session.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import { anyIn, numberIn, someOf, unlessUsual } from '../../../html/form-values.ts'

type Body = Readonly<Record<string, unknown>>

/** Checkboxes of the browser: field, label, and the value that is the default. */
export const browserToggles = [
  { name: 'fullscreen', label: 'Start full screen', byDefault: false },
  { name: 'popup_blocker', label: 'Block pop-ups that open without a click', byDefault: true },
  { name: 'force_popups_as_tabs', label: 'Open pop-up windows as tabs', byDefault: false },
  {
    name: 'pdf_viewer',
    label: 'Show PDFs in the page instead of downloading them',
    byDefault: true,
  },
  { name: 'evaluate', label: 'Let callers run scripts in pages', byDefault: false },
  { name: 'tracing', label: 'Trace: record what each command does', byDefault: false },
  { name: 'disable_web_security', label: 'Switch the same-origin policy off', byDefault: false },
] as const

export function creationBody(form: SubmittedForm): Body {
  const { viewport, maxDurationMinutes, idleTimeoutMinutes } = sessionDefaults
  const isHeadless = form.text('kind') === 'headless'
  return (
    someOf({
      session: someOf({
        initial_url: form.given('initial_url'),
        tags: anyIn(form.text('tags')),
        timeout: someOf({
          max_duration: unlessUsual(numberIn(form.given('max_duration')), maxDurationMinutes),
          idle_timeout: unlessUsual(numberIn(form.given('idle_timeout')), idleTimeoutMinutes),
        }),
        proxy: proxyIn(form),
        network: networkIn(form),
        live_view: form.has('read_only') ? { read_only: true } : undefined,
      }),
      browser: someOf({
        headless: isHeadless ? { active: true } : undefined,
        viewport: someOf({
          width: unlessUsual(numberIn(form.given('width')), viewport.width),
          height: unlessUsual(numberIn(form.given('height')), viewport.height),
        }),
        ...togglesIn(form),
      }),
    }) ?? {}
  )
}

function proxyIn(form: SubmittedForm): Body | undefined {
  const server = form.given('proxy_server')
  if (server === undefined) return undefined
  const login = someOf({
    username: form.given('proxy_username'),
    password: form.exact('proxy_password') || undefined,
  })
  return { active: true, type: 'custom', server, ...login }
}

function networkIn(form: SubmittedForm): Body | undefined {
  return someOf({
    allow: anyIn(form.text('allow')),
    deny: anyIn(form.text('deny')),
    allow_private: form.has('allow_private') ? true : undefined,
  })
}

/** An unchecked box sends nothing, so the boxes count only in a form that has been sent. */
function togglesIn(form: SubmittedForm): Readonly<Record<string, unknown>> {
  if (!form.has('kind')) return {}
  const changed = browserToggles.filter(({ name, byDefault }) => form.has(name) !== byDefault)
  return Object.fromEntries(changed.map(({ name }) => [name, { active: form.has(name) }]))
}
