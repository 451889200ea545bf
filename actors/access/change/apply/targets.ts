/** The current state of a change's target: a record of a technical area, or custom access. */
import { isAccessId } from '../../../../proto/access/ids.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { observedFields } from '../../../../proto/access/jobs/check.ts'
import type { SeenTarget } from '../../../../proto/access/changes/change.ts'
import { customAccess, type ChangedThing } from '../../../../proto/access/changes/change-terms.ts'
import {
  customActor,
  customDefinition,
  customIdOf,
  type CustomView,
} from '../../../../proto/access/changes/custom.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import { platformTenant, type ChangeId, type ClientId } from '../../../../proto/access/ids.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { isNotFound, ServiceError } from '../../../../proto/errors.ts'
import { validateFields } from '../../../../runtime/access/records/validate-fields.ts'
import { mergePatch } from '../../../../runtime/access/records/merge-patch.ts'
import type { RevisionedRecord } from '../../../../runtime/access/records/record-store.ts'
import {
  checkReferences,
  type RecordReference,
} from '../../../../runtime/access/records/references.ts'
import type { ChangeContext } from '../context.ts'
import type { ChangeEffectDeps } from '../deps.ts'

export interface ChangeTarget {
  readonly version: number
  readonly fields: RecordFields
  readonly isGone: boolean
  /** The last changes that wrote it, the newest last. */
  readonly changes: readonly { readonly id: ChangeId; readonly version: number }[]
  /** Set if the target is a record. */
  readonly held?: RevisionedRecord
}

/** Undefined if the target never existed. */
export async function readChangeTarget(
  { records, directory }: ChangeEffectDeps,
  client: ClientId,
  on: ChangedThing,
  id: string,
): Promise<ChangeTarget | undefined> {
  if (on !== customAccess) {
    const held = await records.get(client, on, id)
    if (!held) return undefined
    const { version, fields, deletedAtMs, changes = [] } = held.record
    return { version, fields, isGone: deletedAtMs !== undefined, changes, held }
  }
  if (!isAccessId('custom', id)) return undefined
  try {
    const { view } = await directory.ask(customActor, id, { type: 'get' }, { tenant: client })
    return customTarget(view)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export const customTarget = ({
  version,
  definition,
  status,
  changes,
}: CustomView): ChangeTarget => ({
  version,
  fields: { ...definition },
  isGone: status === 'retired',
  changes,
})

/** Throws if the work is not possible. Returns the current state of an existing target. */
export async function inspectTarget(
  deps: ChangeEffectDeps,
  { tenant, terms: { work } }: ChangeContext,
): Promise<SeenTarget | null> {
  if (work.does === 'nothing') return null
  if (work.does === 'create') {
    await checkWritten(deps, tenant, work.on, {}, mergePatch({}, work.patch))
    if (work.on === customAccess) await checkSlug(deps, tenant, String(work.patch['slug']))
    return null
  }
  const target = await readChangeTarget(deps, tenant, work.on, work.id)
  if (!target || target.isGone) {
    throw refusedError('/target/id', `There is nothing with this id in ${work.on} of this client.`)
  }
  const { version, fields } = target
  if (version !== work.version) {
    const message = `The target is now at version ${version}; read it again.`
    throw refusedError('/target/version', message)
  }
  if (work.does === 'update') {
    await checkWritten(deps, tenant, work.on, fields, mergePatch(fields, work.patch))
  }
  return { version, fields: digestsOf(fields) }
}

async function checkWritten(
  deps: ChangeEffectDeps,
  client: ClientId,
  on: ChangedThing,
  before: RecordFields,
  after: RecordFields,
): Promise<void> {
  if (on === customAccess) {
    validateFields(customDefinition, after)
    if (before['slug'] === undefined || before['slug'] === after['slug']) return
    throw refusedError(
      '/patch/slug',
      'A slug cannot be changed; create another custom access instead.',
    )
  }
  const definition = areaDefinitions[on]
  const fitted = validateFields(definition.record, after)
  const lookup = (reference: RecordReference) => exists(deps, client, reference)
  await checkReferences(definition, before, fitted, lookup)
}

async function checkSlug(deps: ChangeEffectDeps, client: ClientId, slug: string): Promise<void> {
  const taken = await readChangeTarget(deps, client, customAccess, customIdOf(client, slug))
  if (!taken || taken.isGone) return
  throw refusedError(
    '/patch/slug',
    'Custom access with this slug already exists; change that instead.',
  )
}

async function exists(
  { records, directory }: ChangeEffectDeps,
  client: ClientId,
  { to, id }: RecordReference,
): Promise<boolean> {
  if (to !== 'person') {
    const held = await records.get(client, to, id)
    return held !== undefined && held.record.deletedAtMs === undefined
  }
  try {
    const { view } = await directory.ask(personActor, id, { type: 'get' })
    return view.tenant === client || view.tenant === platformTenant
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** A digest of each field's value, so that changed fields can be found later. */
const digestsOf = (fields: RecordFields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, digestOf(value)]),
  )

/**
 * Fields that have changed since the proposal. Fields that a checker observes do not count unless
 * the change writes them, because a new check does not make it another monitor.
 */
export function differingFields(
  seen: SeenTarget,
  { version, fields }: ChangeTarget,
  on: ChangedThing,
  touched: readonly string[],
): readonly string[] {
  if (version === seen.version) return []
  const now = digestsOf(fields)
  const observed = on === 'monitoring' || on === 'domains' ? observedFields[on] : []
  return [...new Set([...Object.keys(seen.fields), ...Object.keys(now)])]
    .filter((name) => seen.fields[name] !== now[name])
    .filter((name) => touched.includes(name) || !observed.includes(name))
    .sort()
}

function refusedError(pointer: string, message: string): ServiceError {
  return new ServiceError('validation_failed', message, { pointers: [pointer] })
}
