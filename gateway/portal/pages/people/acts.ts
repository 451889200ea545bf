/** The forms on the page of a person that lead back to it. */
import { z } from 'zod'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { NoticeName } from '../../html/notices.ts'
import type { Redirect } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { personKindFacts, type PersonKind } from './kind.ts'

/** A form that acts on a person. */
export interface PersonFormProps {
  readonly visit: Visit
  readonly person: PersonView
  readonly action: string
  readonly problem: FormProblem | undefined
}

type Act = (kind: PersonKind) => (visit: Visit) => Promise<Redirect>

export const actOn =
  (verb: string, notice: NoticeName, bodyOf?: (form: Visit['form']) => object): Act =>
  (kind) =>
  async (visit) => {
    const { path, route } = personKindFacts(kind)
    const id = visit.param('id')
    const { form } = visit
    await visit.do(`POST ${route}/{id}/${verb}`, {
      ...{ params: { id }, seen: form.text('seen') },
      ...(bodyOf && { body: bodyOf(form) }),
    })
    return { to: visit.at(`${path}/${id}`), notice }
  }

const saved = z.object({ data: z.object({ awaiting: z.object({}).optional() }) })

export const replaceRoles: Act = (kind) => async (visit) => {
  const { path, route } = personKindFacts(kind)
  const id = visit.param('id')
  const { form, deps, facts } = visit
  const act = { params: { id }, seen: form.text('seen'), body: { roles: form.all('roles') } }
  const { data } = await deps.acts.run(facts, `POST ${route}/{id}/roles`, act, saved)
  return { to: visit.at(`${path}/${id}`), notice: data.awaiting ? 'roles-wait' : 'roles-replaced' }
}
