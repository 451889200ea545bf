import { z } from 'zod'
import { accessLimits } from '../../../../proto/access/limits.ts'
import type { CliCommand } from '../../command.ts'
import { alignColumns } from '../../help.ts'
import { baseVariable } from '../../service-base.ts'
import { entityListings, type EntityListing, type ListName } from '../service/entities.ts'
import { ServiceSession } from '../people/service-session.ts'

/** More is unreadable on a terminal; the list should be narrowed instead. */
const pagesMost = 10

const pageAnswer = z.object({
  data: z.array(z.unknown()),
  page: z.object({ has_more: z.boolean(), next_cursor: z.string().nullish() }),
})

const nouns: Readonly<Record<ListName, string>> = {
  clients: 'clients',
  scopes: 'service scopes',
  needs: 'operational needs',
  requests: 'access requests',
  grants: 'grants',
  changes: 'managed changes',
  members: 'members of clients',
  staff: 'staff',
}

export function listCommand(name: ListName): CliCommand {
  const ofClients = name !== 'clients' && name !== 'staff'
  return {
    usage: `access ${name}${ofClients ? ' [--client ID]' : ''} [--status S] [--json]`,
    about: `List ${nouns[name]}, the newest first.`,
    options: {
      ...(ofClients && { client: { value: 'ID', help: 'Only of this client.' } }),
      status: { value: 'S', help: 'Only this status, such as active.' },
      json: { help: 'Print the service’s answer as JSON.' },
    },
    settings: ['DATA_DIR'],
    variables: baseVariable,
    async run({ values, switches }) {
      const { items, hasMore } = await itemsOf(ServiceSession.open(), entityListings[name], {
        ...(values['client'] && { client_id: values['client'] }),
        ...(values['status'] && { status: values['status'] }),
      })
      if (switches.has('json')) console.log(JSON.stringify(items, undefined, 2))
      else
        console.log(
          items.length === 0 ? `no ${nouns[name]}` : listingTable(entityListings[name], items),
        )
      if (hasMore) console.error('there are more; narrow the list')
      return 0
    },
  }
}

export type ListPath = Pick<EntityListing, 'path'>

export const listingTable = ({ heads, row }: EntityListing, items: readonly unknown[]): string =>
  alignColumns([heads, ...items.map(row)], '')

export async function itemsOf(
  service: ServiceSession,
  { path }: ListPath,
  filter: Readonly<Record<string, string>>,
): Promise<{ readonly items: readonly unknown[]; readonly hasMore: boolean }> {
  const query = new URLSearchParams({ ...filter, limit: String(accessLimits.listRowsMost) })
  const items: unknown[] = []
  for (let n = 0; n < pagesMost; n++) {
    const order = { method: 'GET', path: `${path}?${query}`, answer: pageAnswer } as const
    const { data, page } = await service.call(order)
    items.push(...data)
    if (!page.has_more || !page.next_cursor) return { items, hasMore: false }
    query.set('cursor', page.next_cursor)
  }
  return { items, hasMore: true }
}
