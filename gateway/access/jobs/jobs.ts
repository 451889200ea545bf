/**
 * Jobs of the areas in which the service itself does work: starting and cancelling them, and
 * reading and applying their results.
 */
import { z } from 'zod'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import {
  jobActor,
  jobAreas,
  type JobArea,
  type JobInput,
  type JobOrder,
} from '../../../proto/access/jobs/job.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { meetsConditions, type Permission } from '../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { Cursors } from '../../../runtime/access/records/index/cursor.ts'
import {
  validateFields,
  invalidFields,
  unknownField,
} from '../../../runtime/access/records/validate-fields.ts'
import { listRecords } from '../../../runtime/access/records/index/list.ts'
import { isRecordObject } from '../../../runtime/access/records/merge-patch.ts'
import type { RecordIndexes } from '../../../runtime/access/records/index/record-indexes.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { canEvaluate, isRecordVisible } from '../../../runtime/access/records/index/visible.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import {
  permissionFor,
  requirePermission,
  type Granted,
  type GrantedAccess,
} from '../gate/access.ts'
import { applyProposals, type ApplyOrder } from './apply.ts'
import { recordsSeenBy } from './seen-records.ts'
import { seoAuditOrder } from './seo-audit.ts'
import { webTaskOrder, type WebTaskDeps } from './web-task.ts'
import { visibleFields, toRecordJson } from '../../../runtime/access/records/record-json.ts'
import type { RecordRoom } from '../records/record-room.ts'
import { noRecord } from '../records/no-record.ts'
import { changeOriginOf, type RecordAnswer } from '../records/records.ts'

export interface JobsDeps extends WebTaskDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly store: RecordStore
  readonly indexes: RecordIndexes
  readonly cursors: Cursors
  readonly room: Pick<RecordRoom, 'admit'>
  readonly clock: Clock
}

export const findingsQuery = z.object({
  severity: z.enum(['critical', 'high', 'medium', 'low']).optional(),
  category: z.string().max(64).optional(),
})

const findingsField = z.array(z.looseObject({ severity: z.string(), category: z.string() }))
export type FindingJson = z.output<typeof findingsField>[number]

export class Jobs {
  readonly #deps: JobsDeps

  constructor(deps: JobsDeps) {
    this.#deps = deps
  }

  /** Resolves when the job's record exists; the work continues after that. */
  async start(
    access: Granted<JobArea, 'run'>,
    area: JobArea,
    body: unknown,
  ): Promise<RecordAnswer> {
    const permission = requirePermission(access, area, 'run')
    const { clientId } = access
    const { clock, directory } = this.#deps
    const fields = validateFields(areaDefinitions[area].fields, writableFields(permission, body))
    checkConditions(permission, fields)
    const order = await this.#order(access, area, fields)
    this.#deps.room.admit(clientId)
    await this.#checkRoom(clientId)
    const createdAtMs = clock.now()
    const id = newRecordId(area, createdAtMs)
    const origin = changeOriginOf(access)
    const input: JobInput = { id, tenant: clientId, createdAtMs, origin, order }
    const { view } = await directory.create(jobActor, id, input, { untilSettled: true })
    const record = await this.#read(clientId, area, id)
    if (record) return answer(access, record)
    const why = view.error ?? 'Its record could not be created.'
    throw new ServiceError('unavailable', `The job did not start: ${why} Try again.`)
  }

  /** Resolves when the job has ended and its record says so. */
  async cancel(access: Granted<JobArea, 'run'>, area: JobArea, id: string): Promise<RecordAnswer> {
    const { clientId: tenant, author: by } = access
    const record = await this.#visible(tenant, area, id, requirePermission(access, area, 'run'))
    try {
      await this.#deps.directory.ask(
        jobActor,
        id,
        { type: 'cancel', by },
        { tenant, untilSettled: true },
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
      // The job ended and its actor was removed; the record remains.
      const status = String(record.fields['status'])
      const message = `This job is ${status}; there is nothing left to cancel.`
      throw new ServiceError('invalid_transition', message, { status, allowed: [] }, error)
    }
    return answer(access, (await this.#read(tenant, area, id)) ?? record)
  }

  /** The most severe findings first. */
  async findings(
    access: Granted<'seo-audits', 'read'>,
    id: string,
    { severity, category }: z.output<typeof findingsQuery>,
  ): Promise<readonly FindingJson[]> {
    const area = 'seo-audits'
    const permission = requirePermission(access, area, 'read')
    const record = await this.#visible(access.clientId, area, id, permission)
    if (!visibleFields(areaDefinitions[area], permission).includes('findings')) throw noRecord()
    const findings = findingsField.safeParse(record.fields['findings']).data ?? []
    return findings.filter(
      (one) =>
        (severity === undefined || one.severity === severity) &&
        (category === undefined || one.category === category),
    )
  }

  /** Applies the proposals that a person has chosen. */
  async apply(
    access: Granted<'enrichment', 'read'>,
    id: string,
    ifVersion: number | '*',
    fields: readonly string[],
    authorize: ApplyOrder['authorize'],
  ): Promise<RecordAnswer> {
    const { store, indexes, clock } = this.#deps
    const permission = requirePermission(access, 'enrichment', 'read')
    const held = await store.get(access.clientId, 'enrichment', id)
    if (!held || !isRecordVisible(permission, held.record)) throw noRecord()
    const { version } = held.record
    if (ifVersion === '*') {
      throw new ServiceError(
        'forbidden',
        'Send the ETag that you read as If-Match; * is not allowed here.',
      )
    }
    if (ifVersion !== version) {
      const message = 'This enrichment has changed since you read it; read it again.'
      throw new ServiceError('precondition_failed', message, { version })
    }
    const origin = changeOriginOf(access)
    const nowMs = clock.now()
    const order = { store, enrichment: held, fields, origin, authorize, nowMs }
    const [enrichment, subject] = await applyProposals(order)
    for (const one of [enrichment, subject]) if (one) indexes.put(one)
    return answer(access, enrichment!.record)
  }

  async #order(access: GrantedAccess, area: JobArea, fields: RecordFields): Promise<JobOrder> {
    const { clientId } = access
    if (area === 'seo-audits') return seoAuditOrder(fields, { ...this.#deps, clientId })
    return webTaskOrder(area, fields, clientId, this.#deps, recordsSeenBy(access, this.#deps.store))
  }

  async #visible(client: ClientId, area: JobArea, id: string, permission: Permission<AreaKey>) {
    const record = await this.#read(client, area, id)
    if (!record || !isRecordVisible(permission, record)) throw noRecord()
    return record
  }

  /** Reads from the store, because the index may be a moment behind the job. */
  async #read(client: ClientId, area: JobArea, id: string): Promise<StoredRecord | undefined> {
    const held = await this.#deps.store.get(client, area, id)
    if (held) this.#deps.indexes.put(held)
    return held?.record
  }

  async #checkRoom(client: ClientId): Promise<void> {
    const limit = limits.jobsAtOnce
    const filters = [{ field: 'status', values: ['queued', 'running'] }]
    const sort = { field: 'created_at', descending: true }
    const pages = await Promise.all(
      jobAreas.map((area) =>
        listRecords(this.#deps, client, { area, limit, sort, filters, where: [] }),
      ),
    )
    const running = pages.reduce((sum, { records }) => sum + records.length, 0)
    if (running < limit) return
    const message = `This client already has ${limit} jobs that have not ended; wait for one, or cancel one.`
    throw new ServiceError('quota_exceeded', message, { limit })
  }
}

function writableFields({ area, fields }: Permission<AreaKey>, body: unknown): RecordFields {
  if (!isRecordObject(body))
    throw new ServiceError('bad_request', 'The body must be a JSON object.')
  const writable = Object.keys(areaDefinitions[area].fields.shape)
  const known = fields ? writable.filter((name) => fields.includes(name)) : writable
  const stranger = Object.keys(body).find((name) => !known.includes(name))
  if (stranger !== undefined) throw unknownField(stranger, 'write', known)
  return body
}

function checkConditions({ area, where = [] }: Permission<AreaKey>, fields: RecordFields): void {
  if (canEvaluate(area, where) && meetsConditions({ where }, fields)) return
  const text = 'has a value that this access does not allow'
  throw invalidFields(where.map(({ field }) => ({ pointer: `/${field}`, text })))
}

function answer(access: GrantedAccess, record: StoredRecord): RecordAnswer {
  const read = permissionFor(access, record.area, 'read')
  // A caller who may run but not read sees only the status.
  const names = visibleFields(areaDefinitions[record.area], read ?? { fields: ['status'] })
  const { id, version } = record
  return { data: { ...toRecordJson(record, names), id, version } }
}
