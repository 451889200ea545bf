/**
 * `/v1/custom/{slug}`: the routes of custom access. A view shows some fields and records of its
 * area, and is read like the area with a permission limited to the view.
 */
import { z } from 'zod'
import { customAreaOf, customSlug } from '../../../proto/access/areas/areas.ts'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { etagOf } from '../../routing/answers/conditions.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import type { GrantedAccess } from '../gate/access.ts'
import type { Authorizer } from '../gate/authorize.ts'
import type { AccessChain } from '../gate/chain.ts'
import { noCustomView, withCustomView, type CustomAccess } from './custom-view.ts'
import type { Records } from './records.ts'
import type { GrantRule } from '../../routing/auth/access-rule.ts'
import { nextLink } from './routes.ts'

export interface CustomRouteDeps {
  readonly records: Pick<Records, 'list' | 'get'>
  readonly chain: Pick<AccessChain, 'get'>
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** Called when records of this area were shown. */
  readonly onRead: (access: GrantedAccess, area: AreaKey, ids: readonly string[]) => void
}

const record = z.looseObject({ id: z.string(), version: z.int() })
const listParameters = z.looseObject({
  limit: z.int().optional().meta({ minimum: 1, maximum: accessLimits.listRowsMost }),
  cursor: z.string().optional().describe('`next_cursor` of the previous page.'),
  sort: z
    .string()
    .optional()
    .describe('As for the area of the view. If absent, the order of the view.'),
  fields: z
    .string()
    .optional()
    .describe('Comma-separated names of the fields to return, of those in the view.'),
  updated_since: z
    .string()
    .optional()
    .describe('Only records updated at or after this time (RFC 3339).')
    .meta({ format: 'date-time' }),
})

export function customRoutes(deps: CustomRouteDeps): readonly Route[] {
  const { records, onRead } = deps
  const access = grantingView(deps)
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/custom/{slug}',
      summary: 'Custom access: list the records of a view. Filters are those of its area.',
      description: 'A view shows some fields and records of one area. Managed changes define it.',
      auth: 'access',
      access,
      params: z.object({ slug: z.string() }),
      query: listParameters,
      response: z.object({
        data: z.array(z.looseObject({ id: z.string() })),
        page: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
      }),
      async handler({ granted: { access, view }, request }) {
        const query = new URLSearchParams(request.query)
        if (!query.has('sort')) query.set('sort', view.sort)
        const page = await records.list(access, view.source_area, query)
        const data = page.data.map((row) => ({ ...row, id: String(row['id']) }))
        onRead(
          access,
          view.source_area,
          data.map(({ id }) => id),
        )
        return { data, page: page.page }
      },
      headers: ({ page }, { request }) => nextLink(request, page.next_cursor),
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/custom/{slug}/{id}',
      summary: 'Custom access: get a record, as the view shows it.',
      description: 'A record outside the view is answered as if it did not exist.',
      auth: 'access',
      access,
      params: z.object({ slug: z.string(), id: z.string() }),
      response: z.object({ data: record }),
      hasEtag: true,
      async handler({ granted: { access, view }, params }) {
        const found = await records.get(access, view.source_area, params.id)
        onRead(access, view.source_area, [found.data.id])
        return found
      },
      headers: ({ data }) => ({ etag: etagOf(data.version) }),
    }),
  ]
}

/** The area of a view is known from the request; the access is limited to the view. */
const grantingView = ({ chain, authorizer }: CustomRouteDeps): GrantRule<CustomAccess> => ({
  who: 'anyone',
  grant({ caller, params: { slug = '' } }) {
    // No permission can contain a name that is not a valid slug.
    if (!customSlug.test(slug)) throw noCustomView()
    return withCustomView(chain, authorizer.authorize(caller, customAreaOf(slug), 'read'), slug)
  },
})
