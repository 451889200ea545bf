/**
 * Reports of a client: generating, editing, publishing, withdrawing and showing them. Each of these
 * needs access to all areas in the report.
 */
import type { z } from 'zod'
import type { MessageTo } from '../../../proto/actor.ts'
import type { ByAuthor } from '../../../proto/access/author.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { newAccessId, type ReportId } from '../../../proto/access/ids.ts'
import {
  reportActor,
  type reportBody,
  type ReportView,
} from '../../../proto/access/reports/report.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { invalidFields } from '../../../runtime/access/records/validate-fields.ts'
import type { RecordIndexes } from '../../../runtime/access/records/index/record-indexes.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { isRecordVisible } from '../../../runtime/access/records/index/visible.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { requirePermission, type GrantedAccess } from '../gate/access.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import type { Governance } from '../governance/governance.ts'
import { noRecord } from '../records/no-record.ts'
import type { RecordAnswer, Records } from '../records/records.ts'
import { reportAreasOf, generateReport } from './generate/generate.ts'
import type { ReportHolders } from './holders.ts'
import { readMaterial, type MaterialDeps } from './read-material.ts'
import { shownReport, contentFields, type ShownReport } from './shown.ts'
import { wholeAreas } from '../../../runtime/access/report-visibility.ts'

/** `export`: as a file for others. */
export type ShowAction = 'read' | 'export'

export interface ReportsDeps extends MaterialDeps {
  readonly governance: Governance
  readonly holders: ReportHolders
  readonly records: Records
  readonly store: RecordStore
  readonly indexes: RecordIndexes
  readonly clock: Clock
}

type Order = z.output<typeof reportBody>
type Change = MessageTo<typeof reportActor, 'update' | 'publish' | 'withdraw'>

const area = 'reports'

export class Reports {
  readonly #deps: ReportsDeps

  constructor(deps: ReportsDeps) {
    this.#deps = deps
  }

  /**
   * Generates a draft. Throws `insufficient_scope` if the caller may not read the areas it would
   * contain.
   */
  async generate(caller: AccessCaller, order: Order): Promise<RecordAnswer> {
    const { governance, holders, clock, chain } = this.#deps
    const { client_id: client, kind, title, period, supersedes } = order
    await governance.get(clientActor, caller, client)
    const access = holders.of(caller, client)
    const areas = this.#areas(access, order)
    if (supersedes !== undefined) this.#assertPublished(client, supersedes)
    const nowMs = clock.now()
    const wanted = { client, areas, period }
    const material = await readMaterial({ ...this.#deps, chain }, wanted, nowMs)
    const content = generateReport({ kind, title, areas }, material)
    const id = newAccessId('report', nowMs)
    const by = governance.authorOf(caller)
    const more = supersedes === undefined ? {} : { supersedes }
    const input = { id, tenant: client, createdAtMs: nowMs, by, content, ...more }
    await governance.create(reportActor, id, input, { untilSettled: true })
    return this.#answer(access, id, 1)
  }

  async change(
    caller: AccessCaller,
    id: string,
    message: (by: ByAuthor) => Change,
    author: () => ByAuthor,
  ): Promise<RecordAnswer> {
    const { governance, holders } = this.#deps
    const view = await governance.get(reportActor, caller, id)
    const access = holders.of(caller, view.tenant)
    holders.assertHolds(access, view.audienceAreas)
    const order = message(author())
    const options = { untilSettled: true } as const
    const { version } = await governance.tell(reportActor, caller, id, order, options)
    return this.#answer(access, view.id, version)
  }

  /**
   * Returns the whole report. Throws `withdrawn` for a withdrawn one, and `insufficient_scope` if it
   * is to be given out as a file (`export`) and the access only includes reading it.
   */
  async show(access: GrantedAccess, id: string, action: ShowAction): Promise<ShownReport> {
    const permission = requirePermission(access, area, 'read')
    const exporting = requirePermission(access, area, action)
    const held = await this.#deps.store.get(access.clientId, area, id)
    const isSeen =
      held !== undefined &&
      [permission, exporting].every((one) => isRecordVisible(one, held.record))
    const { fields } = permission
    const hasFields = fields === undefined || contentFields.every((name) => fields.includes(name))
    if (!isSeen || !hasFields) throw noRecord()
    const { record } = held
    if (record.fields['status'] === 'withdrawn') {
      const reason = String(record.fields['withdrawn_reason'] ?? '')
      const text = 'This report was withdrawn; do not use its contents.'
      throw new ServiceError('withdrawn', text, { reason })
    }
    return shownReport(record, this.#deps.chain.get('client', access.clientId))
  }

  #areas(access: GrantedAccess, { kind, areas }: Order) {
    const possible = reportAreasOf(kind)
    const stranger = areas?.findIndex((one) => !possible.some((known) => known === one)) ?? -1
    if (stranger >= 0) {
      const text = `is not an area that a report of this kind covers; it covers ${possible.join(', ')}`
      throw invalidFields([{ pointer: `/areas/${stranger}`, text }])
    }
    const held = wholeAreas(access.permissions)
    const wanted = areas ? [...new Set(areas)] : possible.filter((one) => held.includes(one))
    // Without any area, the error names the missing permission.
    this.#deps.holders.assertHolds(access, wanted.length > 0 ? wanted : possible)
    return wanted
  }

  #assertPublished(client: string, id: ReportId): void {
    const known: ReportView | undefined = this.#deps.chain.get('report', id)
    if (known?.tenant === client && known.status === 'published') return
    const text = 'must be the id of a published report of this client'
    throw invalidFields([{ pointer: '/supersedes', text }])
  }

  /** Returns the record, which must have reached this version. */
  async #answer(access: GrantedAccess, id: ReportId, version: number): Promise<RecordAnswer> {
    const { store, indexes, records } = this.#deps
    const held = await store.get(access.clientId, area, id)
    if (!held || held.record.version < version) {
      const text = `The report ${id} was changed, but its record could not be written; try again.`
      throw new ServiceError('unavailable', text)
    }
    indexes.put(held)
    return records.get(access, area, id)
  }
}
