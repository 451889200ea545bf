/** The past and planned changes of a technical record, and a link to ask for one. */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { PortalAccess } from '../../../access/gate/authorize.ts'
import { ButtonLink, EmptyState, PageSection } from '../../../html/parts.tsx'
import type { Visit } from '../../visit.ts'
import { asTechnical, kindOfArea } from '../changes/form/change-subject.ts'
import { mayPropose } from '../changes/change/possible-actions.ts'
import { ChangeTable } from '../changes/lists/table.tsx'

interface Props {
  readonly visit: Visit
  readonly area: AreaKey
}

/**
 * `of` is the grant through which the reader sees the area; `isNew` is set on lists, for a new
 * record.
 */
export const AskForChange = ({
  visit,
  area,
  of: { access },
  isNew,
}: Props & { readonly of: PortalAccess; readonly isNew?: boolean }) => {
  const technical = asTechnical(area)
  if (!technical || !mayPropose(visit)) return <></>
  const query = new URLSearchParams({
    ...(visit.isStaff && { client: access.clientId }),
    kind: kindOfArea[technical],
    area: technical,
    record: isNew ? 'new' : visit.param('id'),
  })
  return <ButtonLink href={visit.at(`/changes/new?${query}`)}>Request a change</ButtonLink>
}

const shownMost = 5

export const ChangesOf = ({ visit, area }: Props) => {
  if (!asTechnical(area)) return <></>
  const id = visit.param('id')
  const changes = visit.list('change').filter(({ terms: { work }, applied }) => {
    return ('id' in work && work.id === id) || applied?.id === id
  })
  return (
    <PageSection
      title="Changes"
      actions={
        changes.length > shownMost ? (
          <a href={visit.at(`/changes/table?target=${id}`)}>All changes to this record</a>
        ) : undefined
      }
    >
      {changes.length === 0 ? (
        <EmptyState title="There are no changes to this record.">
          <p>Only managed changes and checkers can write this record.</p>
        </EmptyState>
      ) : (
        <ChangeTable
          {...{ visit, names: new Map(), caption: 'Newest first' }}
          rows={changes.slice(0, shownMost)}
        />
      )}
    </PageSection>
  )
}
