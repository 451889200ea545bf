/** The form of a new session, as the creation body of REST; what is left at its default is left out. */
import { sessionDefaults } from '../../../../../proto/session/session.ts'
import type { SubmittedForm } from '../../../../html/forms/form.ts'

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
  { name: 'disable_web_security', label: 'Switch the same-origin policy off', byDefault: false },
] as const

/** Text that is no number stays text, so that the route says what is wrong with it. */
const numberIn = (text: string | undefined): number | string | undefined =>
  text === undefined ? undefined : /^-?\d+$/.test(text) ? Number(text) : text

const listIn = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter(Boolean)

/** Without what is undefined; undefined if nothing is left. */
function some(of: Readonly<Record<string, unknown>>): Body | undefined {
  const given = Object.entries(of).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

const unless = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value)

export function creationBody(form: SubmittedForm): Body {
  const { viewport, maxDurationMinutes, idleTimeoutMinutes } = sessionDefaults
  const tags = listIn(form.text('tags'))
  const isHeadless = form.text('kind') === 'headless'
  return (
    some({
      session: some({
        initial_url: form.given('initial_url'),
        tags: tags.length === 0 ? undefined : tags,
        timeout: some({
          max_duration: unless(numberIn(form.given('max_duration')), maxDurationMinutes),
          idle_timeout: unless(numberIn(form.given('idle_timeout')), idleTimeoutMinutes),
        }),
        proxy: proxyIn(form),
        network: networkIn(form),
        live_view: form.has('read_only') ? { read_only: true } : undefined,
      }),
      browser: some({
        headless: isHeadless ? { active: true } : undefined,
        viewport: some({
          width: unless(numberIn(form.given('width')), viewport.width),
          height: unless(numberIn(form.given('height')), viewport.height),
        }),
        ...togglesIn(form),
      }),
    }) ?? {}
  )
}

function proxyIn(form: SubmittedForm): Body | undefined {
  const server = form.given('proxy_server')
  if (server === undefined) return undefined
  const login = some({
    username: form.given('proxy_username'),
    password: form.exact('proxy_password') || undefined,
  })
  return { active: true, type: 'custom', server, ...login }
}

function networkIn(form: SubmittedForm): Body | undefined {
  const [allow, deny] = [listIn(form.text('allow')), listIn(form.text('deny'))]
  return some({
    allow: allow.length === 0 ? undefined : allow,
    deny: deny.length === 0 ? undefined : deny,
    allow_private: form.has('allow_private') ? true : undefined,
  })
}

/** An unchecked box sends nothing, so the boxes count only in a form that has been sent. */
function togglesIn(form: SubmittedForm): Readonly<Record<string, unknown>> {
  if (!form.has('kind')) return {}
  const changed = browserToggles.filter(({ name, byDefault }) => form.has(name) !== byDefault)
  return Object.fromEntries(changed.map(({ name }) => [name, { active: form.has(name) }]))
}
