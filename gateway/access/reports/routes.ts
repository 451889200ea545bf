/** Routes of reports: generate, edit, publish, withdraw, and read in four formats. */
import type { z } from 'zod'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import {
  publishBody,
  reportBody,
  reportPatch,
  withdrawBody,
} from '../../../proto/access/reports/report.ts'
import { etagOf } from '../../routing/answers/conditions.ts'
import { jsonRoute, rawRoute, type Route } from '../../routing/route.ts'
import { granting, type GrantedAccess } from '../gate/access.ts'
import type { Governance } from '../governance/governance.ts'
import type { RecordAnswer } from '../records/records.ts'
import { recordAnswer } from '../records/record-schemas.ts'
import { formatsOf, isExported, type ReportFormats } from './formats/formats.ts'
import { reportMakers, type ReportHolders } from './holders.ts'
import type { Reports } from './reports.ts'
import { onlyRoles, steppedUp } from '../../routing/auth/access-rule.ts'
import { byAuthor, ofId } from '../governance/entity-routes.ts'

export interface ReportRouteDeps {
  readonly reports: Reports
  readonly holders: ReportHolders
  readonly governance: Governance
  readonly formats: ReportFormats
  /** Called when a report was read. */
  readonly onRead: (access: GrantedAccess, id: string) => void
}

const path = '/v1/reports'
const makers = onlyRoles(...reportMakers)
const publishers = steppedUp(onlyRoles('reviewer'))
const response = recordAnswer(areaDefinitions.reports)
const etagHeaders = ({ data }: RecordAnswer) => ({ etag: etagOf(data.version) })

export const reportRoutes = (deps: ReportRouteDeps): readonly Route[] => [
  jsonRoute({
    method: 'POST',
    path,
    summary: 'Generate a draft report from the records of a period.',
    description: 'Figures are taken from the current records and do not change afterwards.',
    auth: 'access',
    access: makers,
    makes: true,
    hasEtag: true,
    status: 201,
    body: reportBody,
    response,
    handler: ({ caller, body }) => deps.reports.generate(caller, body),
    headers: (answer) => ({ ...etagHeaders(answer), location: `${path}/${answer.data.id}` }),
  }),
  verb(deps, {
    summary: 'Update the texts of a draft: title, summary, remarks. Figures cannot be changed.',
    description: 'A merge patch.',
    access: makers,
    body: reportPatch,
    message: (patch, by) => ({ type: 'update', patch, ...by }),
  }),
  verb(deps, {
    suffix: 'publish',
    summary: 'Publish the draft with this digest, as a person who is not one of its authors.',
    description: 'Send the `digest` that was shown. From then on, the client can read the report.',
    access: publishers,
    body: publishBody,
    message: ({ digest }, by) => ({ type: 'publish', digest, ...by }),
  }),
  verb(deps, {
    suffix: 'withdraw',
    summary: 'Withdraw a published report: its contents are no longer shown.',
    description: 'Requires a reason, which stays readable.',
    access: publishers,
    body: withdrawBody,
    message: ({ reason }, by) => ({ type: 'withdraw', reason, ...by }),
  }),
  contentRoute(deps),
]

interface Verb<B> {
  /** Absent: a PATCH of the report itself. */
  readonly suffix?: string
  readonly summary: string
  readonly description: string
  readonly access: typeof makers
  readonly body: z.ZodType<B>
  readonly message: (
    body: B,
    by: ReturnType<typeof byAuthor>,
  ) => ReturnType<Parameters<Reports['change']>[2]>
}

function verb<B>(deps: ReportRouteDeps, { suffix, access, message, ...spec }: Verb<B>): Route {
  const { reports, governance } = deps
  return jsonRoute({
    method: suffix === undefined ? 'PATCH' : 'POST',
    path: suffix === undefined ? `${path}/{id}` : `${path}/{id}/${suffix}`,
    ...spec,
    auth: 'access',
    access,
    needsIfMatch: true,
    hasEtag: true,
    params: ofId,
    response,
    headers: etagHeaders,
    handler: ({ caller, params, body: given, request }) =>
      reports.change(
        caller,
        params.id,
        (by) => message(given, by),
        () => byAuthor(governance, caller, request),
      ),
  })
}

function contentRoute({ reports, holders, formats, onRead }: ReportRouteDeps): Route {
  return rawRoute({
    method: 'GET',
    path: `${path}/{id}/content`,
    summary: `Get a report in the format that Accept names: ${formatsOf.join(', ')}.`,
    description:
      'A published report, or a draft if you may create reports. CSV and PDF need `reports:export` in ' +
      'addition to `reports:read`.',
    auth: 'access',
    access: granting((call) => holders.reader(call), 'reports', 'read'),
    params: ofId,
    example: { answer: { data: { title: 'November', sections: [] } } },
    contentType: formatsOf[0],
    async handler({ granted, params: { id }, request }) {
      const format = formats.named(request.headers.get('accept'))
      const action = isExported(format) ? 'export' : 'read'
      const report = await reports.show(granted, id, action)
      onRead(granted, id)
      return formats.reply(report, format, request.gone)
    },
  })
}
