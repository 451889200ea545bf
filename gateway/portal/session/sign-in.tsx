/** Signs people in with the forms of `doors.tsx`. */
import { z } from 'zod'
import { ServiceError } from '../../../proto/errors.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import type { Route } from '../../routing/route.ts'
import { Form, readForm } from '../form.ts'
import { BarePage } from '../html/document.tsx'
import { Notice } from '../html/parts.tsx'
import { sentenceOf } from '../html/told.ts'
import { htmlRoute, type Asked } from '../html-route.ts'
import type { Problem, Shown } from '../page.ts'
import { problemOf } from '../problem.ts'
import { localPath, pageReply, redirectReply } from '../reply.ts'
import type { ServeDeps } from '../serve.ts'
import { invitationDoor, resetDoor, signInDoor } from './doors.tsx'
import { checkForm, formToken, formTokenField, newHolder } from './form-token.ts'

const signedIn = z.object({
  data: z.object({ token: z.string(), person: z.object({ kind: z.enum(['staff', 'member']) }) }),
})

export function signInRoutes(deps: ServeDeps): readonly Route[] {
  return [signInDoor, invitationDoor, resetDoor].flatMap((door) => doorRoutes(deps, door))
}

/** A page with a form that signs somebody in. */
export interface Door {
  readonly path: string
  /** The route to call and its body. `holder` is the content of the page's cookie. */
  act(form: Form, holder: string): { readonly route: string; readonly body: unknown }
  shown(facts: DoorFacts): Shown
}

interface DoorFacts {
  readonly form: Form
  readonly token: string
  readonly next: string | undefined
  readonly hasPasskeys: boolean
  readonly problem?: Problem
}

function doorRoutes(deps: ServeDeps, door: Door): Route[] {
  return [
    htmlRoute('GET', door.path, async ({ request }) => {
      const told = sentenceOf(request.query.get('told'))
      const next = localPath(request.query.get('next') ?? undefined)
      const facts = { form: new Form(), next }
      return doorReply(deps, request, door, facts, told)
    }),
    htmlRoute('POST', door.path, (asked) => letIn(deps, door, asked)),
  ]
}

async function letIn(deps: ServeDeps, door: Door, asked: Asked): Promise<HttpReply> {
  const { request, requestId } = asked
  const { acts, cookies, clock } = deps
  const form = await readForm(request)
  const next = localPath(form.given('next'))
  try {
    checkForm(request, form.exact(formTokenField), cookies.form(request))
    const { route, body } = door.act(form, cookies.form(request)!)
    const { data } = await acts.run({ request, requestId }, route, { body }, signedIn)
    const home = data.person.kind === 'staff' ? '/staff' : '/portal'
    const to = next?.startsWith(home) ? next : home
    return redirectReply(to, cookies.setSession(request, data.token, clock.now()))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error
    return doorReply(deps, request, door, { form, next, problem: problemOf(error) })
  }
}

type Facts = Omit<DoorFacts, 'token' | 'hasPasskeys'>

function doorReply(
  { cookies, partyOf }: ServeDeps,
  request: HttpRequest,
  door: Door,
  facts: Facts,
  told?: string,
): HttpReply {
  const known = cookies.form(request)
  const holder = known ?? newHolder()
  const hasPasskeys = partyOf(request) !== undefined
  const shown = door.shown({ ...facts, hasPasskeys, token: formToken(holder) })
  const notice = told === undefined ? undefined : Notice({ tone: 'good', title: told })
  const cookie = known === undefined ? cookies.setForm(request, holder) : undefined
  const status = facts.problem?.error.status ?? 200
  return pageReply({ request, cookies, cookie }, status, BarePage({ shown, notice }))
}
