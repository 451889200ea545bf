/** Reports, read through the signed-in person's own grants as in the routes. */
import { z } from 'zod'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { areaKeys } from '../../../../proto/access/areas/areas.ts'
import { pathUses } from '../../../../proto/access/engagement/scope.ts'
import type { Permission } from '../../../../proto/access/permissions.ts'
import {
  reportKinds,
  reportPeriod,
  reportSection,
  reportSource,
  reportStatuses,
} from '../../../../proto/access/reports/report-content.ts'
import { wholeAreas } from '../../../../runtime/access/report-visibility.ts'
import { visibleFields } from '../../../../runtime/access/records/record-json.ts'
import { dataJson, pageJson } from '../../../routing/schemas/access-json.ts'
import type { Visit } from '../../visit.ts'

/** Fields have defaults, because a grant may hide some. */
const rowShape = {
  title: z.string().default('A report'),
  kind: z.enum(reportKinds).optional(),
  period: reportPeriod.optional(),
  status: z.enum(reportStatuses).optional(),
  digest: z.string().optional(),
  published_at: z.string().optional(),
  published_by: z.string().optional(),
} as const

const rowJson = z.object({ id: z.string(), version: z.int(), ...rowShape })
export type ReportRow = z.output<typeof rowJson>

const reportJson = rowJson.extend({
  summary: z.string().default(''),
  sections: z.array(reportSection).default([]),
  sources: z.array(reportSource).default([]),
  audience_areas: z.array(z.enum(areaKeys)).default([]),
  created_at: z.string(),
  created_by: z.string(),
  supersedes: z.string().optional(),
  superseded_by: z.string().optional(),
  withdrawn_at: z.string().optional(),
  withdrawn_reason: z.string().optional(),
})
export type ReportData = z.output<typeof reportJson>

/** The person's current permissions, for one client or all. */
function permissionsHeld(visit: Visit, client?: string) {
  const { id } = visit.person
  return visit
    .list('grant', client)
    .filter(({ subject }) => subject.kind === 'person' && subject.id === id)
    .filter(({ path }) => pathUses[path].reports)
    .map((grant) => ({ grant, permissions: visit.deps.authorizer.held(grant) }))
    .reverse()
}

const readsReports = ({ area, actions }: Permission): boolean =>
  area === 'reports' && actions.includes('read')

/** The clients whose reports this person may read, sorted by name. */
export function clientsRead(
  visit: Visit,
): readonly { readonly id: string; readonly name: string }[] {
  const found = permissionsHeld(visit).filter(({ permissions }) => permissions.some(readsReports))
  const ids = new Set(found.map(({ grant }) => grant.tenant))
  const clients = [...ids].flatMap((id) => visit.find('client', id) ?? [])
  return clients.sort((a, b) => a.name.localeCompare(b.name))
}

/** Whether they may have reports of this client as files, beyond reading them. */
export const exportsReports = (visit: Visit, client: string): boolean =>
  permissionsHeld(visit, client)
    .flatMap(({ permissions }) => permissions)
    .some(({ area, actions }) => area === 'reports' && actions.includes('export'))

/** The areas that a report made by this person may contain. */
export const areasHeld = (visit: Visit, client: string) =>
  wholeAreas(permissionsHeld(visit, client).flatMap(({ permissions }) => permissions))

/** All fields except the sections, which are most of a report. */
function fieldsOfRow(visit: Visit, client: string): string {
  const permission = permissionsHeld(visit, client)
    .flatMap(({ permissions }) => permissions)
    .find(readsReports)
  const seen = visibleFields(areaDefinitions.reports, permission ?? {})
  return ['id', 'version', ...Object.keys(rowShape)].filter((name) => seen.includes(name)).join()
}

export function reportsOf(visit: Visit, client: string, query: Readonly<Record<string, string>>) {
  const asked = { client_id: client, fields: fieldsOfRow(visit, client), ...query }
  const { acts } = visit.deps
  return acts.run(visit.facts, 'GET /v1/reports', { query: asked }, pageJson(rowJson))
}

/** Throws `not_found`, or `insufficient_scope` if the person may read no reports. */
export async function reportOf(visit: Visit): Promise<ReportData> {
  const act = { params: { id: visit.param('id') } }
  const { acts } = visit.deps
  return (await acts.run(visit.facts, 'GET /v1/reports/{id}', act, dataJson(reportJson))).data
}
