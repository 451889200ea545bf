/**
 * This gateway's copy of the chain behind every access (client → scope → need → grant → token) and
 * of the people with their sessions. It is updated by the watch on KV `views` and by the answers to
 * this gateway's own commands, so a token works here as soon as it has been shown.
 */
import type { ChangeView } from '../../../proto/access/changes/change.ts'
import type { ClientView } from '../../../proto/access/engagement/client.ts'
import type { AccessView } from '../../../proto/access/common.ts'
import type { CustomView } from '../../../proto/access/changes/custom.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import type { GrantView, TokenView } from '../../../proto/access/grants/grant.ts'
import type { NeedView } from '../../../proto/access/engagement/need.ts'
import type {
  OneTimeSecret,
  PersonSession,
  PersonView,
} from '../../../proto/access/people/person.ts'
import type { ReportView } from '../../../proto/access/reports/report.ts'
import type { RequestView } from '../../../proto/access/grants/request.ts'
import type { ScopeView } from '../../../proto/access/engagement/scope.ts'
import { GroupedMap } from '../../../runtime/lib/grouped-map.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import type { WatchedMap } from '../../../runtime/store/watched-map.ts'

export interface AccessViews {
  readonly client: ClientView
  readonly scope: ScopeView
  readonly need: NeedView
  readonly request: RequestView
  readonly grant: GrantView
  readonly person: PersonView
  readonly change: ChangeView
  readonly custom: CustomView
  readonly report: ReportView
  readonly endpoint: EndpointView
}
export type AccessKind = keyof AccessViews
export const chainKinds = [
  ...(['client', 'scope', 'need', 'request', 'grant', 'person'] as const),
  ...(['change', 'custom', 'report', 'endpoint'] as const),
] as const
const isAccessKind = (kind: string): kind is AccessKind => chainKinds.some((each) => each === kind)

type Maps = { readonly [K in AccessKind]: Map<string, AccessViews[K]> }

export class AccessChain {
  readonly #views: Maps = {
    client: new Map(),
    scope: new Map(),
    need: new Map(),
    request: new Map(),
    grant: new Map(),
    person: new Map(),
    change: new Map(),
    custom: new Map(),
    report: new Map(),
    endpoint: new Map(),
  }
  /** Token hash → grant id. `#personBySession` maps a session hash → person id. */
  readonly #grantByToken = new Map<string, string>()
  /** Grants by their subject, which never changes; every portal page looks up a person's grants. */
  readonly #grantsBySubject = new GroupedMap<GrantView>()
  readonly #personBySession = new Map<string, string>()
  /** Hash of an invitation or a reset → person id. */
  readonly #personByInvitation = new Map<string, string>()
  readonly #personByEmail = new Map<string, string>()

  constructor(map: Pick<WatchedMap<ViewRecord>, 'onChange' | 'entries'>) {
    const apply = (key: string, record: ViewRecord | undefined) => {
      const [kind = '', , id = ''] = key.split('.')
      if (!isAccessKind(kind)) return
      if (record === undefined) this.#forget(kind, id)
      // The key's kind says which type the view has.
      else this.learn(kind, record.view as AccessViews[typeof kind])
    }
    map.onChange(apply)
    for (const [key, record] of map.entries()) apply(key, record)
  }

  get<K extends AccessKind>(kind: K, id: string): AccessViews[K] | undefined {
    return this.#views[kind].get(id)
  }

  /** Oldest first, since ids sort by creation; of one client if a tenant is given. */
  list<K extends AccessKind>(kind: K, tenant?: string): AccessViews[K][] {
    const all = [...this.#views[kind].values()]
    const found = tenant === undefined ? all : all.filter((view) => view.tenant === tenant)
    return found.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** The grants of a person, or of an integration of this name; oldest first. */
  grantsFor(subjectId: string): readonly GrantView[] {
    return this.#grantsBySubject.of(subjectId)
  }

  /** Ignores a view that is older than the known one. */
  learn<K extends AccessKind>(kind: K, view: AccessViews[K]): void {
    const views: Map<string, AccessView> = this.#views[kind]
    const known = views.get(view.id)
    if (known && known.version > view.version) return
    views.set(view.id, view)
    if (kind === 'grant') this.#indexGrant(view as GrantView)
    if (kind === 'person') this.#indexPerson(view as PersonView, known as PersonView | undefined)
  }

  token(hash: string): { readonly grant: GrantView; readonly token: TokenView } | undefined {
    const grant = this.#views.grant.get(this.#grantByToken.get(hash) ?? '')
    const token = grant?.tokens.find((one) => one.hash === hash)
    return grant && token && { grant, token }
  }

  session(
    hash: string,
  ): { readonly person: PersonView; readonly session: PersonSession } | undefined {
    const person = this.#views.person.get(this.#personBySession.get(hash) ?? '')
    const session = person?.sessions.find((one) => one.hash === hash)
    return person && session && { person, session }
  }

  byInvitation(hash: string): PersonView | undefined {
    const person = this.#views.person.get(this.#personByInvitation.get(hash) ?? '')
    return person?.invitation?.hash === hash ? person : undefined
  }

  byReset(hash: string): PersonView | undefined {
    const person = this.#views.person.get(this.#personByInvitation.get(hash) ?? '')
    return person?.reset?.hash === hash ? person : undefined
  }

  /** After a person was removed, another may use the e-mail address. */
  byEmail(email: string): PersonView | undefined {
    return this.#views.person.get(this.#personByEmail.get(email) ?? '')
  }

  #forget(kind: AccessKind, id: string): void {
    const grant = kind === 'grant' ? this.#views.grant.get(id) : undefined
    if (grant) this.#grantsBySubject.delete(grant.subject.id, id)
    this.#views[kind].delete(id)
  }

  #indexGrant(grant: GrantView): void {
    this.#grantsBySubject.set(grant.subject.id, grant)
    for (const { hash } of grant.tokens) this.#grantByToken.set(hash, grant.id)
  }

  #indexPerson(person: PersonView, known: PersonView | undefined): void {
    const { id, email, status, sessions } = person
    const stale = known?.sessions.filter(({ hash }) => !sessions.some((one) => one.hash === hash))
    for (const { hash } of stale ?? []) this.#personBySession.delete(hash)
    for (const { hash } of sessions) this.#personBySession.set(hash, id)
    for (const { hash } of shownOnce(known)) this.#personByInvitation.delete(hash)
    for (const { hash } of shownOnce(person)) this.#personByInvitation.set(hash, id)
    if (status !== 'removed') this.#personByEmail.set(email, id)
    else if (this.#personByEmail.get(email) === id) this.#personByEmail.delete(email)
  }
}

const shownOnce = (person: PersonView | undefined): readonly OneTimeSecret[] =>
  [person?.invitation, person?.reset].filter((one) => one !== undefined)
