/** The people of a client and, for staff, of the provider. */
import { platformTenant } from '../../../../proto/access/ids.ts'
import type { PersonView } from '../../../../proto/access/person.ts'
import { Filters } from '../../html/filters.tsx'
import { SelectField } from '../../html/fields.tsx'
import { ButtonLink, Empty, Pager, Status, Time } from '../../html/parts.tsx'
import { Table, type Column } from '../../html/table.tsx'
import type { Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { roleWord } from '../../words/words.ts'
import { paged } from '../pager.ts'
import { kindOf, type Kind } from './kind.ts'

export const showPeople =
  (kind: Kind) =>
  (visit: Visit): Shown => {
    const { path, title, lead, route } = kindOf(kind)
    const of = kind === 'staff' ? platformTenant : visit.asked('client')
    const all = visit.list('person', of).filter((one) => one.kind === kind)
    const shown = all.filter(({ status }) => visit.asked('gone') === '1' || status !== 'removed')
    const { rows, links } = paged(visit, shown)
    const isRemovedShown = visit.asked('gone') === '1'
    return {
      title,
      lead,
      actions: visit.may(`POST ${route}`) ? (
        <ButtonLink href={visit.at(`${path}/new`)} kind="main">
          Invite somebody
        </ButtonLink>
      ) : undefined,
      body: (
        <>
          {shown.length === all.length && !isRemovedShown ? (
            ''
          ) : (
            <Filters path={visit.at(path)} isFiltered={isRemovedShown}>
              <SelectField
                name="gone"
                label="Removed people"
                value={visit.asked('gone') ?? ''}
                choices={[
                  { value: '', label: 'Not shown' },
                  { value: '1', label: 'Shown' },
                ]}
              />
            </Filters>
          )}
          {rows.length === 0 ? (
            <Empty title="Nobody is here yet.">
              <p>Invite the people who work together here. Each sets a password of their own.</p>
            </Empty>
          ) : (
            <Table
              caption="The last who were invited first"
              columns={columnsOf(visit, kind)}
              rows={rows}
            />
          )}
          <Pager {...links} />
        </>
      ),
    }
  }

function columnsOf(visit: Visit, kind: Kind): readonly Column<PersonView>[] {
  const client: readonly Column<PersonView>[] =
    visit.isStaff && kind === 'member'
      ? [{ label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) }]
      : []
  return [
    {
      label: 'Name',
      isHead: true,
      cell: ({ id, name }) => <a href={visit.at(`${kindOf(kind).path}/${id}`)}>{name}</a>,
    },
    ...client,
    { label: 'E-mail address', cell: ({ email }) => email },
    { label: 'Roles', cell: ({ roles }) => roles.map(roleWord).join(', ') },
    { label: 'Status', cell: ({ status }) => <Status of={status} /> },
    {
      label: 'Last sign-in',
      cell: ({ lastSignInAtMs }) =>
        lastSignInAtMs === undefined ? 'Not yet' : <Time ms={lastSignInAtMs} zone={visit.zone} />,
    },
  ]
}
