/** What was used, as JSON and as CSV: of the key's tenant, and of all for operators. */
import { usageCsv } from '../../runtime/usage/csv.ts'
import type { HttpReply } from '../server/http.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import { adminUsageQuery, usageJson, usageQuery } from './usage-json.ts'
import { addUpUsage, type UsageDeps } from './usage.ts'

const counted =
  'Sessions and tasks count on the day of their creation, in UTC. Counted is what is kept: see ' +
  'RETENTION_DAYS and RETENTION_PER_TENANT.'
const asCsv =
  'The rows of the same request without `.csv`, a line for each, for a spreadsheet. Empty without rows.'

const own = { auth: 'key', scope: ['sessions', 'tasks'], query: usageQuery } as const
const ofAll = { auth: 'key', scope: 'admin', query: adminUsageQuery } as const
const json = { method: 'GET', response: usageJson } as const
const csv = { method: 'GET', contentType: 'text/csv' } as const

export function usageRoutes(deps: UsageDeps): readonly Route[] {
  return [
    jsonRoute({
      ...{ ...own, ...json },
      path: '/v1/usage',
      summary: 'Add up what your tenant used.',
      description: `Sessions, browser minutes, bytes, tasks, tokens and cost, by day, month or key. ${counted}`,
      handler: async ({ caller: { tenant }, query }) => ({
        data: answer(await addUpUsage(deps, { ...query, tenant })),
      }),
    }),
    rawRoute({
      ...{ ...own, ...csv },
      path: '/v1/usage.csv',
      summary: 'Get what your tenant used as CSV.',
      description: asCsv,
      handler: async ({ caller: { tenant }, query }) =>
        csvReply(await addUpUsage(deps, { ...query, tenant })),
    }),
    jsonRoute({
      ...{ ...ofAll, ...json },
      path: '/v1/admin/usage',
      summary: 'Add up what tenants used.',
      description: `Same as \`GET /v1/usage\`, of all tenants or of one. ${counted}`,
      handler: async ({ query }) => ({ data: answer(await addUpUsage(deps, query)) }),
    }),
    rawRoute({
      ...{ ...ofAll, ...csv },
      path: '/v1/admin/usage.csv',
      summary: 'Get what tenants used as CSV.',
      description: asCsv,
      handler: async ({ query }) => csvReply(await addUpUsage(deps, query)),
    }),
  ]
}

type Found = Awaited<ReturnType<typeof addUpUsage>>

const answer = ({ rows, ...rest }: Found) => ({ ...rest, rows: [...rows] })

const csvReply = ({ by, from, to, rows }: Found): HttpReply => ({
  status: 200,
  headers: {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="usage-by-${by}-${from}-${to}.csv"`,
    'cache-control': 'no-store',
  },
  body: usageCsv(rows),
})
