/**
 * Turns pages into routes: checks the session and the rule, runs the form, and renders the page.
 */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { platformTenant } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { AccessServices } from '../../access/open.ts'
import { callerTenantOf, type PersonCaller } from '../../routing/auth/access-caller.ts'
import { applyRule } from '../../routing/auth/access-rule.ts'
import { asServiceError } from '../../routing/answers/reply.ts'
import type { Route } from '../../routing/route.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import { SubmittedForm, readForm } from '../../html/forms/form.ts'
import { PortalForbiddenHint } from '../html/forbidden-hint.tsx'
import { errorShown } from '../../html/error-page.tsx'
import { FramedPage } from '../html/frame.tsx'
import { noticeTextOf } from '../html/notices.ts'
import { NoticeBox } from '../../html/parts.tsx'
import { htmlRoute, type HtmlCall } from '../../routing/html-route.ts'
import type { PageOutcome, PortalPage, PortalSection } from '../page.ts'
import { problemOf } from '../../html/forms/problem.ts'
import { pageReply, redirectReply } from '../../html/answers/page-reply.ts'
import { checkForm, formToken, formTokenField } from '../../html/forms/form-token.ts'
import type { Cookies } from '../session/cookies.ts'
import { passwordPage, stepUpReply } from '../session/step-up.tsx'
import { Visit, type Surface, type VisitDeps } from '../visit.ts'

export interface ServeDeps extends VisitDeps {
  readonly services: AccessServices
  readonly cookies: Cookies
  readonly sections: readonly PortalSection[]
}

export function sectionRoutes(deps: ServeDeps): readonly Route[] {
  const pages = deps.sections.flatMap((section) => section.pages)
  return pages.flatMap((page) => page.in.flatMap((surface) => pageRoutes(deps, page, surface)))
}

function pageRoutes(deps: ServeDeps, page: PortalPage, surface: Surface): Route[] {
  const path = `/${surface}${page.path}`
  const methods = page.submit ? (['GET', 'POST'] as const) : (['GET'] as const)
  return methods.map((method) =>
    htmlRoute(method, path, (asked) => serve(deps, page, surface, asked)),
  )
}

async function serve(
  deps: ServeDeps,
  page: PortalPage,
  surface: Surface,
  asked: HtmlCall,
): Promise<HttpReply> {
  const entered = await enter(deps, surface, asked)
  if ('reply' in entered) return entered.reply
  const { visit, cookie } = entered
  const { caller } = visit.facts
  const route = `${asked.request.method} /${surface}${page.path}`
  try {
    deps.services.rates.request(caller.person.id, callerTenantOf(caller) ?? platformTenant)
    if (page.who) applyRule(page.who, caller, visit.now)
    const outcome = await outcomeOf(deps, page, visit)
    return replyTo(deps, visit, outcome, cookie)
  } catch (thrown) {
    const error = asServiceError(thrown)
    if (error.type === 'internal') throw thrown
    deps.services.tellRefusal(error, caller, route, asked.params['id'])
    if (isSignedOut(error)) return redirectReply(signInPath(asked.request))
    const shown = errorShown(error, asked.requestId, visit.at(''), PortalForbiddenHint({ visit }))
    return replyTo(deps, visit, shown, cookie)
  }
}

const isSignedOut = ({ type }: ServiceError) => type === 'invalid_token'

type EnterResult =
  { readonly visit: Visit; readonly cookie: string | undefined } | { readonly reply: HttpReply }

/**
 * Checks the session. Without one, or after too long inactivity, redirects to the sign-in, which
 * leads back.
 */
async function enter(deps: ServeDeps, surface: Surface, asked: HtmlCall): Promise<EnterResult> {
  const { cookies, services, clock } = deps
  const { request, requestId, params } = asked
  const held = cookies.session(request)
  if (!held) return { reply: redirectReply(signInPath(request)) }
  const origin = { requestId, address: services.addressOf(request) }
  let caller: PersonCaller
  try {
    caller = services.authenticator.bySession(held.text, origin)
  } catch (error) {
    if (!(error instanceof ServiceError) || !isSignedOut(error)) throw error
    return { reply: redirectReply(signInPath(request), cookies.dropSession(request)) }
  }
  const idleMs = clock.now() - held.activeAtMs
  if (idleMs > limits.sessionIdleMs) {
    await deps.acts.do({ request, requestId, caller }, 'DELETE /v1/sign-in')
    const to = signInPath(request, 'idle')
    return { reply: redirectReply(to, cookies.dropSession(request)) }
  }
  const home = caller.person.kind === 'staff' ? 'staff' : 'portal'
  if (home !== surface) return { reply: redirectReply(`/${home}`) }
  const isSeen = idleMs < limits.sessionSeenMs
  const cookie = isSeen ? undefined : cookies.setSession(request, held.text, clock.now())
  const facts = { surface, request, requestId, caller, params, formToken: formToken(held.text) }
  if (request.method !== 'POST')
    return { visit: new Visit({ ...facts, form: new SubmittedForm() }, deps), cookie }
  const form = await readForm(request)
  checkForm(request, form.exact(formTokenField), held.text)
  return { visit: new Visit({ ...facts, form }, deps), cookie }
}

/** After signing in, the person is led back to the page; a submitted form is lost. */
function signInPath({ method, path, query }: HttpRequest, noticeName?: string): string {
  const search = query.toString()
  const back = method === 'GET' && search !== '' ? `${path}?${search}` : path
  const next = new URLSearchParams({
    next: back,
    ...defined({ told: noticeName }),
  })
  return `/portal/sign-in?${next}`
}

async function outcomeOf(deps: ServeDeps, page: PortalPage, visit: Visit): Promise<PageOutcome> {
  const { show, submit, again = show } = page
  if (visit.facts.request.method !== 'POST') {
    // The URL of an action, for example after a reload: redirects to the page of its object.
    if (!show) return { to: visit.facts.request.path.replace(/\/[^/]*$/, '') }
    return show(visit)
  }
  const step = await stepUpReply(visit, deps.services.authenticator)
  if ('shown' in step) return step.shown
  try {
    return await submit!(step.visit)
  } catch (thrown) {
    const error = asServiceError(thrown)
    if (error.type === 'step_up_required') return passwordPage(step.visit)
    if (!again || !isForForm(error)) throw thrown
    deps.services.tellRefusal(
      error,
      visit.facts.caller,
      `POST /${visit.surface}${page.path}`,
      visit.facts.params['id'],
    )
    const outcome = await again(step.visit, problemOf(error))
    return 'title' in outcome ? { ...outcome, status: error.status } : outcome
  }
}

/** Errors that the form shows itself; others get a page of their own. */
const isForForm = ({ status }: ServiceError): boolean =>
  [400, 403, 409, 412, 422, 429].includes(status)

function replyTo(
  { cookies, sections }: ServeDeps,
  visit: Visit,
  outcome: PageOutcome,
  cookie: string | undefined,
): HttpReply {
  const { request } = visit.facts
  if ('file' in outcome) {
    const { headers } = outcome.file
    return { ...outcome.file, headers: { ...headers, ...(cookie && { 'set-cookie': cookie }) } }
  }
  if ('to' in outcome) {
    const { to, notice: noticeName } = outcome
    const mark = to.includes('?') ? '&' : '?'
    return redirectReply(noticeName === undefined ? to : `${to}${mark}told=${noticeName}`, cookie)
  }
  const sentence = request.method === 'GET' ? noticeTextOf(request.query.get('told')) : undefined
  const notice = sentence === undefined ? undefined : Told(sentence)
  const page = FramedPage({ visit, shown: outcome, sections, notice })
  return pageReply({ request, cookies, cookie }, outcome.status ?? 200, page)
}

const Told = (sentence: string) => NoticeBox({ tone: 'good', title: sentence })
