/** The lists that a person has saved; the portal shows them beside each area. */
import { z } from 'zod'
import { newAccessId } from '../../../proto/access/ids.ts'
import { personActor } from '../../../proto/access/people/person.ts'
import {
  savedQuery,
  savedViewBody,
  type SavedView,
} from '../../../proto/access/people/saved-view.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { emptyRoute, jsonRoute, type Route } from '../../routing/route.ts'
import { personWith } from '../../routing/auth/access-caller.ts'
import type { Governance } from '../governance/governance.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import { peopleRule } from '../../routing/auth/access-rule.ts'
import { ofId } from '../governance/entity-routes.ts'

const path = '/v1/me/views'
const savedViewJson = z.object({
  id: z.string(),
  area: z.string(),
  name: z.string(),
  query: z.string(),
})

const savedViewData = ({ id, area, name, query }: SavedView) => ({ id, area, name, query })

export function savedViewRoutes({
  governance,
}: {
  readonly governance: Governance
}): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path,
      summary: 'List your saved views, by area and name.',
      description: 'Each with its filters and sort order.',
      auth: 'access',
      access: peopleRule,
      response: z.object({ data: z.array(savedViewJson) }),
      handler: ({ caller }) => ({ data: personWith(caller).person.savedViews.map(savedViewData) }),
    }),
    jsonRoute({
      method: 'POST',
      path,
      summary: 'Save a view: an area with its filters and sort order. Only you see it.',
      description: 'The portal shows it with the area.',
      auth: 'access',
      access: peopleRule,
      status: 201,
      body: savedViewBody,
      response: dataJson(savedViewJson),
      async handler({ caller, body: { area, name, query } }) {
        const { person } = personWith(caller)
        const id = newAccessId('savedView')
        const saved = { id, area, name, query: savedQuery(query) }
        const message = { type: 'save_view', by: governance.authorOf(caller), saved } as const
        await governance.tell(personActor, caller, person.id, message)
        return { data: saved }
      },
    }),
    emptyRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a saved view.',
      description: 'The records that it shows are not affected.',
      auth: 'access',
      access: peopleRule,
      params: ofId,
      async handler({ caller, params }) {
        const { person } = personWith(caller)
        if (!person.savedViews.some(({ id }) => id === params.id)) {
          throw new ServiceError('not_found', 'You have no saved view with this id.')
        }
        const by = governance.authorOf(caller)
        const message = { type: 'drop_view', viewId: params.id, by } as const
        await governance.tell(personActor, caller, person.id, message)
      },
    }),
  ]
}
