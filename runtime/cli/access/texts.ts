/**
 * Formats entities for a terminal: pure. Control characters are removed from people's text, so that
 * no name can move the cursor or hide other text.
 */
import { clean } from '../../text/clean.ts'
import { columns } from '../help.ts'
import type {
  AccessAnswer,
  ClientAnswer,
  GrantAnswer,
  NeedAnswer,
  PermissionAnswer,
  PersonAnswer,
  RequestAnswer,
  ReviewAnswer,
  ScopeAnswer,
  SubjectAnswer,
  TermsAnswer,
  TokenAnswer,
} from './answers.ts'

type Row = readonly [name: string, value: string]

/** `2026-12-31 23:59Z`: minutes are precise enough for decisions. */
export const timeText = (iso: string): string =>
  clean(iso)
    .replace('T', ' ')
    .replace(/:\d\d(\.\d+)?Z$/, 'Z')

/** `contacts:read,write`, followed by fields and conditions. */
export function permissionText({ area, actions, fields, where }: PermissionAnswer): string {
  const only = fields ? ` only ${fields.join(', ')}` : ''
  const conditions = (where ?? []).map(({ field, equals }) => `${field} = ${equals.join(' or ')}`)
  const narrowed = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''
  return clean(`${area}:${actions.join(',')}${only}${narrowed}`)
}

/** The same for a table cell. */
export const permissionsText = (permissions: readonly PermissionAnswer[]): string =>
  permissions.map(({ area, actions }) => clean(`${area}:${actions.join(',')}`)).join(' ')

export const subjectText = ({ kind, id }: SubjectAnswer): string => clean(`${kind} ${id}`)

/** The first value is beside the name, the others below it. */
export const rows = (name: string, values: readonly string[]): Row[] =>
  values.map((value, i) => [i === 0 ? name : '', clean(value)])
export const row = (name: string, value: string | undefined): Row[] =>
  value === undefined || value === '' ? [] : rows(name, [value])

export const page = (title: string, ...parts: readonly (readonly Row[])[]): string =>
  [clean(title), '', columns(parts.flat())].join('\n')

export const clientText = (client: ClientAnswer): string =>
  page(
    `Client ${client.id}: ${client.name}`,
    row('Status', client.status),
    row('Slug', client.slug),
    row('Contact', `${client.contact.name} <${client.contact.email}>`),
    row('Time zone', client.timezone),
  )

export function scopeText(scope: ScopeAnswer): string {
  const { id, status, client_id: client, current, proposal, digest } = scope
  return page(
    `Service scope ${id}`,
    row('Status', status),
    row('Client', client),
    current ? termsRows('In force', current) : [],
    proposal ? termsRows('Proposed', proposal) : [],
    row('Digest', digest ?? undefined),
  )
}

const termsRows = (name: string, terms: TermsAnswer): Row[] => [
  ...rows(name, [
    terms.name,
    ...(terms.summary === '' ? [] : [terms.summary]),
    `${timeText(terms.effective_from)} to ${timeText(terms.effective_to)}`,
    `paths ${terms.paths.join(', ')}`,
    ...terms.areas.map(permissionText),
  ]),
]

export const needText = (need: NeedAnswer): string =>
  page(
    `Need ${need.id}: ${need.title}`,
    row('Status', need.status),
    row('Client', need.client_id),
    row('Purpose', need.purpose),
    row('Category', need.category),
    row('Reference', `${need.reference.kind} ${need.reference.id}`),
    row('Owner', need.owner_id),
    row('Until', timeText(need.expected_end_at)),
    row('Closed', need.closed_reason),
  )

/** Everything that a review signs, and the comments so far. */
export function requestText(request: RequestAnswer): string {
  const { shown, policy } = request
  const named = (one: { readonly name: string } | undefined, id: string) =>
    one === undefined ? id : `${one.name} (${id})`
  const version = shown ? `, version ${shown.scope.version}` : ''
  return page(
    `Access request ${request.id}`,
    row('Status', request.status),
    row('Client', named(shown?.client, request.client_id ?? '')),
    row('Asked by', `${request.requested_by.kind} ${request.requested_by.id}`),
    row('For', subjectRow(request)),
    row('Need', shown ? `${shown.need.title} (${request.need_id})` : request.need_id),
    row('', shown?.need.purpose),
    row('Scope', named(shown?.scope, request.scope_id) + version),
    row('Path', request.path),
    rows('Access', request.permissions.map(permissionText)),
    rows(
      'Views',
      (shown?.custom ?? []).map(
        ({ slug, source_area: area, fields, change_id: by }) =>
          `custom/${slug} is ${area}: ${fields.join(', ')} (${by})`,
      ),
    ),
    row('From', request.starts_at ? timeText(request.starts_at) : 'its approval'),
    row('Until', timeText(request.ends_at)),
    row('Networks', request.cidrs.length > 0 ? request.cidrs.join(', ') : 'any'),
    row('Emergency', request.emergency ? 'yes: reviewed afterwards' : 'no'),
    row('Renews', request.renews_grant_id),
    row('Why', request.justification),
    row('Rules', policy?.rules.join(', ')),
    row('Approvals', policy?.slots.map(({ role, count }) => `${count} × ${role}`).join(', ')),
    row('Decide by', policy ? timeText(policy.expires_at) : undefined),
    rows('Reviews', request.reviews.map(reviewText)),
    row('Message', request.message),
    row('Grant', request.grant_id),
    row('Digest', request.digest ?? undefined),
  )
}

function subjectRow({ subject, shown }: RequestAnswer): string {
  const name = shown?.subject.name
  return name === undefined || name === subject.id
    ? `${subject.kind} ${subject.id}`
    : `${subject.kind} ${name} (${subject.id})`
}

export const reviewText = (review: ReviewAnswer): string => {
  const { at, reviewer_id: by, slot, decision, reason, is_void: isVoid } = review
  return `${timeText(at)} ${by} as ${slot}: ${decision}, "${reason}"${isVoid ? ' (void)' : ''}`
}

export function grantText(grant: GrantAnswer, tokens: readonly TokenAnswer[]): string {
  return page(
    `Grant ${grant.id}`,
    row('Status', grant.status),
    row('Ended', grant.end_reason),
    row('Reason', grant.reason),
    row('Client', grant.client_id),
    row('For', subjectText(grant.subject)),
    row('Need', grant.need_id),
    row('Scope', grant.scope_id),
    row('Request', grant.request_id),
    row('Path', grant.path),
    rows('Access', grant.permissions.map(permissionText)),
    row('Networks', grant.cidrs.length > 0 ? grant.cidrs.join(', ') : 'any'),
    row('From', timeText(grant.starts_at)),
    row('Until', timeText(grant.ends_at)),
    row('Emergency', grant.emergency ? 'yes' : 'no'),
    rows(
      'Approved',
      grant.approvers.map(({ id, slot, at }) => `${timeText(at)} ${id} as ${slot}`),
    ),
    row('Last used', grant.last_used_at && timeText(grant.last_used_at)),
    rows('Tokens', tokens.map(tokenText)),
  )
}

const tokenText = ({ id, status, name, hint, scopes, expires_at: at }: TokenAnswer): string =>
  `${id} ${status} "${name}" ${hint} ${scopes.join(' ')} until ${timeText(at)}`

export const personText = (person: PersonAnswer): string =>
  page(
    `Person ${person.id}: ${person.name}`,
    row('E-mail', person.email),
    row('Status', person.status),
    row('Kind', person.kind),
    row('Client', person.client_id),
    row('Roles', person.roles.join(', ')),
    row('Code', person.has_totp ? 'asked for at sign-in' : 'none'),
    row('Signed in', person.last_sign_in_at && timeText(person.last_sign_in_at)),
  )

export const accessText = (access: AccessAnswer): string =>
  page(
    `Token "${access.token.name}" ${access.token.hint}`,
    rows('May', access.permissions.map(permissionText)),
    row('Until', timeText(access.ends_at)),
    row('Path', access.path),
    row('Emergency', access.emergency ? 'yes' : undefined),
    row('Client', `${access.client.name} (${access.client.id})`),
    row('Scope', `${access.scope.name} (${access.scope.id})`),
    row('Need', `${access.need.title} (${access.need.id})`),
    row('', access.need.purpose),
    rows(
      'Reviewed',
      access.reviewed_by.map(({ role, at }) => `${timeText(at)} by a ${role}`),
    ),
  )
