/** Resetting a person's sign-in: shown once, as a link whose secret does not appear in logs. */
import { z } from 'zod'
import { LongField } from '../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import { IdCode, FactList, NoticeBox } from '../../../html/parts.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import type { PersonFormProps } from './acts.ts'
import { personKindFacts, type PersonKind } from './kind.ts'

export const ResetForm = ({ visit, person, action, problem }: PersonFormProps) => (
  <Collapsible label="Reset password" isOpen={problem !== undefined}>
    <PostForm visit={visit} action={action} seen={person.version} isOnce class="narrow">
      <p>
        For a person who forgot their password, or lost their phone or passkey. Make sure that the
        person asking is really them. Once they use the link, their previous password, codes and
        passkeys no longer work.
      </p>
      <LongField
        {...{ name: 'reason', id: 'reason-reset', label: 'Reason', problem, rows: 2 }}
        hint="At least 10 characters. Kept in the audit."
        value={visit.verb === 'reset' ? visit.form.text('reason') : ''}
      />
      <SubmitButton kind="plain">Create reset link</SubmitButton>
    </PostForm>
  </Collapsible>
)

const answer = z.object({
  data: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    reset: z.string(),
    reset_waits: z.boolean().optional(),
  }),
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
      title: `Reset link for ${data.name}`,
      up: { href: person, label: data.name },
      body: (
        <>
          <NoticeBox tone="wait" title="This link is shown only once">
            <p>
              Send this link to {data.email} over a channel that only they can read. It works once
              and is valid for 24 hours.
            </p>
            <p class="secret">
              <IdCode>{address}</IdCode>
            </p>
          </NoticeBox>
          {data.reset_waits ? (
            <p>It works when a second person has confirmed it, on the page of {data.name}.</p>
          ) : (
            ''
          )}
          <FactList of={[{ term: 'Person', is: <a href={person}>{data.name}</a> }]} />
        </>
      ),
    }
  }
