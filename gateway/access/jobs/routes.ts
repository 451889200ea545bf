/** `POST /v1/{job area}`, `…/{id}/cancel`, `…/findings` and `…/apply`. */
import { z } from 'zod'
import type { AreaAction, AreaKey } from '../../../proto/access/areas/areas.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { jobAreas, type JobArea } from '../../../proto/access/jobs/job.ts'
import { etagOf, ifMatch } from '../../routing/answers/conditions.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { grantingCaller, type AuthorizeCaller } from '../gate/access.ts'
import { findingsQuery, type Jobs } from './jobs.ts'
import { applyBody } from './apply.ts'
import type { RecordAnswer } from '../records/records.ts'
import { newRecordBody, recordAnswer } from '../records/record-schemas.ts'

export interface JobRouteDeps {
  readonly jobs: Jobs
  readonly authorize: AuthorizeCaller
}

const withId = z.object({ id: z.string() })
const etagHeaders = ({ data }: RecordAnswer) => ({ etag: etagOf(data.version) })

export const jobRoutes = (deps: JobRouteDeps): readonly Route[] => [
  ...jobAreas.flatMap((area) => [startRoute(area, deps), cancelRoute(area, deps)]),
  findingsRoute(deps),
  applyRoute(deps),
]

function startRoute(key: JobArea, { jobs, authorize }: JobRouteDeps): Route {
  const area = areaDefinitions[key]
  return jsonRoute({
    method: 'POST',
    path: `/v1/${key}`,
    summary: `${area.label}: start a job. It runs in the background; GET it for its progress.`,
    description: 'Returns the record of the job, which is updated while the job runs.',
    auth: 'access',
    access: grantingCaller(authorize, key, 'run'),
    status: 202,
    makes: true,
    hasEtag: true,
    body: newRecordBody(area),
    response: recordAnswer(area),
    handler: ({ granted, body }) => jobs.start(granted, key, body),
    headers: (answer) => ({ ...etagHeaders(answer), location: `/v1/${key}/${answer.data.id}` }),
  })
}

function cancelRoute(key: JobArea, { jobs, authorize }: JobRouteDeps): Route {
  const area = areaDefinitions[key]
  return jsonRoute({
    method: 'POST',
    path: `/v1/${key}/{id}/cancel`,
    summary: `${area.label}: cancel a job that has not ended. Its results so far are kept.`,
    description: 'A job that has ended is refused and stays unchanged.',
    auth: 'access',
    access: grantingCaller(authorize, key, 'run'),
    params: withId,
    hasEtag: true,
    response: recordAnswer(area),
    handler: ({ granted, params }) => jobs.cancel(granted, key, params.id),
    headers: etagHeaders,
  })
}

const findingsAnswer = z.object({
  data: z.array(z.looseObject({ severity: z.string(), category: z.string() })),
})

function findingsRoute({ jobs, authorize }: JobRouteDeps): Route {
  const area = 'seo-audits'
  return jsonRoute({
    method: 'GET',
    path: `/v1/${area}/{id}/findings`,
    summary: 'SEO audits: list the findings of an audit, the most severe first.',
    description: 'Can be filtered by severity and category.',
    auth: 'access',
    access: grantingCaller(authorize, area, 'read'),
    params: withId,
    query: findingsQuery,
    response: findingsAnswer,
    async handler({ granted, params, query }) {
      return { data: [...(await jobs.findings(granted, params.id, query))] }
    },
  })
}

/** Also needs write permission for the subject. */
function applyRoute({ jobs, authorize }: JobRouteDeps): Route {
  const area = 'enrichment'
  return jsonRoute({
    method: 'POST',
    path: `/v1/${area}/{id}/apply`,
    summary: 'Enrichment: write the proposed values of these fields into the subject.',
    description:
      'Also requires write access to the subject. `If-Match` is the version of the enrichment.',
    auth: 'access',
    access: grantingCaller(authorize, area, 'read'),
    params: withId,
    body: applyBody,
    makes: true,
    needsIfMatch: true,
    hasEtag: true,
    response: recordAnswer(areaDefinitions[area]),
    handler({ caller, granted, params, body, request }) {
      // The area of the subject is known when the record has been read.
      const may = (of: AreaKey, action: AreaAction) => authorize(caller, of, action)
      return jobs.apply(granted, params.id, ifMatch(request), body.fields, may)
    },
    headers: etagHeaders,
  })
}
