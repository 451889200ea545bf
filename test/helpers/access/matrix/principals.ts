/** Every principal that may call a route of Surface A: the columns of the access matrix. */
import { systemAuthor } from '../../../../proto/access/author.ts'
import { clientActor } from '../../../../proto/access/engagement/client.ts'
import { grantTo, contracted } from '../clients.ts'
import type { AccessWorld } from '../world.ts'
import { until } from '../../lib/until.ts'

export const principals = [
  'nobody',
  'token of another client',
  'token for another area',
  'token to read contacts',
  'token for everything',
  'token of a grant that ended',
  'token of a suspended client',
  'operator without a grant',
  'member',
  'owner',
  'owner of another client',
  'admin',
  'reviewer',
  'key of Surface B',
] as const
export type Principal = (typeof principals)[number]

/** The headers that each of them sends. */
export type Credentials = Readonly<Record<Principal, Readonly<Record<string, string>>>>

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export async function credentialsIn(world: AccessWorld): Promise<Credentials> {
  const { a, b, service, staff } = world
  const [operator, admin, reviewer] = [
    await staff('operator'),
    await staff('admin'),
    await staff('reviewer'),
  ]
  return {
    nobody: {},
    'token of another client': bearer(b.all.token),
    'token for another area': bearer(a.elsewhere.token),
    'token to read contacts': bearer(a.reader.token),
    'token for everything': bearer(a.all.token),
    'token of a grant that ended': bearer(a.ended.token),
    'token of a suspended client': bearer(await tokenOfSuspended(world)),
    'operator without a grant': bearer(operator.token),
    member: bearer(a.member.token),
    owner: bearer(a.owner.token),
    'owner of another client': bearer(b.owner.token),
    admin: bearer(admin.token),
    reviewer: bearer(reviewer.token),
    'key of Surface B': { 'service-api-key': service.key },
  }
}

async function tokenOfSuspended({ ask, client, deciders, insider }: AccessWorld): Promise<string> {
  const suspended = await client()
  const { directory } = insider
  const { token } = await grantTo(directory, suspended, deciders, { permissions: contracted })
  const suspend = { type: 'suspend', by: systemAuthor('test'), reason: 'for the matrix' } as const
  await directory.ask(clientActor, suspended.id, suspend)
  await until('the gateway knows of it', async () => {
    const { text } = await ask('GET', '/v1/access', { token, from: '198.51.100.1' })
    return text.includes('access_suspended')
  })
  return token
}
