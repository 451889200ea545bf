/**
 * The answer of every route of Surface A to every principal, written by hand: the service is tested
 * against it, so none of it is read from the service's own rules.
 */
import { newAccessId } from '../../../../proto/access/ids.ts'
import { newId } from '../../../../proto/ids.ts'
import {
  everybody,
  foreign,
  keepers,
  only,
  owners,
  people,
  staff,
  type Answers,
  type Person,
  type Row,
} from './answers.ts'
import { toRecords } from './records.ts'
import type { AccessWorld } from '../world.ts'

const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const reason = () => ({ reason: 'because it is a test of roles' })
const client = ({ a }: AccessWorld) => a.id
const scope = ({ a }: AccessWorld) => a.scope
const need = ({ a }: AccessWorld) => a.need
const request = ({ a }: AccessWorld) => a.reader.request
const grant = ({ a }: AccessWorld) => a.reader.id
const token = ({ a }: AccessWorld) => a.ended.tokenId
const endpoint = () => 'whe_00000000000000000000000000'
const delivery = () => 'dlv_00000000000000000000000000'
const member = ({ a }: AccessWorld) => a.member.id
const ada = ({ ada }: AccessWorld) => ada.id
const report = () => newAccessId('report')
const reportMakers = ['operator without a grant', 'reviewer'] as const
const newEmail = () => `${newAccessId('person')}@new.example`

/** Admitted, and asked for the version that they have seen: the matrix changes nothing. */
const verb = (
  admitted: readonly Person[],
  id: Row['id'],
  body?: Row['body'],
  more: Partial<Answers> = admitted.includes('owner') ? foreign : {},
): Row => ({ answers: only(admitted, 428, more), ...(id && { id }), ...(body && { body }) })

const list = (admitted: readonly Person[] = people): Row => ({ answers: only(admitted, 200) })
const one = (id: Row['id'], admitted: readonly Person[] = people): Row => ({
  answers: only(admitted, 200, admitted.includes('owner') ? foreign : {}),
  ...(id && { id }),
})

const scopeBody = (world: AccessWorld) => ({ client_id: client(world), ...termsBody() })
const termsBody = () => ({
  ...{ name: 'Another', paths: ['api'], areas: [{ area: 'tasks', actions: ['read'] }] },
  ...{ effective_from: soon(1), effective_to: soon(2) },
})
const needBody = (world: AccessWorld) => ({
  ...{ client_id: client(world), title: 'Another need', purpose: 'To see who may open a need.' },
  ...{ category: 'support', reference: { kind: 'ticket', id: 'T-2' }, owner_id: world.a.owner.id },
  expected_end_at: soon(3),
})
const requestTerms = (world: AccessWorld) => ({
  ...{ scope_id: scope(world), need_id: need(world) },
  ...{ subject: { kind: 'integration', id: 'other' }, ends_at: soon(2) },
  permissions: [{ area: 'tasks', actions: ['read'] }],
  justification: 'To see who may ask for access.',
})
const requestBody = (world: AccessWorld) => ({ client_id: client(world), ...requestTerms(world) })
const changeBody = (world: AccessWorld) => ({
  ...{ client_id: client(world), need_id: need(world), kind: 'other' },
  ...{ title: 'To see who may propose', impact: 'Nobody notices it.' },
  ...{ test_plan: 'The matrix says so.', rollback_plan: 'It is not done at all.' },
})
const digest = () => '0'.repeat(64)

const toGrantMakers: Partial<Answers> = { admin: 403, reviewer: 403, member: 403, ...foreign }

export const rows: Readonly<Record<string, Row>> = {
  'POST /v1/sign-in': { answers: everybody(422) },
  'POST /v1/sign-in/invitations': { answers: everybody(422) },
  'POST /v1/sign-in/step-up': { answers: only(people, 422) },
  'POST /v1/sign-in/resets': { answers: everybody(422) },
  'POST /v1/sign-in/passkeys/options': { answers: everybody(200) },
  'POST /v1/sign-in/passkeys': { answers: everybody(422) },
  'POST /v1/sign-in/step-up/passkeys/options': list(),
  'POST /v1/sign-in/step-up/passkeys': { answers: only(people, 422) },
  'GET /v1/me/passkeys': list(),
  'POST /v1/me/passkeys/options': list(),
  'POST /v1/me/passkeys': { answers: only(people, 422) },
  'DELETE /v1/me/passkeys/{id}': { answers: only(people, 404), id: () => newAccessId('passkey') },
  'GET /v1/me/views': list(),
  'POST /v1/me/views': {
    answers: only(people, 201),
    body: () => ({ area: 'tasks', name: 'Open', query: 'filter[status]=open' }),
  },
  'DELETE /v1/me/views/{id}': { answers: only(people, 404), id: () => newAccessId('savedView') },
  'GET /v1/me': list(),
  'PUT /v1/me/password': { answers: only(people, 422) },
  'POST /v1/me/totp': list(),
  'PUT /v1/me/totp': { answers: only(people, 422) },
  'DELETE /v1/me/totp': { answers: only(people, 204) },

  'GET /v1/members': list(),
  'GET /v1/members/{id}': one(member),
  'POST /v1/members': {
    answers: only(['admin', ...owners], 201, { 'owner of another client': 400 }),
    body: (world) => ({ client_id: client(world), email: newEmail(), name: 'New' }),
  },
  'POST /v1/members/{id}/reinvite': verb(['admin', ...owners], member),
  'POST /v1/members/{id}/reset': verb(['admin', ...owners], member, reason),
  'POST /v1/members/{id}/roles': verb(['admin', ...owners], member, () => ({ roles: ['owner'] })),
  'POST /v1/members/{id}/remove': verb(['admin', ...owners], member, reason),
  'GET /v1/staff': list(staff),
  'GET /v1/staff/{id}': one(ada, staff),
  'POST /v1/staff': {
    answers: only(['admin'], 201),
    body: () => ({ email: newEmail(), name: 'New', roles: ['auditor'] }),
  },
  'POST /v1/staff/{id}/reinvite': verb(['admin'], ada),
  'POST /v1/staff/{id}/reset': verb(['admin'], ada, reason),
  'POST /v1/staff/{id}/roles': verb(['admin'], ada, () => ({ roles: ['auditor'] })),
  'POST /v1/staff/{id}/remove': verb(['admin'], ada, reason),
  'POST /v1/members/{id}/confirm': verb(['admin', ...owners], member),
  'POST /v1/staff/{id}/confirm': verb(['admin'], ada),
  'POST /v1/staff/{id}/confirm-removal': verb(['admin', 'reviewer'], ada),
  'POST /v1/staff/{id}/withdraw-removal': verb(['admin', 'reviewer'], ada),

  'GET /v1/clients': list(),
  'GET /v1/clients/{id}': one(client),
  'POST /v1/clients': {
    answers: only(['admin'], 201),
    body: () => ({
      ...{ name: 'New', slug: newAccessId('client').replace('_', '-') },
      contact: { name: 'New', email: newEmail() },
    }),
  },
  'PATCH /v1/clients/{id}': verb(['admin'], client, () => ({ name: 'Renamed' })),
  'POST /v1/clients/{id}/activate': verb(['admin'], client),
  'POST /v1/clients/{id}/suspend': verb(['admin'], client, reason),
  'POST /v1/clients/{id}/resume': verb(['admin'], client, reason),
  'POST /v1/clients/{id}/offboard': verb(['admin'], client, reason),
  'POST /v1/clients/{id}/close': verb(['admin'], client, reason),

  'GET /v1/service-scopes': list(),
  'GET /v1/service-scopes/{id}': one(scope),
  'POST /v1/service-scopes': { answers: only(['admin'], 201), body: scopeBody },
  'PUT /v1/service-scopes/{id}/terms': verb(['admin'], scope, termsBody),
  'POST /v1/service-scopes/{id}/submit': verb(['admin'], scope),
  'POST /v1/service-scopes/{id}/confirm': verb(['admin'], scope, () => ({ digest: digest() })),
  'POST /v1/service-scopes/{id}/return': verb(['admin'], scope, reason),
  'POST /v1/service-scopes/{id}/retire': verb(['admin'], scope, reason),

  'GET /v1/needs': list(),
  'GET /v1/needs/{id}': one(need),
  'POST /v1/needs': { answers: only(keepers, 201, foreign), body: needBody },
  'PATCH /v1/needs/{id}': verb(keepers, need, () => ({ title: 'A clearer title' })),
  'POST /v1/needs/{id}/extend': verb(['reviewer', ...owners], need, () => ({
    ...{ expected_end_at: soon(9), ...reason() },
  })),
  'POST /v1/needs/{id}/close': verb(keepers, need, reason),

  'GET /v1/access-requests': list(),
  'GET /v1/access-requests/{id}': one(request),
  'POST /v1/access-requests': {
    answers: only(people, 201, { 'owner of another client': 400 }),
    body: requestBody,
  },
  'PUT /v1/access-requests/{id}': verb(people, request, requestTerms),
  'POST /v1/access-requests/{id}/submit': verb(people, request),
  'POST /v1/access-requests/{id}/reviews': verb(['reviewer', ...owners], request, () => ({
    ...{ decision: 'approve', digest: digest(), ...reason() },
  })),
  'POST /v1/access-requests/{id}/withdraw': verb(people, request),

  'GET /v1/grants': list(),
  'GET /v1/grants/{id}': one(grant),
  'POST /v1/grants/{id}/suspend': verb(['admin', 'reviewer', ...owners], grant, reason),
  'POST /v1/grants/{id}/resume': verb(['admin', 'reviewer', ...owners], grant, reason),
  'POST /v1/grants/{id}/revoke': verb(people, grant, reason),
  'POST /v1/grants/{id}/post-review': verb(['reviewer', ...owners], grant, reason),
  'GET /v1/grants/{id}/tokens': one(grant),
  'POST /v1/grants/{id}/tokens': {
    answers: only(people, 201, toGrantMakers),
    id: grant,
    body: () => ({ name: 'of the matrix' }),
  },
  // Its grant has ended, which those who may replace the token are told.
  'POST /v1/tokens/{id}/rotate': { answers: only(people, 409, toGrantMakers), id: token },
  'DELETE /v1/tokens/{id}': {
    answers: only(people, 409, {
      ...{ ...foreign, member: 403 },
      'token of another client': 404,
      'token of a suspended client': 404,
    }),
    id: token,
  },

  ...changeRows(),
  'GET /v1/webhook-event-types': {
    answers: only(people, 200, {
      'token of another client': 200,
      'token for another area': 200,
      'token to read contacts': 200,
      'token for everything': 200,
      'token of a suspended client': 200,
    }),
  },
  'GET /v1/webhook-endpoints': list(),
  'GET /v1/webhook-endpoints/{id}': { answers: only(people, 404), id: endpoint },
  'GET /v1/webhook-endpoints/{id}/health': { answers: only(people, 404), id: endpoint },
  // Its grant is for another path, which those who hold it are told.
  'POST /v1/webhook-endpoints': {
    answers: only(people, 409, toGrantMakers),
    body: (world) => ({
      ...{ grant_id: grant(world), url: 'https://hooks.example/in' },
      events: ['contact.created'],
    }),
  },
  'PATCH /v1/webhook-endpoints/{id}': { answers: only(people, 404), id: endpoint },
  'DELETE /v1/webhook-endpoints/{id}': { answers: only(people, 404), id: endpoint },
  ...Object.fromEntries(
    ['verify', 'test', 'enable', 'disable', 'secret/rotate', 'recover'].map((verb) => [
      `POST /v1/webhook-endpoints/{id}/${verb}`,
      {
        ...{ answers: only(people, 404), id: endpoint },
        ...(verb === 'disable' && { body: reason }),
        ...(verb === 'recover' && { body: () => ({ since: soon(-1) }) }),
      },
    ]),
  ),
  'GET /v1/webhook-deliveries': list(),
  'GET /v1/webhook-deliveries/{id}': { answers: only(people, 404), id: delivery },
  'POST /v1/webhook-deliveries/{id}/replay': { answers: only(people, 404), id: delivery },

  'GET /v1/access': {
    answers: only([], 403, {
      'token of another client': 200,
      'token for another area': 200,
      'token to read contacts': 200,
      'token for everything': 200,
    }),
  },
  // The query is missing, which those who may check are told.
  'GET /v1/access/check': { answers: only(['admin', 'reviewer', ...owners], 400) },
  'GET /v1/areas': {
    answers: only(people, 200, {
      'token of another client': 200,
      'token for another area': 200,
      'token to read contacts': 200,
      'token for everything': 200,
    }),
  },

  // Those who may make reports still need a grant of their own for the content.
  'POST /v1/reports': {
    answers: only([], 403),
    body: (world) => ({
      ...{ client_id: client(world), kind: 'metrics' },
      period: { from: '2026-01-01', to: '2026-01-31' },
    }),
  },
  'PATCH /v1/reports/{id}': {
    ...{ answers: only(reportMakers, 404), id: report },
    body: () => ({ title: 'A better title' }),
  },
  'POST /v1/reports/{id}/publish': {
    ...{ answers: only(['reviewer'], 404), id: report },
    body: () => ({ digest: digest() }),
  },
  'POST /v1/reports/{id}/withdraw': {
    ...{ answers: only(['reviewer'], 404), id: report, body: reason },
  },
  'GET /v1/reports/{id}/content': { answers: toRecords('reports', 'read'), id: report },

  'GET /v1/audit-entries': list(['operator without a grant', 'admin', 'reviewer', ...owners]),
  'GET /v1/audit-entries/{id}': {
    answers: only(['operator without a grant', 'admin', 'reviewer', ...owners], 404),
    id: () => newId('aud'),
  },
  'GET /v1/audit-entries/export': list([
    ...(['operator without a grant', 'admin', 'reviewer', ...owners] as const),
  ]),
  'GET /v1/audit-entries/verify': list(['admin', ...owners]),
  'GET /v1/audit-checkpoints': list(['admin', ...owners]),

  // Views need `custom/<slug>:read`, which no principal here has.
  'GET /v1/custom/{slug}': { answers: only([], 403) },
  'GET /v1/custom/{slug}/{id}': { answers: only([], 403), id: () => newId('con') },

  ...jobRows(),
  ...checkRows(),

  // It ends the session that it is sent with, so it comes last.
  'DELETE /v1/sign-in': { answers: only(people, 204) },
}

/** The matrix starts no jobs: the named objects do not exist, or the input is invalid. */
function jobRows(): Readonly<Record<string, Row>> {
  const areas = ['seo-audits', 'market-scans', 'enrichment', 'extraction', 'ai-assistance']
  const id = () => 'rec_00000000000000000000000000'
  const each = areas.flatMap((area): [string, Row][] => [
    [`POST /v1/${area}`, { answers: toRecords(area, 'run'), body: () => ({}) }],
    [`POST /v1/${area}/{id}/cancel`, { answers: toRecords(area, 'run'), id }],
  ])
  return {
    ...Object.fromEntries(each),
    'POST /v1/workflow-actions/{id}/runs': { answers: toRecords('workflow-actions', 'run'), id },
    'GET /v1/workflow-actions/{id}/runs': { answers: toRecords('workflow-actions', 'read'), id },
    'GET /v1/workflow-actions/{id}/runs/{run}': {
      ...{ answers: toRecords('workflow-actions', 'read'), id },
    },
    'GET /v1/seo-audits/{id}/findings': { answers: toRecords('seo-audits', 'read'), id },
    'POST /v1/enrichment/{id}/apply': {
      ...{ answers: toRecords('enrichment', 'read'), id },
      body: () => ({ fields: ['job_title'] }),
    },
  }
}

/** Every role except auditors may propose; tokens need `changes:propose`, which none here have. */
function changeRows(): Readonly<Record<string, Row>> {
  const doers = ['operator without a grant'] as const
  const never = () => newAccessId('change')
  const verb = (admitted: readonly Person[], body?: Row['body']): Row => ({
    answers: only(admitted, 404),
    id: never,
    ...(body && { body }),
  })
  const reviewed = () => ({ decision: 'approve', digest: digest(), ...reason() })
  return {
    'GET /v1/changes': list(),
    'GET /v1/changes/{id}': verb(people),
    'POST /v1/changes': {
      answers: only(people, 201, { 'owner of another client': 400 }),
      body: changeBody,
    },
    'PATCH /v1/changes/{id}': verb(people, () => ({ title: 'Another title' })),
    'POST /v1/changes/{id}/propose': verb(people),
    'POST /v1/changes/{id}/cancel': verb(people, reason),
    'POST /v1/changes/{id}/reviews': verb(owners, reviewed),
    'POST /v1/changes/{id}/post-review': verb(owners, reason),
    'POST /v1/changes/{id}/schedule': verb(doers, () => ({})),
    'POST /v1/changes/{id}/start': verb(doers),
    'POST /v1/changes/{id}/complete': verb(doers, () => ({ evidence: ['seen'] })),
    'POST /v1/changes/{id}/fail': verb(doers, reason),
    'POST /v1/changes/{id}/roll-back': verb(doers, reason),
    'GET /v1/change-templates': list(),
  }
}

/** For operators and admins, who are told only about the checker: the record does not exist. */
function checkRows(): Readonly<Record<string, Row>> {
  const areas = ['monitoring', 'domains']
  const row: Row = {
    answers: only(['operator without a grant', 'admin'], 404),
    id: () => 'rec_00000000000000000000000000',
    body: (world) => ({ client_id: client(world), enabled: true }),
  }
  return Object.fromEntries(areas.map((area) => [`PUT /v1/${area}/{id}/check`, row]))
}
