/** The requested custom views with the changes that created them, which reviewers see. */
import { isCustomArea, customAreaSlug } from '../../../proto/access/areas/areas.ts'
import { customActor, customIdOf } from '../../../proto/access/changes/custom.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import type { ShownView } from '../../../proto/access/grants/request.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'

/** Throws `validation_failed` if a view does not exist or was retired. */
export async function customViews(
  directory: Pick<Directory, 'ask'>,
  client: ClientId,
  permissions: readonly Permission[],
): Promise<readonly ShownView[]> {
  const views: ShownView[] = []
  for (const [i, { area }] of permissions.entries()) {
    if (!isCustomArea(area)) continue
    const view = await viewOf(directory, client, customAreaSlug(area))
    if (view) views.push(view)
    else {
      const message = `There is no ${area} in this client; create it with a managed change of kind custom_access.`
      throw new ServiceError('validation_failed', message, { pointers: [`/permissions/${i}/area`] })
    }
  }
  return views
}

async function viewOf(
  directory: Pick<Directory, 'ask'>,
  client: ClientId,
  slug: string,
): Promise<ShownView | undefined> {
  const asked = { tenant: client }
  try {
    const id = customIdOf(client, slug)
    const { view } = await directory.ask(customActor, id, { type: 'get' }, asked)
    if (view.status === 'retired') return undefined
    const { title, source_area, fields, where } = view.definition
    return { slug, title, source_area, fields, where, change_id: view.changes.at(-1)?.id ?? '' }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
