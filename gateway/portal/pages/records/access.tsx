/** The grant through which a person sees an area, and its justification. */
import { areaRules, isAreaKey, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { PortalAccess } from '../../../access/gate/authorize.ts'
import { permissionFor } from '../../../access/gate/access.ts'
import { DueDay, FactList } from '../../../html/parts.tsx'
import { fieldsWord, whereWord } from '../../html/permissions.tsx'
import type { Visit } from '../../visit.ts'
import { needTitle, scopeName } from '../../words/names.ts'
import { plural } from '../../../html/plural.ts'
import { toWords } from '../../words/words.ts'

/** Throws `not_found` for an unknown area. */
export function areaOfPath(visit: Visit): AreaKey {
  const area = visit.param('area')
  if (isAreaKey(area)) return area
  throw new ServiceError('not_found', 'There is no area with this name.')
}

export interface ReadingGrants {
  readonly chosen: PortalAccess
  readonly all: readonly PortalAccess[]
}

/** The grant named in the URL, otherwise the one that ends last. Throws `insufficient_scope`. */
export function readingGrants(visit: Visit, area: AreaKey): ReadingGrants {
  const all = visit.held(area, 'read')
  const named = visit.asked('grant')
  const chosen = all.find(({ grant }) => grant.id === named) ?? all[0]
  if (!chosen) {
    const message = `None of your portal grants allows reading ${areaRules[area].label}.`
    throw new ServiceError('insufficient_scope', message)
  }
  return { chosen, all }
}

/** Grant, scope, need, end, and approvers. */
export const WhyFacts = ({
  visit,
  area,
  of: { grant, access },
}: {
  visit: Visit
  area: AreaKey
  of: PortalAccess
}) => {
  const permission = permissionFor(access, area, 'read')
  return (
    <div class="why">
      <FactList
        of={[
          {
            term: 'Need',
            is: <a href={visit.at(`/needs/${grant.needId}`)}>{needTitle(visit, grant.needId)}</a>,
          },
          {
            term: 'Grant',
            is: (
              <a href={visit.at(`/access/${grant.id}`)}>
                {areaRules[area].label}: {permission?.actions.map(toWords).join(', ').toLowerCase()}
              </a>
            ),
          },
          { term: 'Service scope', is: scopeName(visit, grant.scopeId) },
          { term: 'Ends', is: <DueDay ms={grant.endsAtMs} zone={visit.zone} now={visit.now} /> },
          { term: 'Reviewed by', is: reviewersWord(grant) },
          permission?.fields && { term: 'Fields', is: fieldsWord(permission.fields) },
          permission?.where && { term: 'Records', is: whereWord(permission.where) },
        ]}
      />
    </div>
  )
}

/** By role, for example `a staff reviewer and an owner of the client`. */
export function reviewersWord({ approvers }: Pick<PortalAccess['grant'], 'approvers'>): string {
  const count = (slot: string) => approvers.filter((one) => one.slot === slot).length
  const staff = count('staff_reviewer')
  const owners = count('client_owner')
  const parts = [
    ...(staff > 0 ? [plural(staff, 'staff reviewer')] : []),
    ...(owners > 0 ? [plural(owners, 'owner of the client', 'owners of the client')] : []),
  ]
  return parts.length === 0 ? 'No one' : parts.join(' and ')
}
