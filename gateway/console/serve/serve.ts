/**
 * Turns the console's pages into routes: checks the cookie and the scope, runs the form, renders.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { errorShown } from '../../html/error-page.tsx'
import { pageReply, redirectReply } from '../../html/answers/page-reply.ts'
import { checkForm, formToken, formTokenField } from '../../html/forms/form-token.ts'
import { readForm, SubmittedForm } from '../../html/forms/form.ts'
import { problemOf } from '../../html/forms/problem.ts'
import { NoticeBox } from '../../html/parts.tsx'
import { asServiceError } from '../../routing/answers/reply.ts'
import { requireScope } from '../../routing/auth/key-scope.ts'
import { htmlRoute, type HtmlCall } from '../../routing/html-route.ts'
import type { Route } from '../../routing/route.ts'
import type { HttpReply } from '../../server/http.ts'
import { ConsoleForbiddenHint } from '../html/forbidden-hint.tsx'
import { ConsoleFrame } from '../html/frame.tsx'
import { consoleNotice } from '../html/notices.ts'
import type { ConsoleOutcome, ConsolePage, ConsoleSection } from '../page.ts'
import type { ConsoleCookies } from '../session/console-cookies.ts'
import { consoleSignInPath } from '../session/sign-in.tsx'
import { ConsoleVisit, type ConsoleVisitDeps } from '../visit.ts'

export interface ConsoleServeDeps extends ConsoleVisitDeps {
  readonly cookies: ConsoleCookies
  readonly sections: readonly ConsoleSection[]
}

export function consolePageRoutes(deps: ConsoleServeDeps): readonly Route[] {
  return deps.sections
    .flatMap(({ pages }) => pages)
    .flatMap((page) => {
      const methods = page.submit ? (['GET', 'POST'] as const) : (['GET'] as const)
      return methods.map((method) =>
        htmlRoute(method, `/console${page.path}`, (asked) => serve(deps, page, asked)),
      )
    })
}

async function serve(
  deps: ConsoleServeDeps,
  page: ConsolePage,
  asked: HtmlCall,
): Promise<HttpReply> {
  const entered = await enter(deps, asked)
  if ('reply' in entered) return entered.reply
  const { visit } = entered
  try {
    requireScope(visit.facts.principal.scopes, page.scope ?? 'any')
    return replyTo(deps, visit, await outcomeOf(page, visit))
  } catch (thrown) {
    const error = asServiceError(thrown)
    if (error.type === 'internal') throw thrown
    const hint = ConsoleForbiddenHint({ visit })
    return replyTo(deps, visit, errorShown(error, asked.requestId, visit.at(''), hint))
  }
}

type EnterResult = { readonly visit: ConsoleVisit } | { readonly reply: HttpReply }

/**
 * Without a cookie, or if its key is no longer valid, redirects to the sign-in, which leads back.
 */
async function enter(deps: ConsoleServeDeps, asked: HtmlCall): Promise<EnterResult> {
  const { cookies, auth } = deps
  const { request, requestId, params } = asked
  const held = cookies.held(request)
  const principal = held && auth.byKeptKey(held.key, request)
  if (!held || !principal) {
    if (!cookies.hasHeld(request)) return { reply: redirectReply(consoleSignInPath(request)) }
    const to = consoleSignInPath(request, 'signed-in-over')
    return { reply: redirectReply(to, cookies.drop(request)) }
  }
  const { holder, endsAtMs } = held
  const facts = { request, requestId, principal, endsAtMs, params, formToken: formToken(holder) }
  if (request.method !== 'POST') {
    return { visit: new ConsoleVisit({ ...facts, form: new SubmittedForm() }, deps) }
  }
  const form = await readForm(request)
  checkForm(request, form.exact(formTokenField), holder)
  return { visit: new ConsoleVisit({ ...facts, form }, deps) }
}

async function outcomeOf(page: ConsolePage, visit: ConsoleVisit): Promise<ConsoleOutcome> {
  const { show, submit, again = show } = page
  const { method, path } = visit.facts.request
  if (method !== 'POST') {
    // The URL of an action, for example after a reload: redirects to the page of its object.
    return show ? show(visit) : { to: path.replace(/\/[^/]*$/, '') }
  }
  try {
    return await submit!(visit)
  } catch (thrown) {
    const error = asServiceError(thrown)
    if (!again || !isForForm(error)) throw thrown
    const outcome = await again(visit, problemOf(error))
    return 'title' in outcome ? { ...outcome, status: error.status } : outcome
  }
}

/** Errors that the form shows itself; others get a page of their own. */
const isForForm = ({ status }: ServiceError): boolean =>
  [400, 403, 409, 412, 422, 429, 503].includes(status)

function replyTo(
  { cookies, sections }: ConsoleServeDeps,
  visit: ConsoleVisit,
  outcome: ConsoleOutcome,
): HttpReply {
  const { request } = visit.facts
  if ('file' in outcome) return outcome.file
  if ('to' in outcome) {
    const { to, notice } = outcome
    const mark = to.includes('?') ? '&' : '?'
    return redirectReply(notice === undefined ? to : `${to}${mark}told=${notice}`)
  }
  const told = request.method === 'GET' ? consoleNotice(request.query.get('told')) : undefined
  const notice = told && NoticeBox({ tone: told.tone, title: told.text })
  const page = ConsoleFrame({ visit, shown: outcome, sections, notice })
  const { status = 200, isFraming, isPlaying } = outcome
  return pageReply({ request, cookies, isFraming, isPlaying }, status, page)
}
