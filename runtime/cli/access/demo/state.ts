/** Reads the demo's existing entities from the store. */
import type { ClientView } from '../../../../proto/access/engagement/client.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { platformTenant } from '../../../../proto/access/ids.ts'
import { dayMs } from '../../../../proto/access/limits.ts'
import type { NeedView } from '../../../../proto/access/engagement/need.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import type { ScopeView } from '../../../../proto/access/engagement/scope.ts'
import type { ActorView } from '../../../../proto/actor.ts'
import type { Store } from '../../../store/store.ts'
import { storedViews } from '../../../actor/views.ts'

export const demoSlug = 'demo'

/** The domain `.example` is reserved, so these addresses belong to no one. */
export const demoCast = {
  ada: { email: 'ada@troupe.example', name: 'Ada Holm', is: 'staff: requests' },
  grace: { email: 'grace@troupe.example', name: 'Grace Ito', is: 'staff: reviews' },
  mina: { email: 'mina@goldencrust.example', name: 'Mina Okafor', is: 'owner of the client' },
  theo: { email: 'theo@goldencrust.example', name: 'Theo Brandt', is: 'member of the client' },
} as const
export type DemoPerson = keyof typeof demoCast
export const demoPeople: readonly DemoPerson[] = ['ada', 'grace', 'mina', 'theo']

/** The integration whose token is printed for the newcomer. */
export const demoIntegration = 'newsletter'

export type GrantName = 'newsletter' | 'shop'

export interface DemoState {
  readonly client: ClientView | undefined
  /** Only if it is in force. */
  readonly scope: ScopeView | undefined
  /** Only if it is open. */
  readonly need: NeedView | undefined
  readonly people: { readonly [name in DemoPerson]?: PersonView }
  /** Active grants that last longer than a token of the demo. */
  readonly grants: { readonly [name in GrantName]?: GrantView }
  /** E-mail addresses of staff who are not part of the demo. */
  readonly realStaff: readonly string[]
}

export const tokenMs = dayMs

export async function readDemo(store: Store, nowMs: number): Promise<DemoState> {
  const clients = await storedViews<ClientView>(store, 'client')
  const client = clients.find(({ slug }) => slug === demoSlug)
  const ofClient = async <V extends ActorView>(kind: string) =>
    client ? storedViews<V>(store, kind, client.id) : []
  const staff = await storedViews<PersonView>(store, 'person', platformTenant)
  const persons = [...staff, ...(await ofClient<PersonView>('person'))]
  const people = Object.fromEntries(
    demoPeople.flatMap((name) => {
      const found = persons.find(({ email }) => email === demoCast[name].email)
      return found && found.status !== 'removed' ? [[name, found] as const] : []
    }),
  ) as DemoState['people']
  const scope = (await ofClient<ScopeView>('scope')).find((one) => one.status === 'active')
  const need = (await ofClient<NeedView>('need')).find((one) => one.status === 'open')
  // A grant may not know yet that an entity it depends on has ended.
  const grants = (await ofClient<GrantView>('grant')).filter(
    ({ status, endsAtMs, needId, scopeId }) =>
      status === 'active' &&
      endsAtMs > nowMs + tokenMs &&
      needId === need?.id &&
      scopeId === scope?.id,
  )
  const grantOf = (id: string | undefined) => grants.find(({ subject }) => subject.id === id)
  const newsletter = grantOf(demoIntegration)
  const shop = grantOf(people.theo?.id)
  return {
    client,
    scope,
    need,
    people,
    grants: { ...(newsletter && { newsletter }), ...(shop && { shop }) },
    realStaff: staff
      .filter(({ status, email }) => status !== 'removed' && !isOfDemo(email))
      .map(({ email }) => email),
  }
}

const isOfDemo = (email: string) => demoPeople.some((name) => demoCast[name].email === email)
