/**
 * Who can do what for a client: the roles and active grants of each person and program, and who
 * decides. Members see the provider's people as "Staff", so these share one row.
 */
import { staffRoles, type AccessRole } from '../../../../../proto/access/author.ts'
import { clientActor, type ClientView } from '../../../../../proto/access/engagement/client.ts'
import type { GrantView } from '../../../../../proto/access/grants/grant.ts'
import type { SlotRole } from '../../../../../proto/access/grants/review.ts'
import { platformTenant } from '../../../../../proto/access/ids.ts'
import type { PersonView } from '../../../../../proto/access/people/person.ts'
import { FactList, NoticeBox, PageSection, Pager } from '../../../../html/parts.tsx'
import { DataTable, type TableColumn } from '../../../../html/table.tsx'
import { dayWord } from '../../../../html/times.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { shortPermissions } from '../../../html/permissions.tsx'
import { RoleMarks } from '../../../html/role-marks.tsx'
import type { Visit } from '../../../visit.ts'
import { needTitle, objectNameOf, subjectName } from '../../../words/names.ts'
import { toWords } from '../../../words/words.ts'
import { namesOf } from '../../open-slots.tsx'
import { pagedAfter } from '../../pager.ts'
import { personKindFacts } from '../kind.ts'
import { PersonStateMarks } from '../list.tsx'

interface Participant {
  readonly id: string
  readonly name: string
  readonly kind: 'Member' | 'Staff' | 'Program'
  /** Undefined for programs and for staff that the viewer sees as one. */
  readonly person?: PersonView
  /** Undefined for programs, which have none. */
  readonly roles?: readonly AccessRole[]
  readonly grants: readonly GrantView[]
}

/** A longer list hides the other rows; the list of grants has all. */
const grantsMost = 10

export async function showWho(visit: Visit): Promise<PageContent> {
  const { governance, approvers } = visit.deps
  const client = await governance.get(clientActor, visit.facts.caller, visit.param('id'))
  const { rows, links } = pagedAfter(visit, participantsOf(visit, client.id))
  return {
    title: 'Who can do what',
    lead: `The people and programs that work for ${client.name}: their roles, what they can access now, and who decides.`,
    up: visit.isStaff
      ? { href: visit.at(`/clients/${client.id}`), label: client.name }
      : { href: visit.at('/members'), label: 'Members' },
    body: (
      <>
        <Refused client={client} />
        <PageSection title="Who decides">
          <p>Nobody decides on what they have asked for, would receive or have proposed.</p>
          <FactList
            of={approvers.ofClient(client.id).map(({ role, people }) => ({
              term: deciderWords[role][0],
              is: (
                <>
                  {namesOf(visit, people)}
                  <span class="about">{deciderWords[role][1]}</span>
                </>
              ),
            }))}
          />
        </PageSection>
        <PageSection title="People and programs">
          <DataTable
            caption="Members first, then staff, then programs"
            columns={columnsOf(visit, client.id)}
            rows={rows}
          />
          <Pager {...links} />
        </PageSection>
      </>
    ),
  }
}

const deciderWords: Readonly<Record<SlotRole, readonly [string, string]>> = {
  staff_reviewer: ['Staff reviewers', 'Review every request for access.'],
  change_manager: ['Change managers', 'Review every change.'],
  client_owner: [
    'Owners of the client',
    'Consent to access to personal data, to webhooks, and to changes that the client sees.',
  ],
}

/** Grants stay active meanwhile, but none of them opens anything. */
const Refused = ({ client: { status, name } }: { client: ClientView }) =>
  status === 'active' ? (
    <></>
  ) : (
    <NoticeBox tone="wait" title="No access at the moment">
      <p>
        {name} is in the state “{toWords(status)}”. Until it is active, all access is refused.
      </p>
    </NoticeBox>
  )

type HeldBy = (kind: GrantView['subject']['kind'], ids: readonly string[]) => readonly GrantView[]

function participantsOf(visit: Visit, client: string): readonly Participant[] {
  const active = visit.list('grant', client).filter(({ status }) => status === 'active')
  const heldBy: HeldBy = (kind, ids) =>
    active.filter(({ subject }) => subject.kind === kind && ids.includes(subject.id))
  const programs = active.flatMap(({ subject }) =>
    subject.kind === 'integration' ? [subject] : [],
  )
  const byId = new Map(programs.map((subject) => [subject.id, subject]))
  return [
    ...peopleOf(visit, client).map((one) => participantOf(visit, one, heldBy)),
    ...staffOf(visit, heldBy),
    ...[...byId.values()]
      .map((subject) => ({
        ...{ id: `program:${subject.id}`, name: subjectName(visit, subject) },
        ...{ kind: 'Program' as const, grants: heldBy('integration', [subject.id]) },
      }))
      .sort((a, b) => a.name.localeCompare(b.name)),
  ]
}

const peopleOf = (visit: Visit, tenant: string): readonly PersonView[] =>
  visit.deps.chain
    .list('person', tenant)
    .filter(({ status }) => status !== 'removed')
    .sort((a, b) => a.name.localeCompare(b.name))

const participantOf = (visit: Visit, person: PersonView, heldBy: HeldBy): Participant => ({
  ...{ id: person.id, name: objectNameOf(visit, person.id), person, roles: person.roles },
  ...{ kind: person.kind === 'staff' ? 'Staff' : 'Member' },
  grants: heldBy('person', [person.id]),
})

function staffOf(visit: Visit, heldBy: HeldBy): readonly Participant[] {
  const staff = peopleOf(visit, platformTenant)
  if (visit.isStaff) return staff.map((one) => participantOf(visit, one, heldBy))
  const roles = staffRoles.filter((role) => staff.some((one) => one.roles.includes(role)))
  const grants = heldBy(
    'person',
    staff.map(({ id }) => id),
  )
  return [{ id: 'staff', name: 'Staff', kind: 'Staff', roles, grants }]
}

/** The state of others is worth a mark: they cannot act yet, or soon will not. */
const isSettled = ({ status, awaiting, reset, removal }: PersonView): boolean =>
  status === 'active' && !awaiting && !reset?.waits && !removal

const columnsOf = (visit: Visit, client: string): readonly TableColumn<Participant>[] => [
  {
    label: 'Who',
    isHead: true,
    cell: ({ name, kind, person }) => (
      <>
        {person ? (
          <a href={visit.at(`${personKindFacts(person.kind).path}/${person.id}`)}>
            <bdi>{name}</bdi>
          </a>
        ) : (
          <bdi>{name}</bdi>
        )}
        {kind === name ? '' : <span class="about">{kind}</span>}
        {person && !isSettled(person) ? <PersonStateMarks of={person} /> : ''}
      </>
    ),
  },
  {
    label: 'Roles',
    cell: ({ roles }) => (roles ? <RoleMarks of={roles} withHints /> : 'Has no role'),
  },
  {
    label: 'Access now',
    cell: ({ grants }) => <Held visit={visit} client={client} grants={grants} />,
  },
]

const Held = ({
  visit,
  client,
  grants,
}: {
  visit: Visit
  client: string
  grants: readonly GrantView[]
}) => {
  if (grants.length === 0) return <>None</>
  const more = grants.length - grantsMost
  return (
    <ul class="held">
      {grants.slice(0, grantsMost).map(({ id, permissions, path, endsAtMs, needId }) => (
        <li>
          <a href={visit.at(`/access/${id}`)}>{shortPermissions(permissions)}</a>
          <span class="about">
            {toWords(path)}, until {dayWord(endsAtMs, visit.zone)} · {needTitle(visit, needId)}
          </span>
        </li>
      ))}
      {more > 0 ? (
        <li>
          <a href={visit.at(`/grants?status=active&client=${client}`)}>And {String(more)} more</a>
        </li>
      ) : (
        ''
      )}
    </ul>
  )
}
