/**
 * Lets operators switch the checker of a record on and off, without seeing the record's content.
 */
import { z } from 'zod'
import {
  checkActor,
  checkAreas,
  checkBody,
  checkIdOf,
  checkedKinds,
  isChecked,
  type CheckArea,
  type CheckView,
} from '../../../proto/access/jobs/check.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import type { Author } from '../../../proto/access/author.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import type { Governance } from '../governance/governance.ts'
import { dataJson, isoTime, timeJson } from '../../routing/schemas/access-json.ts'
import { onlyRoles } from '../../routing/auth/access-rule.ts'
import { ofId } from '../governance/entity-routes.ts'

export interface CheckRouteDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly governance: Pick<Governance, 'authorOf'>
  readonly store: RecordStore
  /** Throws `audit_unavailable`. */
  readonly assertAudited: () => void
  readonly clock: Clock
}

type CheckBody = z.output<typeof checkBody>

const checkJson = z.object({
  record_id: z.string(),
  enabled: z.boolean(),
  interval_seconds: z.int(),
  next_check_at: timeJson.nullable(),
})

export const checkRoutes = (deps: CheckRouteDeps): readonly Route[] =>
  checkAreas.map((area) =>
    jsonRoute({
      method: 'PUT',
      path: `/v1/${area}/{id}/check`,
      summary: `${areaDefinitions[area].label}: turn the checker of a record on or off.`,
      description:
        'A checker probes the target at an interval and writes its findings into the record.',
      auth: 'access',
      access: onlyRoles('operator', 'admin'),
      params: ofId,
      body: checkBody,
      response: dataJson(checkJson),
      async handler({ caller, params, body }) {
        deps.assertAudited()
        const by = deps.governance.authorOf(caller)
        return { data: await switchCheck(deps, { area, recordId: params.id, by }, body) }
      },
    }),
  )

interface SwitchedCheck {
  readonly area: CheckArea
  readonly recordId: string
  readonly by: Author
}

async function switchCheck(
  { directory, store, clock }: CheckRouteDeps,
  { area, recordId, by }: SwitchedCheck,
  { client_id: tenant, enabled, interval_seconds: intervalSeconds }: CheckBody,
) {
  const held = await store.get(tenant, area, recordId)
  if (!held || held.record.deletedAtMs !== undefined) throw unknownError()
  const id = checkIdOf(tenant, recordId)
  if (!enabled) {
    try {
      const message = { type: 'switch_off', by, recordId } as const
      const { view } = await directory.ask(checkActor, id, message, { tenant })
      return checkData(view)
    } catch (error) {
      if (!isNotFound(error)) throw error
      // The checker was never switched on.
      const never = { record_id: recordId, enabled: false, next_check_at: null }
      return { ...never, interval_seconds: intervalSeconds }
    }
  }
  if (!isChecked(area, held.record.fields)) {
    const text = `Only monitors of the kinds ${checkedKinds.join(', ')} can be checked.`
    throw new ServiceError('conflict', text)
  }
  const input = { id, tenant, createdAtMs: clock.now(), by, area, recordId }
  await directory.create(checkActor, id, input, { tenant })
  const message = { type: 'switch_on', by, recordId, intervalSeconds } as const
  const { view } = await directory.ask(checkActor, id, message, { tenant })
  return checkData(view)
}

const checkData = ({ recordId, status, intervalSeconds, nextCheckAtMs }: CheckView) => ({
  record_id: recordId,
  enabled: status === 'on',
  interval_seconds: intervalSeconds,
  next_check_at: nextCheckAtMs === null ? null : isoTime(nextCheckAtMs),
})

const unknownError = () => new ServiceError('not_found', 'This client has no record with this id.')
