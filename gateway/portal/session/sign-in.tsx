/** Signs people in with the forms of `entry-forms.tsx`. */
import { z } from 'zod'
import { ServiceError } from '../../../proto/errors.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import type { Route } from '../../routing/route.ts'
import { SubmittedForm, readForm } from '../../html/forms/form.ts'
import { BarePortalPage } from '../html/bare-page.tsx'
import { NoticeBox } from '../../html/parts.tsx'
import { noticeTextOf } from '../html/notices.ts'
import { htmlRoute, type HtmlCall } from '../../routing/html-route.ts'
import { problemOf } from '../../html/forms/problem.ts'
import { localPath } from '../serve/local-path.ts'
import { pageReply, redirectReply } from '../../html/answers/page-reply.ts'
import type { ServeDeps } from '../serve/serve.ts'
import {
  invitationForm,
  resetForm,
  signInForm,
  type EntryForm,
  type EntryFormFacts,
} from './entry-forms.tsx'
import { checkForm, formToken, formTokenField, newHolder } from '../../html/forms/form-token.ts'

const signedIn = z.object({
  data: z.object({ token: z.string(), person: z.object({ kind: z.enum(['staff', 'member']) }) }),
})

export function entryFormRoutes(deps: ServeDeps): readonly Route[] {
  return [signInForm, invitationForm, resetForm].flatMap((entry) => entryRoutes(deps, entry))
}

function entryRoutes(deps: ServeDeps, entry: EntryForm): Route[] {
  return [
    htmlRoute('GET', entry.path, async ({ request }) => {
      const noticeName = noticeTextOf(request.query.get('told'))
      const next = localPath(request.query.get('next') ?? undefined)
      const facts = { form: new SubmittedForm(), next }
      return entryReply(deps, request, entry, facts, noticeName)
    }),
    htmlRoute('POST', entry.path, (asked) => startPortalSession(deps, entry, asked)),
  ]
}

async function startPortalSession(
  deps: ServeDeps,
  entry: EntryForm,
  asked: HtmlCall,
): Promise<HttpReply> {
  const { request, requestId } = asked
  const { acts, cookies, clock } = deps
  const form = await readForm(request)
  const next = localPath(form.given('next'))
  try {
    checkForm(request, form.exact(formTokenField), cookies.form(request))
    const { route, body } = entry.act(form, cookies.form(request)!)
    const { data } = await acts.run({ request, requestId }, route, { body }, signedIn)
    const home = data.person.kind === 'staff' ? '/staff' : '/portal'
    const to = next?.startsWith(home) ? next : home
    return redirectReply(to, cookies.setSession(request, data.token, clock.now()))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error
    return entryReply(deps, request, entry, { form, next, problem: problemOf(error) })
  }
}

type Facts = Omit<EntryFormFacts, 'token' | 'hasPasskeys'>

function entryReply(
  { cookies, partyOf }: ServeDeps,
  request: HttpRequest,
  entry: EntryForm,
  facts: Facts,
  noticeName?: string,
): HttpReply {
  const known = cookies.form(request)
  const holder = known ?? newHolder()
  const hasPasskeys = partyOf(request) !== undefined
  const shown = entry.shown({ ...facts, hasPasskeys, token: formToken(holder) })
  const notice =
    noticeName === undefined ? undefined : NoticeBox({ tone: 'good', title: noticeName })
  const cookie = known === undefined ? cookies.setForm(request, holder) : undefined
  const status = facts.problem?.error.status ?? 200
  return pageReply({ request, cookies, cookie }, status, BarePortalPage({ shown, notice }))
}
