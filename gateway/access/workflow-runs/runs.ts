/**
 * Runs of workflow actions. A run is stored only as the standard change that carries it out, and
 * its status is derived from the change, so the two cannot differ.
 */
import { changeActor, type ChangeView } from '../../../proto/access/changes/change.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import type { AreaAction } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { invalidFields } from '../../../runtime/access/records/validate-fields.ts'
import { visibleFields } from '../../../runtime/access/records/record-json.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { isRecordVisible } from '../../../runtime/access/records/index/visible.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { OutputSchemas } from '../../../runtime/lib/schemas/output-schemas.ts'
import {
  permissionFor,
  requirePermission,
  type Granted,
  type GrantedAccess,
} from '../gate/access.ts'
import type { AccessChain } from '../gate/chain.ts'
import type { Governance } from '../governance/governance.ts'
import { noRecord } from '../records/no-record.ts'
import { runTerms, type RunOrder } from './order.ts'
import { isQueued, type RunView } from './status.ts'

export interface WorkflowRunsDeps {
  readonly store: RecordStore
  readonly chain: Pick<AccessChain, 'get' | 'list'>
  readonly governance: Pick<Governance, 'create'>
  readonly schemas: Pick<OutputSchemas, 'fit'>
  readonly clock: Clock
}

const area = 'workflow-actions'

export class WorkflowRuns {
  readonly #deps: WorkflowRunsDeps

  constructor(deps: WorkflowRunsDeps) {
    this.#deps = deps
  }

  /** Resolves when the change is approved, which its template has done in advance. */
  async order(
    access: Granted<typeof area, 'run'>,
    actionId: string,
    input: RecordFields,
  ): Promise<RunView> {
    const { governance, schemas, clock } = this.#deps
    const action = await this.#action(access, actionId, 'run')
    const { clientId: tenant, author: by, needId } = access
    if (needId === undefined)
      throw new ServiceError('forbidden', 'A run requires a token of a grant.')
    const versionOf: RunOrder['versionOf'] = (...asked) => this.#versionOf(access, ...asked)
    const terms = await runTerms({ action, input, needId, schemas, versionOf })
    this.#checkRoom(access, actionId)
    const createdAtMs = clock.now()
    const id = newAccessId('change', createdAtMs)
    const made = { id, tenant, createdAtMs, by, terms }
    return runOf(await governance.create(changeActor, id, made, { untilSettled: true }))!
  }

  /** Newest first. */
  async list(access: Granted<typeof area, 'read'>, actionId: string): Promise<readonly RunView[]> {
    await this.#action(access, actionId, 'read')
    return this.#of(access, actionId).reverse()
  }

  async get(
    access: Granted<typeof area, 'read'>,
    actionId: string,
    runId: string,
  ): Promise<RunView> {
    await this.#action(access, actionId, 'read')
    const change = this.#deps.chain.get('change', runId)
    const found = change?.tenant === access.clientId ? runOf(change) : undefined
    if (found?.terms.run.actionId === actionId) return found
    throw new ServiceError(
      'not_found',
      'There is no such run; GET …/runs lists the runs of the action.',
    )
  }

  #of({ clientId }: GrantedAccess, actionId: string): RunView[] {
    return this.#deps.chain.list('change', clientId).flatMap((change) => {
      const run = runOf(change)
      return run?.terms.run.actionId === actionId ? [run] : []
    })
  }

  async #action(access: GrantedAccess, id: string, action: AreaAction): Promise<StoredRecord> {
    const permission = requirePermission(access, area, action)
    const isShown =
      action !== 'read' || visibleFields(areaDefinitions[area], permission).includes('runs')
    const held = isShown ? await this.#deps.store.get(access.clientId, area, id) : undefined
    if (held && isRecordVisible(permission, held.record)) return held.record
    throw noRecord()
  }

  /** Records that the caller cannot read are refused, or a run would reveal them. */
  async #versionOf(access: GrantedAccess, ...[pointer, of, id]: Parameters<RunOrder['versionOf']>) {
    const permission = permissionFor(access, of, 'read')
    const held = permission && (await this.#deps.store.get(access.clientId, of, id))
    if (held && isRecordVisible(permission, held.record)) return held.record.version
    const text = `must be the id of a record of ${of} that you may read`
    throw invalidFields([{ pointer, text }])
  }

  #checkRoom(access: GrantedAccess, actionId: string): void {
    const limit = limits.workflowRunsQueued
    if (this.#of(access, actionId).filter(isQueued).length < limit) return
    const message = `${limit} runs of this action are already waiting; have one carried out or cancelled.`
    throw new ServiceError('quota_exceeded', message, { limit })
  }
}

function runOf(change: ChangeView): RunView | undefined {
  const { terms } = change
  return terms.run ? { ...change, terms: { ...terms, run: terms.run } } : undefined
}
