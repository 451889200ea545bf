/** Removing a person; of staff, it is proposed by one person and confirmed by another. */
import { hasRole } from '../../../../proto/access/author.ts'
import { wasReset } from '../../../../proto/access/people/independence.ts'
import { removalTakesTwo } from '../../../../proto/access/people/removal.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { whyNeeded } from '../../../access/people/last-ones.ts'
import { LongField } from '../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import { NoticeBox, TimeText } from '../../../html/parts.tsx'
import type { Redirect } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { objectNameOf } from '../../words/names.ts'
import { actOn, type PersonFormProps } from './acts.ts'
import { personKindFacts, type PersonKind } from './kind.ts'

export const RemovalForm = ({ visit, person, action, problem }: PersonFormProps) => {
  const { singleOperator } = visit.deps
  const people = visit.list('person', person.tenant)
  const isOver = visit.find('client', person.tenant)?.status === 'closed'
  const why = isOver ? undefined : whyNeeded(people, { person, keeps: [], singleOperator })
  return (
    <Collapsible label="Remove" isOpen={problem !== undefined}>
      {why === undefined ? (
        <PostForm visit={visit} action={action} seen={person.version} class="narrow">
          <p>
            {takesTwo(visit, person)
              ? 'Their sessions and all access granted to them end when another admin or reviewer confirms it.'
              : 'Their sessions and all access granted to them end.'}
          </p>
          <LongField
            {...{ name: 'reason', id: 'reason-remove', label: 'Reason', rows: 2, problem }}
            hint="At least 10 characters. Kept in the audit."
            value={problem ? visit.form.text('reason') : ''}
          />
          <SubmitButton kind="danger">
            {takesTwo(visit, person) ? `Propose to remove ${person.name}` : `Remove ${person.name}`}
          </SubmitButton>
        </PostForm>
      ) : (
        <p>{why}</p>
      )}
    </Collapsible>
  )
}

const takesTwo = ({ deps, person: self, now }: Visit, person: PersonView): boolean =>
  !deps.singleOperator && removalTakesTwo(person, self, now)

/** Whether this person may confirm the removal. */
export function waitsForRemoval(visit: Visit, person: PersonView): boolean {
  const { person: self, deps, now } = visit
  const { removal, id } = person
  if (!removal) return false
  if (id === self.id) return !wasReset(person, now)
  const isAnother = removal.by.id !== self.id && visit.isIndependentOf([removal.by.id])
  return (isAnother || deps.singleOperator) && hasRole(self, 'admin', 'reviewer')
}

/** Shown to all staff. */
export const RemovalNotice = ({ visit, person }: { visit: Visit; person: PersonView }) => {
  const { removal } = person
  if (!removal) return <></>
  const at = visit.at(`${personKindFacts(person.kind).path}/${person.id}`)
  const form = { visit, seen: person.version } as const
  const mayWithdraw = person.id !== visit.person.id && hasRole(visit.person, 'admin', 'reviewer')
  return (
    <NoticeBox tone="wait" title="Removal proposed">
      <p>
        {objectNameOf(visit, removal.by.id)} proposed it on{' '}
        <TimeText ms={removal.atMs} zone={visit.zone} />: {removal.reason}
      </p>
      <p>Another admin or reviewer, or the person, confirms it. Until then nothing ends.</p>
      <div class="buttons">
        {waitsForRemoval(visit, person) ? (
          <PostForm {...form} action={`${at}/confirm-removal`}>
            <SubmitButton kind="danger">{`Confirm: remove ${person.name}`}</SubmitButton>
          </PostForm>
        ) : (
          ''
        )}
        {mayWithdraw ? (
          <PostForm {...form} action={`${at}/withdraw-removal`}>
            <SubmitButton kind="plain">Withdraw the proposal</SubmitButton>
          </PostForm>
        ) : (
          ''
        )}
      </div>
    </NoticeBox>
  )
}

export const removePerson =
  (kind: PersonKind) =>
  async (visit: Visit): Promise<Redirect> => {
    const person = visit.find('person', visit.param('id'))
    const isProposed = person !== undefined && takesTwo(visit, person)
    const act = actOn('remove', isProposed ? 'removal-proposed' : 'removed', (form) => ({
      reason: form.text('reason'),
    }))
    return act(kind)(visit)
  }

export const confirmRemoval = actOn('confirm-removal', 'removed')
export const withdrawRemoval = actOn('withdraw-removal', 'removal-withdrawn')
