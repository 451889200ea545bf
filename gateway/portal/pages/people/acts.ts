/** The forms on the page of a person that lead back to it. */
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

export const replaceRoles = actOn('roles', 'roles-replaced', (form) => ({
  roles: form.all('roles'),
}))
