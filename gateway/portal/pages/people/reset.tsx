/** Resetting a person's sign-in: shown once, as a link whose secret does not appear in logs. */
import { z } from 'zod'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { LongField } from '../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import { IdCode, FactList, NoticeBox } from '../../../html/parts.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { personKindFacts, type PersonKind } from './kind.ts'

export const ResetForm = ({
  visit,
  person,
  action,
  problem,
}: {
  visit: Visit
  person: PersonView
  action: string
  problem: FormProblem | undefined
}) => (
  <Collapsible label="Let them set a new password" isOpen={problem !== undefined}>
    <PostForm visit={visit} action={action} seen={person.version} isOnce class="narrow">
      <p>
        For somebody who has forgotten their password, or lost their phone or passkey. Make sure
        that it is they who ask. Once they use the link, what they signed in with before is void.
      </p>
      <LongField
        {...{ name: 'reason', id: 'reason-reset', label: 'Reason', problem, rows: 2 }}
        hint="At least 10 characters. It is kept in the audit."
        value={visit.verb === 'reset' ? visit.form.text('reason') : ''}
      />
      <SubmitButton kind="plain">Make a reset link</SubmitButton>
    </PostForm>
  </Collapsible>
)

const answer = z.object({
  data: z.object({ id: z.string(), name: z.string(), email: z.string(), reset: z.string() }),
})

export const resetPerson =
  (kind: PersonKind) =>
  async (visit: Visit): Promise<PageContent> => {
    const { form, deps, facts } = visit
    const { path, route } = personKindFacts(kind)
    const act = {
      ...{ params: { id: visit.param('id') }, seen: form.text('seen') },
      ...{ body: { reason: form.text('reason') }, once: form.text('once') },
    }
    const { data } = await deps.acts.run(facts, `POST ${route}/{id}/reset`, act, answer)
    const person = visit.at(`${path}/${data.id}`)
    const address = `${deps.addressFor(facts.request)}/portal/reset#${data.reset}`
    return {
      title: `A new password for ${data.name}`,
      up: { href: person, label: data.name },
      body: (
        <>
          <NoticeBox tone="wait" title="It is shown this once">
            <p>
              Send this link to {data.email}, on a way that only they read. It works once, for a
              day.
            </p>
            <p class="secret">
              <IdCode>{address}</IdCode>
            </p>
          </NoticeBox>
          <FactList of={[{ term: 'Person', is: <a href={person}>{data.name}</a> }]} />
        </>
      ),
    }
  }
