/** The page that asks for a key, and signing out. */
import { ServiceError } from '../../../proto/errors.ts'
import type { Route } from '../../routing/route.ts'
import { htmlRoute, type HtmlCall } from '../../routing/html-route.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import { pathWithin } from '../../html/answers/local-path.ts'
import { pageReply, redirectReply } from '../../html/answers/page-reply.ts'
import { TextField } from '../../html/fields.tsx'
import { ErrorSummary, hiddenField, SubmitButton } from '../../html/form.tsx'
import { checkForm, formToken, formTokenField, newHolder } from '../../html/forms/form-token.ts'
import { readForm } from '../../html/forms/form.ts'
import type { FormProblem } from '../../html/forms/problem.ts'
import type { PageContent } from '../../html/page-content.ts'
import { NoticeBox } from '../../html/parts.tsx'
import { BareConsolePage } from '../html/frame.tsx'
import { consoleNotice } from '../html/notices.ts'
import { consoleLimits } from '../limits.ts'
import type { ConsoleDeps } from '../deps.ts'
import type { ConsoleCookies } from './console-cookies.ts'

const consoleSignIn = '/console/sign-in'
const signOut = '/console/sign-out'

type EntryDeps = ConsoleDeps & { readonly cookies: ConsoleCookies }

export function consoleEntryRoutes(deps: EntryDeps): readonly Route[] {
  return [
    htmlRoute('GET', consoleSignIn, async ({ request }) => entryReply(deps, request, {})),
    htmlRoute('POST', consoleSignIn, (asked) => signIn(deps, asked)),
    htmlRoute('POST', signOut, (asked) => dropKey(deps, asked)),
    htmlRoute('GET', signOut, async () => redirectReply('/console')),
  ]
}

/** The URL of the sign-in page, which leads back to `request` afterwards. */
export function consoleSignInPath(
  { method, path, query }: HttpRequest,
  notice?: 'signed-in-over',
): string {
  const search = query.toString()
  const back = method === 'GET' && search !== '' ? `${path}?${search}` : path
  const asked = new URLSearchParams({ next: back, ...(notice && { told: notice }) })
  return `${consoleSignIn}?${asked}`
}

/** Undefined for anything but a path of the console, or the API reference. */
const consolePath = (text: string | null | undefined): string | undefined =>
  text === '/docs/api' ? text : pathWithin(text, ['/console'])

async function signIn(deps: EntryDeps, { request }: HtmlCall): Promise<HttpReply> {
  const { cookies, auth, audit } = deps
  const form = await readForm(request)
  const next = consolePath(form.given('next'))
  try {
    checkForm(request, form.exact(formTokenField), cookies.form(request))
    const key = form.text('key')
    if (key === '') throw new ServiceError('unauthorized', 'Enter a key.', { field: 'key' })
    if (key.length > consoleLimits.keyChars) throw tooLong()
    auth.byTypedKey(key, request)
    return redirectReply(next ?? '/console', cookies.hold(request, key))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error
    if (error.type === 'unauthorized') audit.keyRefused(request, `POST ${consoleSignIn}`)
    return entryReply(deps, request, { next, problem: { error, fields: ['key'] } })
  }
}

const tooLong = () =>
  new ServiceError('unauthorized', 'This is too long to be a key. Check what you pasted.')

/** The key stays valid; it is only removed from this browser. */
async function dropKey({ cookies }: EntryDeps, { request }: HtmlCall): Promise<HttpReply> {
  const form = await readForm(request)
  const held = cookies.held(request)
  if (held) checkForm(request, form.exact(formTokenField), held.holder)
  return redirectReply(`${consoleSignIn}?told=signed-out`, cookies.drop(request))
}

interface Entry {
  readonly next?: string | undefined
  readonly problem?: FormProblem
}

function entryReply(deps: EntryDeps, request: HttpRequest, { next, problem }: Entry): HttpReply {
  const { cookies, devKeyRule } = deps
  const known = cookies.form(request)
  const holder = known ?? newHolder()
  const told = request.method === 'GET' ? consoleNotice(request.query.get('told')) : undefined
  const back = next ?? consolePath(request.query.get('next'))
  const devKey = devKeyRule.whyNot(request) === undefined ? devKeyRule.wellKnown : undefined
  const shown = SignInContent({ token: formToken(holder), back, devKey, problem })
  const notice = told && NoticeBox({ tone: told.tone, title: told.text })
  const cookie = known === undefined ? cookies.setForm(request, holder) : undefined
  const status = problem?.error.status ?? 200
  return pageReply({ request, cookies, cookie }, status, BareConsolePage({ shown, notice }))
}

interface SignInFacts {
  readonly token: string
  readonly back: string | undefined
  /** The development key, if it is the well-known one and may be used here. */
  readonly devKey: string | undefined
  readonly problem: FormProblem | undefined
}

const SignInContent = ({ token, back, devKey, problem }: SignInFacts): PageContent => ({
  title: 'Sign in to the console',
  lead: 'See and run browser sessions. Sign in with an API key of this service.',
  body: (
    <>
      <ErrorSummary problem={problem} />
      <form method="post" action={consoleSignIn} class="card">
        {hiddenField(formTokenField, token)}
        {back === undefined ? '' : hiddenField('next', back)}
        <TextField
          name="key"
          label="API key"
          type="password"
          autocomplete="current-password"
          hint={<KeyHint devKey={devKey} />}
        />
        <SubmitButton>Sign in</SubmitButton>
      </form>
      <p class="quiet">
        The key is stored encrypted in a cookie of this browser for 12 hours. It appears in no page.
      </p>
    </>
  ),
})

const KeyHint = ({ devKey }: { devKey: string | undefined }) =>
  devKey === undefined ? (
    <>
      Starts with <code>trp_</code>. The operator creates one with{' '}
      <code>npm run troupe -- keys create</code>.
    </>
  ) : (
    <>
      On this machine, the development key <code>{devKey}</code> works.
    </>
  )
