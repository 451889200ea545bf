/** The people of a client and, for staff, of the provider. */
import { platformTenant } from '../../../../proto/access/ids.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm } from '../../../html/filters.tsx'
import { SelectField } from '../../../html/fields.tsx'
import { ButtonLink, EmptyState, Pager, TimeText } from '../../../html/parts.tsx'
import { RoleMarks } from '../../html/role-marks.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { pageRows } from '../pager.ts'
import { personKindFacts, type PersonKind } from './kind.ts'
import { WhoLink } from './who/link.tsx'

export const showPeople =
  (kind: PersonKind) =>
  (visit: Visit): PageContent => {
    const { path, title, lead, route } = personKindFacts(kind)
    const client = kind === 'member' ? clientAsked(visit) : undefined
    const of = kind === 'staff' ? platformTenant : client
    const all = visit.list('person', of).filter((one) => one.kind === kind)
    const shown = all.filter(({ status }) => visit.asked('gone') === '1' || status !== 'removed')
    const { rows, links } = pageRows(visit, shown)
    const isRemovedShown = visit.asked('gone') === '1'
    const isPerClient = visit.isStaff && kind === 'member'
    return {
      title,
      lead,
      actions: (
        <>
          {kind === 'member' ? <WhoLink visit={visit} client={visit.client?.id ?? client} /> : ''}
          {visit.may(`POST ${route}`) ? (
            <ButtonLink href={visit.at(`${path}/new`)} kind="main">
              Invite a person
            </ButtonLink>
          ) : (
            ''
          )}
        </>
      ),
      body: (
        <>
          {shown.length === all.length && !isRemovedShown && !isPerClient ? (
            ''
          ) : (
            <FilterForm path={visit.at(path)} isFiltered={isRemovedShown || client !== undefined}>
              {isPerClient ? <ClientFilter visit={visit} /> : ''}
              <SelectField
                name="gone"
                label="Removed people"
                value={visit.asked('gone') ?? ''}
                choices={[
                  { value: '', label: 'Hide' },
                  { value: '1', label: 'Show' },
                ]}
              />
            </FilterForm>
          )}
          {rows.length === 0 ? (
            <EmptyState title="There is no one here yet.">
              <p>Invite the people who work here. Each person sets their own password.</p>
            </EmptyState>
          ) : (
            <DataTable caption="Last invited first" columns={columnsOf(visit, kind)} rows={rows} />
          )}
          <Pager {...links} />
        </>
      ),
    }
  }

export const PersonStateMarks = ({
  of: { status, removal, awaiting, reset },
}: {
  of: PersonView
}) => (
  <>
    <StatusMark of={status} />
    {awaiting || reset?.waits ? (
      <StatusMark of="waiting" label="Waiting for a second person" />
    ) : (
      ''
    )}
    {removal ? <StatusMark of="proposed" label="Removal proposed" /> : ''}
  </>
)

function columnsOf(visit: Visit, kind: PersonKind): readonly TableColumn<PersonView>[] {
  const client: readonly TableColumn<PersonView>[] =
    visit.isStaff && kind === 'member'
      ? [{ label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) }]
      : []
  return [
    {
      label: 'Name',
      isHead: true,
      cell: ({ id, name }) => <a href={visit.at(`${personKindFacts(kind).path}/${id}`)}>{name}</a>,
    },
    ...client,
    { label: 'E-mail address', cell: ({ email }) => email },
    { label: 'Roles', cell: ({ roles }) => <RoleMarks of={roles} /> },
    {
      label: 'Status',
      cell: (person) => <PersonStateMarks of={person} />,
    },
    {
      label: 'Last sign-in',
      cell: ({ lastSignInAtMs }) =>
        lastSignInAtMs === undefined ? (
          'Not yet'
        ) : (
          <TimeText ms={lastSignInAtMs} zone={visit.zone} />
        ),
    },
  ]
}
