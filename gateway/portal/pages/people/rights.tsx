/** Roles and resets that wait for a second person, and who let a person in. */
import { hasRole } from '../../../../proto/access/author.ts'
import { isRecent } from '../../../../proto/access/people/independence.ts'
import type { PersonView, Voucher } from '../../../../proto/access/people/person.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { knownPeople, mayConfirm, whoConfirms } from '../../../access/people/second-person.ts'
import { PostForm, SubmitButton } from '../../../html/form.tsx'
import { NoticeBox, PageSection, TimeText } from '../../../html/parts.tsx'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { roleWord } from '../../words/words.ts'
import { actOn } from './acts.ts'
import { personKindFacts } from './kind.ts'

const waits = ({ awaiting, reset }: PersonView): boolean => !!awaiting || !!reset?.waits

/** Whether this person may confirm what waits. */
export const waitsForConfirmation = ({ person: self, deps, now }: Visit, of: PersonView): boolean =>
  waits(of) && mayConfirm(of, self, knownPeople(deps.chain, now))

/** For example `Roles Reviewer and Operator, asked for by Ada`. */
const waitingText = (visit: Visit, { awaiting, reset }: PersonView): readonly string[] => [
  ...(awaiting
    ? [
        `Roles: ${awaiting.roles.map(roleWord).join(', ')}, asked for by ${objectNameOf(visit, awaiting.by.id)}.`,
      ]
    : []),
  ...(reset?.waits
    ? [`A reset of the sign-in, asked for by ${objectNameOf(visit, reset.by ?? '')}.`]
    : []),
]

/** On the person's page, for everyone who may see it. */
export const RightsNotice = ({ visit, person }: { visit: Visit; person: PersonView }) => {
  if (!waits(person)) return <></>
  const at = visit.at(`${personKindFacts(person.kind).path}/${person.id}`)
  return (
    <NoticeBox tone="wait" title="Waiting for a second person">
      <ul>
        {waitingText(visit, person).map((text) => (
          <li>{text}</li>
        ))}
      </ul>
      <p>
        {whoConfirms(person)} They must not have let in the person who asked, nor have been let in
        by them, during the last 30 days.
      </p>
      {waitsForConfirmation(visit, person) ? (
        <PostForm visit={visit} action={`${at}/confirm`} seen={person.version}>
          <SubmitButton>Confirm</SubmitButton>
        </PostForm>
      ) : (
        ''
      )}
    </NoticeBox>
  )
}

export const confirmRights = actOn('confirm', 'rights-confirmed')

const doneWords: Readonly<Record<Voucher['what'], string>> = {
  invitation: 'Invited by',
  reset: 'Sign-in reset by',
  roles: 'Given a role by',
}

/** Who let the person in, as long as they are not independent of each other. */
export const Vouchers = ({ visit, person }: { visit: Visit; person: PersonView }) => {
  const recent = (person.vouchers ?? []).filter((one) => isRecent(one, visit.now))
  if (recent.length === 0) return <></>
  return (
    <PageSection title="Not independent">
      <p>Neither reviews nor confirms what the other has asked for.</p>
      <ul>
        {recent.map(({ by, what, atMs, confirmedBy }) => (
          <li>
            {doneWords[what]} {objectNameOf(visit, by)}
            {confirmedBy === undefined ? '' : `, confirmed by ${objectNameOf(visit, confirmedBy)}`}:
            until <TimeText ms={atMs + limits.vouchedMs} zone={visit.zone} />
          </li>
        ))}
      </ul>
    </PageSection>
  )
}

const shownMost = 5

/** On the start page, for all staff and the owners of the client. */
export const RightsNotices = ({ visit }: { visit: Visit }) => {
  if (!visit.isStaff && !hasRole(visit.person, 'owner')) return <></>
  const people = visit.list('person').filter((one) => one.status !== 'removed' && waits(one))
  if (people.length === 0) return <></>
  return (
    <NoticeBox tone="wait" title="Rights that wait for a second person">
      <ul>
        {people.slice(0, shownMost).map((person) => (
          <li>
            <a href={visit.at(`${personKindFacts(person.kind).path}/${person.id}`)}>
              {person.name}
            </a>
            {visit.isStaff && person.kind === 'member'
              ? ` (${clientName(visit, person.tenant)})`
              : ''}
            {': '}
            {waitingText(visit, person).join(' ')}
          </li>
        ))}
      </ul>
      {people.length > shownMost ? <p>And {String(people.length - shownMost)} more people.</p> : ''}
    </NoticeBox>
  )
}
