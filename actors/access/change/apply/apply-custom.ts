/** Writes custom access for a change. The view's actor remembers the changes that wrote it. */
import type { Author } from '../../../../proto/access/author.ts'
import { customAccess } from '../../../../proto/access/changes/change-terms.ts'
import {
  customActor,
  customDefinition,
  customIdOf,
  type CustomDefinition,
} from '../../../../proto/access/changes/custom.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { isAccessId, type CustomId } from '../../../../proto/access/ids.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { mergePatch } from '../../../../runtime/access/records/merge-patch.ts'
import { customTarget, differingFields, readChangeTarget, type ChangeTarget } from './targets.ts'
import type { ChangeContext } from '../context.ts'
import type { ChangeEffectDeps } from '../deps.ts'
import { conflictOutcome, type ApplyOutcome } from './outcome.ts'

export async function applyToCustom(
  deps: ChangeEffectDeps,
  change: ChangeContext,
  by: Author,
): Promise<ApplyOutcome> {
  const { tenant, terms } = change
  const { work } = terms
  if (work.does === 'nothing') return { type: 'applied', to: null }
  const id =
    work.does === 'create' ? customIdOf(tenant, String(work.patch['slug'])) : asCustomId(work.id)
  const found = await readChangeTarget(deps, tenant, customAccess, id)
  const mine = found?.changes.find((one) => one.id === change.id)
  if (mine) return { type: 'applied', to: { id, version: mine.version } }
  if (work.does === 'create') return define(deps, change, by, id, found)
  if (!found || found.isGone) return conflictOutcome(found?.version ?? work.version, [])
  const fields = change.seen ? differingFields(change.seen, found, customAccess, []) : []
  if (found.version !== change.seen?.version) return conflictOutcome(found.version, fields)
  return write(deps, change, by, id, found)
}

/** For a slug that is free or whose view was retired. */
async function define(
  deps: ChangeEffectDeps,
  change: ChangeContext,
  by: Author,
  id: CustomId,
  found: ChangeTarget | undefined,
): Promise<ApplyOutcome> {
  if (found?.isGone) return write(deps, change, by, id, found)
  if (found) return conflictOutcome(found.version, ['slug'])
  const { id: changeId, tenant, terms } = change
  const definition = definitionOf(terms.work.does === 'create' ? terms.work.patch : {})
  const input = { id, tenant, createdAtMs: deps.clock.now(), by, definition, changeId }
  const { view } = await deps.directory.create(customActor, id, input, { tenant })
  const { changes, version } = customTarget(view)
  // Another change has taken the slug first.
  if (!changes.some((one) => one.id === changeId)) return conflictOutcome(version, ['slug'])
  return { type: 'applied', to: { id, version } }
}

async function write(
  { directory }: ChangeEffectDeps,
  { id: changeId, tenant, terms: { work } }: ChangeContext,
  by: Author,
  id: CustomId,
  { version: ifVersion, fields }: ChangeTarget,
): Promise<ApplyOutcome> {
  const common = { by, changeId, ifVersion } as const
  const patch = work.does === 'create' || work.does === 'update' ? work.patch : {}
  const before = work.does === 'update' ? fields : {}
  try {
    const { view } =
      work.does === 'delete'
        ? await directory.ask(customActor, id, { type: 'retire', ...common }, { tenant })
        : await directory.ask(
            customActor,
            id,
            { type: 'define', definition: definitionOf(mergePatch(before, patch)), ...common },
            { tenant },
          )
    return { type: 'applied', to: { id, version: view.version } }
  } catch (error) {
    const isMoved = error instanceof ServiceError && error.type === 'precondition_failed'
    // Repeated, because the conflict may be this change's own write whose answer was lost.
    if (isMoved)
      throw new ServiceError('busy', 'The custom access has just been changed.', {}, error)
    throw error
  }
}

const definitionOf = (fields: RecordFields): CustomDefinition => customDefinition.parse(fields)

function asCustomId(id: string): CustomId {
  if (isAccessId('custom', id)) return id
  throw new ServiceError('validation_failed', 'There is no such custom access.')
}
