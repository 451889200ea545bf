/** Signing out and staying signed in: the two actions that every page has. */
import { ServiceError } from '../../../proto/errors.ts'
import type { PersonCaller } from '../../routing/auth/access-caller.ts'
import type { Route } from '../../routing/route.ts'
import { readForm } from '../../html/forms/form.ts'
import { htmlRoute, type HtmlCall } from '../../routing/html-route.ts'
import { localPath } from '../serve/local-path.ts'
import { redirectReply } from '../../html/answers/page-reply.ts'
import type { ServeDeps } from '../serve/serve.ts'
import { checkForm, formTokenField } from '../../html/forms/form-token.ts'

const outPath = '/portal/sign-in?told=signed-out'

export function signOutRoutes(deps: ServeDeps): readonly Route[] {
  return [
    htmlRoute('POST', '/portal/sign-out', (asked) => signOut(deps, asked)),
    htmlRoute('POST', '/portal/stay', (asked) => staySignedIn(deps, asked)),
    ...['/portal/sign-out', '/portal/stay'].map((path) =>
      htmlRoute('GET', path, async () => redirectReply('/portal')),
    ),
  ]
}

async function signOut(deps: ServeDeps, asked: HtmlCall) {
  const { request, requestId } = asked
  const { cookies, acts } = deps
  const found = await holderOf(deps, asked)
  if (found) await acts.do({ request, requestId, caller: found.caller }, 'DELETE /v1/sign-in')
  return redirectReply(outPath, cookies.dropSession(request))
}

/** Renews the time of the last activity in the cookie. */
async function staySignedIn(deps: ServeDeps, asked: HtmlCall) {
  const { request } = asked
  const { cookies, clock } = deps
  const found = await holderOf(deps, asked)
  if (!found) return redirectReply('/portal/sign-in')
  const back = localPath(found.back) ?? '/portal'
  const to = `${back}?told=still-here`
  return redirectReply(to, cookies.setSession(request, found.text, clock.now()))
}

interface Found {
  readonly caller: PersonCaller
  readonly text: string
  readonly back: string | undefined
}

/** Undefined if the session has ended. Throws for a form that does not come from our pages. */
async function holderOf(deps: ServeDeps, asked: HtmlCall): Promise<Found | undefined> {
  const { request, requestId } = asked
  const { cookies, services } = deps
  const form = await readForm(request)
  const held = cookies.session(request)
  if (!held) return undefined
  checkForm(request, form.exact(formTokenField), held.text)
  try {
    const origin = { requestId, address: services.addressOf(request) }
    const caller = services.authenticator.bySession(held.text, origin)
    return { caller, text: held.text, back: form.given('back') }
  } catch (error) {
    if (error instanceof ServiceError && error.type === 'invalid_token') return undefined
    throw error
  }
}
