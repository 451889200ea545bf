/** Changes the values of a login. */
import { z } from 'zod'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { siteLoginJson } from '../../../logins/login-json.ts'
import type { ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { valueFields, ValueFields, valuesIn } from './value-fields.tsx'

const ofLogin = (visit: ConsoleVisit) => ({ params: { name: visit.param('name') } })

export async function changeLogin(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const call = { ...ofLogin(visit), body: valuesIn(visit) }
  await visit.do('PATCH /v1/logins/{name}', call)
  return { to: visit.at('/logins'), notice: 'login-changed' }
}

export async function changeLoginPage(
  visit: ConsoleVisit,
  problem?: FormProblem,
): Promise<PageContent> {
  const answer = z.object({ data: siteLoginJson })
  const { data } = await visit.run('GET /v1/logins/{name}', ofLogin(visit), answer)
  const { name, origin, has } = data
  return {
    title: `Change login ${name}`,
    lead: `For ${origin}. It has: ${has.join(', ')}.`,
    up: { href: visit.at('/logins'), label: 'Logins' },
    body: (
      <>
        <ErrorSummary problem={problem} fields={valueFields} />
        <PostForm visit={visit} action={visit.at(`/logins/${name}/change`)} class="key-form">
          <ValueFields problem={problem} kept="If empty, it stays as it is." />
          <div class="buttons ends">
            <SubmitButton>Change login</SubmitButton>
          </div>
        </PostForm>
      </>
    ),
  }
}
