/** Clients with everything that access depends on, made by the actors' own verbs. */
import type { Author } from '../../../proto/access/author.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { grantActor, type GrantSubject } from '../../../proto/access/grants/grant.ts'
import {
  newAccessId,
  type ClientId,
  type GrantId,
  type NeedId,
  type RequestId,
  type ScopeId,
  type TokenId,
} from '../../../proto/access/ids.ts'
import { dayMs } from '../../../proto/units.ts'
import { needActor } from '../../../proto/access/engagement/need.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { requestActor, type RequestTerms } from '../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../proto/access/engagement/scope.ts'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'
import { makePerson, type Person } from './people.ts'

type Asked = Pick<Directory, 'ask' | 'create'>

/**
 * The deciding people: `first` begins, `second` confirms and reviews, `third` reviews what takes
 * three.
 */
export interface Deciders {
  readonly first: Author
  readonly second: Author
  readonly third: Author
}

export interface Client {
  readonly id: ClientId
  readonly scope: ScopeId
  readonly need: NeedId
  readonly owner: Person
  readonly member: Person
}

export const contracted: readonly Permission[] = [
  { area: 'contacts', actions: ['read', 'write', 'delete'] },
  { area: 'opportunities', actions: ['read', 'write', 'delete'] },
  { area: 'tasks', actions: ['read', 'write', 'delete'] },
  { area: 'onboarding', actions: ['read', 'write', 'delete'] },
  { area: 'seo-audits', actions: ['read', 'run'] },
  { area: 'reports', actions: ['read', 'export'] },
  { area: 'content-gaps', actions: ['read', 'write', 'delete'] },
  { area: 'market-scans', actions: ['read', 'run'] },
  { area: 'projects', actions: ['read'] },
  { area: 'deployments', actions: ['read'] },
  { area: 'domains', actions: ['read'] },
  { area: 'monitoring', actions: ['read'] },
  { area: 'workflow-actions', actions: ['read', 'run'] },
  { area: 'enrichment', actions: ['read', 'run'] },
  { area: 'extraction', actions: ['read', 'run'] },
  { area: 'ai-assistance', actions: ['read', 'run'] },
]

/** All clients have the same names and texts, so that only ids distinguish them. */
export async function makeClient(
  directory: Asked,
  slug: string,
  { first, second }: Deciders,
): Promise<Client> {
  const createdAtMs = Date.now()
  const id = newAccessId('client')
  const mine = { tenant: id }
  const born = { tenant: id, by: first, createdAtMs }
  const contact = { name: 'Sam Same', email: 'contact@same.example' }
  const named = { name: 'Same & Sons', slug, contact, timezone: 'UTC', locale: 'en' }
  await directory.create(clientActor, id, { ...born, ...named, id }, mine)
  const scope = newAccessId('scope')
  const terms = {
    ...{ name: 'Delivery', summary: 'Same for all', engagementRef: 'E-1', areas: contracted },
    paths: ['api', 'portal', 'reports', 'webhooks', 'custom'] as const,
    ...{ effectiveFromMs: createdAtMs - dayMs, effectiveToMs: createdAtMs + 400 * dayMs },
  }
  await directory.create(scopeActor, scope, { ...born, id: scope, terms }, mine)
  const { view } = await directory.ask(scopeActor, scope, { type: 'submit', by: first }, mine)
  const confirm = { type: 'confirm', by: second, digest: view.digest ?? '' } as const
  await directory.ask(scopeActor, scope, confirm, { ...mine, untilSettled: true })
  await directory.ask(clientActor, id, { type: 'activate', by: second }, mine)
  const owner = await makePerson(directory, {
    ...{ tenant: id, roles: ['owner'], by: first },
    email: `owner@${slug}.example`,
  })
  const member = await makePerson(directory, {
    ...{ tenant: id, roles: ['member'], by: first },
    email: `member@${slug}.example`,
  })
  const need = newAccessId('need')
  await directory.create(
    needActor,
    need,
    {
      ...{ ...born, id: need, title: 'Keep the contacts tidy', category: 'delivery' },
      purpose: 'The contacts have duplicates that have to be merged.',
      reference: { kind: 'ticket', id: 'T-1' },
      ...{ ownerId: owner.id, expectedEndAtMs: createdAtMs + 390 * dayMs },
    },
    mine,
  )
  return { id, scope, need, owner, member }
}

export interface Granted {
  readonly id: GrantId
  readonly request: RequestId
  /** The text of its first token, which has all permissions of the grant. */
  readonly token: string
  readonly tokenId: TokenId
}

export type GrantWish = Partial<RequestTerms> & Pick<RequestTerms, 'permissions'>

export const newsletter: GrantSubject = { kind: 'integration', id: 'newsletter' }

/**
 * Requests a grant, has it reviewed by as many people as the policy asks for, and makes it and a
 * token.
 */
export async function grantTo(
  directory: Asked,
  client: Client,
  deciders: Deciders,
  wish: GrantWish,
): Promise<Granted> {
  const { first, second, third } = deciders
  const mine = { tenant: client.id }
  const settled = { ...mine, untilSettled: true }
  const request = newAccessId('request')
  const createdAtMs = Date.now()
  const terms: RequestTerms = {
    ...{ scopeId: client.scope, needId: client.need, path: 'api', subject: newsletter },
    ...{ cidrs: [], emergency: false, endsAtMs: createdAtMs + 20 * dayMs },
    justification: 'The newsletter tool reads them once an hour.',
    ...wish,
  }
  await directory.create(
    requestActor,
    request,
    { id: request, by: first, createdAtMs, terms, ...mine },
    mine,
  )
  let { view } = await directory.ask(requestActor, request, { type: 'submit', by: first }, settled)
  const reviewers = {
    staff_reviewer: [second, third],
    change_manager: [],
    client_owner: [client.owner.author],
  }
  for (const { role, count } of view.policy?.slots ?? []) {
    for (const by of reviewers[role].slice(0, count)) {
      const decided = { decision: 'approve', reason: 'It is what was agreed on.' } as const
      const reviewId = newAccessId('review')
      const review = {
        type: 'review',
        by,
        reviewId,
        digest: view.digest ?? '',
        ...decided,
      } as const
      view = (await directory.ask(requestActor, request, review, settled)).view
    }
  }
  const { status, message, grantId } = view
  if (grantId === undefined) throw new Error(`the request is ${status}: ${message ?? ''}`)
  return { id: grantId, request, ...(await mint(directory, grantId, first)) }
}

export async function mint(
  directory: Pick<Directory, 'ask'>,
  grant: GrantId,
  by: Author,
  more: { readonly scopes?: readonly string[]; readonly expiresAtMs?: number } = {},
) {
  const { text, hash, hint } = newSecretText('token')
  const tokenId = newAccessId('token')
  await directory.ask(grantActor, grant, {
    type: 'mint',
    tokenId,
    hash,
    hint,
    name: 'hourly',
    by,
    ...more,
  })
  return { token: text, tokenId }
}
