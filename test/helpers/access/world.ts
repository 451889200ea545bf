/**
 * A real service with people, two clients that differ only in their ids, and access to their data:
 * most tests of Surface A start with it. Built once per file, in a few seconds.
 */
import { newAccessId, platformTenant } from '../../../proto/access/ids.ts'
import { staffRoles, systemAuthor, type StaffRole } from '../../../proto/access/author.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import { openInsider, type Insider } from '../service/insider.ts'
import type { Teardown } from '../nats/nats.ts'
import { startService, type Service } from '../service/service.ts'
import { until } from '../lib/until.ts'
import { askAt, type Ask } from './asking.ts'
import {
  contracted,
  grantTo,
  makeClient,
  type Client,
  type Deciders,
  type Granted,
} from './clients.ts'
import { makePerson, type Person } from './people.ts'

/** A client and its grants; its twin has the same. */
export interface Twin extends Client {
  /** A grant of everything that is contracted. */
  readonly all: Granted
  /** A grant of contacts only. */
  readonly reader: Granted
  /** A grant of tasks only. */
  readonly elsewhere: Granted
  /** A grant that has ended. */
  readonly ended: Granted
}

export interface AccessWorld extends Furnished {
  readonly service: Service
}

/** What is available on any gateway, however it was started. */
export interface Furnished {
  readonly insider: Insider
  readonly ask: Ask
  /** The first two people, who have all roles between them. */
  readonly ada: Person
  readonly grace: Person
  readonly deciders: Deciders
  readonly a: Twin
  readonly b: Twin
  /** Adds one of the provider's people. */
  staff(...roles: readonly StaffRole[]): Promise<Person>
  /** Adds a client without grants. */
  client(): Promise<Client>
}

/** As behind a reverse proxy, so that each request may come from another address. */
const settings = {
  ...{ POOL_HEADLESS: '0', POOL_HEADFUL: '0', LOG_LEVEL: 'debug' },
  PUBLIC_URL: 'https://access.example',
}

export async function openWorld(
  t: Teardown,
  env: Readonly<Record<string, string>> = {},
): Promise<AccessWorld> {
  const service = await startService({ env: { ...settings, ...env } })
  t.teardown(() => service.stop())
  const insider = await openInsider(service.dataDir)
  t.teardown(() => insider.close())
  return { service, ...(await furnish(insider, service.baseUrl)) }
}

/** Makes people, clients and grants, and waits until the gateway at this address knows them. */
export async function furnish(insider: Insider, baseUrl: string): Promise<Furnished> {
  const { directory } = insider
  const ask = askAt(baseUrl)
  const [ada, grace] = await firstPeople(directory)
  let known = 0
  const whenKnown = async <T extends Pick<Person, 'token'>>(person: T): Promise<T> => {
    const from = `10.99.${known >> 8}.${known++ & 255}`
    await until('the gateway knows them', async () => {
      return (await ask('GET', '/v1/me', { token: person.token, from })).status === 200
    })
    return person
  }
  const staff = async (...roles: readonly StaffRole[]) => {
    const email = `${newAccessId('person')}@provider.example`
    const who = { tenant: platformTenant, email, roles, by: ada.author }
    return whenKnown(await makePerson(directory, who))
  }
  await Promise.all([ada, grace].map(whenKnown))
  const third = await staff('reviewer')
  const deciders = { first: ada.author, second: grace.author, third: third.author }
  let clients = 0
  const client = async () => {
    const made = await makeClient(directory, `same-${++clients}`, deciders)
    await whenKnown(made.member)
    return made
  }
  const twin = async (): Promise<Twin> => twinOf(insider, await client(), deciders)
  const [a, b] = [await twin(), await twin()]
  await until('the gateway knows what came last', async () => {
    const grants = await ask('GET', '/v1/grants?status=ended', { token: ada.token })
    return grants.text.includes(b.ended.id)
  })
  return { insider, ask, ada, grace, deciders, a, b, staff, client }
}

/** Each has all roles, as those whom `troupe access bootstrap` invites. */
async function firstPeople(directory: Insider['directory']): Promise<readonly [Person, Person]> {
  const by = systemAuthor('bootstrap')
  const who = { tenant: platformTenant, roles: staffRoles, by }
  return [
    await makePerson(directory, { ...who, email: 'ada@provider.example', name: 'Ada' }),
    await makePerson(directory, { ...who, email: 'grace@provider.example', name: 'Grace' }),
  ]
}

async function twinOf(insider: Insider, client: Client, deciders: Deciders): Promise<Twin> {
  const { directory } = insider
  const grant = (permissions: Parameters<typeof grantTo>[3]['permissions']) =>
    grantTo(directory, client, deciders, { permissions })
  const all = await grant(contracted)
  const reader = await grant([{ area: 'contacts', actions: ['read'] }])
  const elsewhere = await grant([{ area: 'tasks', actions: ['read', 'write'] }])
  const ended = await grant([{ area: 'contacts', actions: ['read'] }])
  const end = { type: 'end', end: 'ends_at', by: systemAuthor('clock') } as const
  await directory.ask(grantActor, ended.id, end)
  return { ...client, all, reader, elsewhere, ended }
}
