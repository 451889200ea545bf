/** One person: roles, grants, and removal. */
import { personActor, type PersonView } from '../../../../proto/access/people/person.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import { IdCode, EmptyState, FactList, PageSection, TimeText } from '../../../html/parts.tsx'
import { RoleMarks } from '../../html/role-marks.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { unknownEntity } from '../../../access/governance/governance.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { plural } from '../../../html/plural.ts'
import { grantColumns } from '../grants/list.tsx'
import { personKindFacts, type PersonKind } from './kind.ts'
import { RemovalForm, RemovalNotice } from './removal.tsx'
import { ResetForm } from './reset.tsx'
import { RightsNotice, Vouchers } from './rights.tsx'
import { RolesForm } from './roles.tsx'

export const showPerson =
  (kind: PersonKind) =>
  async (visit: Visit, problem?: FormProblem): Promise<PageContent> => {
    const { path, title } = personKindFacts(kind)
    const id = visit.param('id')
    const person = await visit.deps.governance.get(personActor, visit.facts.caller, id)
    if (person.kind !== kind) throw unknownEntity('person')
    const held = visit.grantsFor(person.id)
    return {
      title: person.name,
      up: { href: visit.at(path), label: title },
      actions: <StatusMark of={person.status} />,
      body: (
        <>
          <ErrorSummary
            problem={problem}
            fields={[
              { name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' },
              { name: 'roles', label: 'Roles' },
            ]}
          />
          <RightsNotice visit={visit} person={person} />
          <RemovalNotice visit={visit} person={person} />
          <PersonFacts visit={visit} person={person} />
          <PageSection title="Access">
            {held.length === 0 ? (
              <EmptyState title="This person has no access." />
            ) : (
              <DataTable
                caption="Newest first"
                columns={grantColumns(visit)}
                rows={held.slice(0, 25)}
              />
            )}
          </PageSection>
          <Vouchers visit={visit} person={person} />
          <Acts visit={visit} person={person} kind={kind} problem={problem} />
        </>
      ),
    }
  }

/** For example `Password and code, or 2 passkeys`. */
function signInMethods({ hasTotp, passkeys }: PersonView): string {
  const password = hasTotp ? 'Password and code' : 'Password'
  return passkeys.length === 0 ? password : `${password}, or ${plural(passkeys.length, 'passkey')}`
}

const PersonFacts = ({ visit, person }: { visit: Visit; person: PersonView }) => (
  <FactList
    of={[
      visit.isStaff &&
        person.kind === 'member' && { term: 'Client', is: clientName(visit, person.tenant) },
      { term: 'E-mail address', is: person.email },
      { term: 'Roles', is: <RoleMarks of={person.roles} withHints /> },
      { term: 'Sign-in methods', is: signInMethods(person) },
      { term: 'Invited', is: <TimeText ms={person.createdAtMs} zone={visit.zone} /> },
      person.invitation && {
        term: 'Invitation expires',
        is: <TimeText ms={person.invitation.expiresAtMs} zone={visit.zone} />,
      },
      person.reset && {
        term: 'Reset link expires',
        is: <TimeText ms={person.reset.expiresAtMs} zone={visit.zone} />,
      },
      person.lockedUntilMs !== undefined && {
        term: 'Locked until',
        is: <TimeText ms={person.lockedUntilMs} zone={visit.zone} />,
      },
      {
        term: 'Last sign-in',
        is:
          person.lastSignInAtMs === undefined ? (
            'Not yet'
          ) : (
            <TimeText ms={person.lastSignInAtMs} zone={visit.zone} />
          ),
      },
      { term: 'ID', is: <IdCode>{person.id}</IdCode> },
    ]}
  />
)

const Acts = ({
  visit,
  person,
  kind,
  problem,
}: {
  visit: Visit
  person: PersonView
  kind: PersonKind
  problem: FormProblem | undefined
}) => {
  const { path, route } = personKindFacts(kind)
  const isKept = visit.may(`POST ${route}/{id}/remove`)
  if (!isKept || person.status === 'removed' || person.id === visit.person.id) return <></>
  const at = visit.at(`${path}/${person.id}`)
  return (
    <PageSection title="Actions">
      {person.status === 'invited' ? (
        <PostForm visit={visit} action={`${at}/reinvite`} seen={person.version} isOnce>
          <p>A new invitation invalidates the previous one.</p>
          <SubmitButton kind="plain">Create a new invitation</SubmitButton>
        </PostForm>
      ) : (
        <ResetForm
          {...{ visit, person, action: `${at}/reset` }}
          problem={visit.verb === 'reset' ? problem : undefined}
        />
      )}
      <RolesForm
        {...{ visit, person, action: `${at}/roles` }}
        problem={visit.verb === 'roles' ? problem : undefined}
      />
      <RemovalForm
        {...{ visit, person, action: `${at}/remove` }}
        problem={visit.verb === 'remove' ? problem : undefined}
      />
    </PageSection>
  )
}
