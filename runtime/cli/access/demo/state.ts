/** Reads the demo's existing entities from the store. */
import type { ChangeView } from '../../../../proto/access/changes/change.ts'
import type { ClientView } from '../../../../proto/access/engagement/client.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import type { RequestView } from '../../../../proto/access/grants/request.ts'
import { platformTenant } from '../../../../proto/access/ids.ts'
import { dayMs } from '../../../../proto/units.ts'
import type { NeedView } from '../../../../proto/access/engagement/need.ts'
import type { PersonView } from '../../../../proto/access/people/person.ts'
import type { ReportView } from '../../../../proto/access/reports/report.ts'
import type { ScopeView } from '../../../../proto/access/engagement/scope.ts'
import type { ActorView } from '../../../../proto/actor.ts'
import type { Store } from '../../../store/store.ts'
import { storedViews } from '../../../actor/views.ts'
import { demoCast, demoPeople, type DemoPerson } from './cast.ts'
import { demoNeed } from './needs.ts'

export const demoSlug = 'demo'

/** The integration whose token is printed for the newcomer. */
export const demoIntegration = 'newsletter'

/** `making`: Ada generates reports. `publishing`: Grace publishes them. */
export const grantNames = ['newsletter', 'shop', 'making', 'publishing'] as const
export type GrantName = (typeof grantNames)[number]

export interface DemoState {
  readonly client: ClientView | undefined
  /** Only if it is in force. */
  readonly scope: ScopeView | undefined
  /** Only if it is open. */
  readonly need: NeedView | undefined
  readonly people: { readonly [name in DemoPerson]?: PersonView }
  /** Active grants that last longer than a token of the demo. */
  readonly grants: { readonly [name in GrantName]?: GrantView }
  /** All of the client's: those of the demo are known by their titles. */
  readonly needs: readonly NeedView[]
  readonly changes: readonly ChangeView[]
  readonly reports: readonly ReportView[]
  readonly requests: readonly RequestView[]
  /** E-mail addresses of staff who are not part of the demo. */
  readonly realStaff: readonly string[]
}

/** With what grants, changes, reports and requests refer to. */
export interface FoundedDemo extends DemoState {
  readonly client: ClientView
  readonly scope: ScopeView
  readonly need: NeedView
  readonly people: { readonly [name in DemoPerson]: PersonView }
}

export const isFounded = (state: DemoState): state is FoundedDemo =>
  state.client?.status === 'active' &&
  state.scope !== undefined &&
  state.need !== undefined &&
  demoPeople.every((name) => state.people[name] !== undefined)

export const tokenMs = dayMs

export async function readDemo(store: Store, nowMs: number): Promise<DemoState> {
  const clients = await storedViews<ClientView>(store, 'client')
  const client = clients.find(({ slug }) => slug === demoSlug)
  const ofClient = async <V extends ActorView>(kind: string) =>
    client ? storedViews<V>(store, kind, client.id) : []
  const staff = await storedViews<PersonView>(store, 'person', platformTenant)
  const people = castOf([...staff, ...(await ofClient<PersonView>('person'))])
  const scope = (await ofClient<ScopeView>('scope')).find((one) => one.status === 'active')
  const needs = await ofClient<NeedView>('need')
  const need = needs.find((one) => one.title === demoNeed.title && one.status === 'open')
  // A grant may not know yet that an entity it depends on has ended.
  const active = (await ofClient<GrantView>('grant')).filter(
    ({ status, endsAtMs, needId, scopeId }) =>
      status === 'active' &&
      endsAtMs > nowMs + tokenMs &&
      needId === need?.id &&
      scopeId === scope?.id,
  )
  return {
    ...{ client, scope, need, people, needs },
    grants: grantsOf(active, people),
    changes: await ofClient<ChangeView>('change'),
    reports: await ofClient<ReportView>('report'),
    requests: await ofClient<RequestView>('request'),
    realStaff: staff
      .filter(({ status, email }) => status !== 'removed' && !isOfDemo(email))
      .map(({ email }) => email),
  }
}

const isOfDemo = (email: string) => demoPeople.some((name) => demoCast[name].email === email)

const castOf = (persons: readonly PersonView[]) =>
  Object.fromEntries(
    demoPeople.flatMap((name) => {
      const found = persons.find(({ email }) => email === demoCast[name].email)
      return found && found.status !== 'removed' ? [[name, found] as const] : []
    }),
  ) as DemoState['people']

function grantsOf(active: readonly GrantView[], people: DemoState['people']): DemoState['grants'] {
  const subjects = {
    newsletter: demoIntegration,
    shop: people.theo?.id,
    making: people.ada?.id,
    publishing: people.grace?.id,
  }
  return Object.fromEntries(
    grantNames.flatMap((name) => {
      const found = active.find(({ subject }) => subject.id === subjects[name])
      return found ? [[name, found] as const] : []
    }),
  )
}
