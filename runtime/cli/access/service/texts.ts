/**
 * Formats entities for a terminal: pure. Control characters are removed from people's text, so that
 * no name can move the cursor or hide other text.
 */
import { cleanText } from '../../../lib/text/clean.ts'
import { alignColumns } from '../../help.ts'
import type {
  AccessAnswer,
  ClientAnswer,
  GrantAnswer,
  NeedAnswer,
  OpenSlotsAnswer,
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
export const minuteText = (iso: string): string =>
  cleanText(iso)
    .replace('T', ' ')
    .replace(/:\d\d(\.\d+)?Z$/, 'Z')

/** `contacts:read,write`, followed by fields and conditions. */
export function permissionText({ area, actions, fields, where }: PermissionAnswer): string {
  const only = fields ? ` only ${fields.join(', ')}` : ''
  const conditions = (where ?? []).map(({ field, equals }) => `${field} = ${equals.join(' or ')}`)
  const narrowed = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''
  return cleanText(`${area}:${actions.join(',')}${only}${narrowed}`)
}

/** The same for a table cell. */
export const permissionsText = (permissions: readonly PermissionAnswer[]): string =>
  permissions.map(({ area, actions }) => cleanText(`${area}:${actions.join(',')}`)).join(' ')

export const subjectText = ({ kind, id }: SubjectAnswer): string => cleanText(`${kind} ${id}`)

/** The first value is beside the name, the others below it. */
export const textRows = (name: string, values: readonly string[]): Row[] =>
  values.map((value, i) => [i === 0 ? name : '', cleanText(value)])
export const textRow = (name: string, value: string | undefined): Row[] =>
  value === undefined || value === '' ? [] : textRows(name, [value])

export const textPage = (title: string, ...parts: readonly (readonly Row[])[]): string =>
  [cleanText(title), '', alignColumns(parts.flat())].join('\n')

export const clientText = (client: ClientAnswer): string =>
  textPage(
    `Client ${client.id}: ${client.name}`,
    textRow('Status', client.status),
    textRow('Slug', client.slug),
    textRow('Contact', `${client.contact.name} <${client.contact.email}>`),
    textRow('Time zone', client.timezone),
  )

export function scopeText(scope: ScopeAnswer): string {
  const { id, status, client_id: client, current, proposal, digest } = scope
  return textPage(
    `Service scope ${id}`,
    textRow('Status', status),
    textRow('Client', client),
    current ? termsRows('In force', current) : [],
    proposal ? termsRows('Proposed', proposal) : [],
    textRow('Digest', digest ?? undefined),
  )
}

const termsRows = (name: string, terms: TermsAnswer): Row[] => [
  ...textRows(name, [
    terms.name,
    ...(terms.summary === '' ? [] : [terms.summary]),
    `${minuteText(terms.effective_from)} to ${minuteText(terms.effective_to)}`,
    `paths ${terms.paths.join(', ')}`,
    ...terms.areas.map(permissionText),
  ]),
]

export const needText = (need: NeedAnswer): string =>
  textPage(
    `Need ${need.id}: ${need.title}`,
    textRow('Status', need.status),
    textRow('Client', need.client_id),
    textRow('Purpose', need.purpose),
    textRow('Category', need.category),
    textRow('Reference', `${need.reference.kind} ${need.reference.id}`),
    textRow('Owner', need.owner_id),
    textRow('Until', minuteText(need.expected_end_at)),
    textRow('Closed', need.closed_reason),
  )

/** Everything that a review signs, and the comments so far. */
export function requestText(request: RequestAnswer): string {
  const { shown, policy } = request
  const named = (one: { readonly name: string } | undefined, id: string) =>
    one === undefined ? id : `${one.name} (${id})`
  const version = shown ? `, version ${shown.scope.version}` : ''
  return textPage(
    `Access request ${request.id}`,
    textRow('Status', request.status),
    textRow('Client', named(shown?.client, request.client_id ?? '')),
    textRow('Requested by', `${request.requested_by.kind} ${request.requested_by.id}`),
    textRow('For', subjectRow(request)),
    textRow('Need', shown ? `${shown.need.title} (${request.need_id})` : request.need_id),
    textRow('', shown?.need.purpose),
    textRow('Scope', named(shown?.scope, request.scope_id) + version),
    textRow('Path', request.path),
    textRows('Access', request.permissions.map(permissionText)),
    textRows(
      'Views',
      (shown?.custom ?? []).map(
        ({ slug, source_area: area, fields, change_id: by }) =>
          `custom/${slug} is ${area}: ${fields.join(', ')} (${by})`,
      ),
    ),
    textRow('From', request.starts_at ? minuteText(request.starts_at) : 'its approval'),
    textRow('Until', minuteText(request.ends_at)),
    textRow('Networks', request.cidrs.length > 0 ? request.cidrs.join(', ') : 'any'),
    textRow('Emergency', request.emergency ? 'yes: reviewed afterwards' : 'no'),
    textRow('Renews', request.renews_grant_id),
    textRow('Why', request.justification),
    textRow('Rules', policy?.rules.join(', ')),
    textRow('Approvals', policy?.slots.map(({ role, count }) => `${count} × ${role}`).join(', ')),
    ...openSlotRows(request.open_slots),
    textRow('Decide by', policy ? minuteText(policy.expires_at) : undefined),
    textRows('Reviews', request.reviews.map(reviewText)),
    textRow('Message', request.message),
    textRow('Grant', request.grant_id),
    textRow('Digest', request.digest ?? undefined),
  )
}

/** Who can give each missing approval, and what to do if nobody can. */
export const openSlotRows = (slots: OpenSlotsAnswer = []): readonly (readonly Row[])[] => [
  textRows(
    'Can approve',
    slots.map(({ role, can }) => {
      const names = can.map(({ id, name }) => `${name} (${id})`)
      return `${role}: ${names.join(', ') || 'nobody'}`
    }),
  ),
  ...slots.map(({ advice }) => textRow('What to do', advice)),
]

function subjectRow({ subject, shown }: RequestAnswer): string {
  const name = shown?.subject.name
  return name === undefined || name === subject.id
    ? `${subject.kind} ${subject.id}`
    : `${subject.kind} ${name} (${subject.id})`
}

export const reviewText = (review: ReviewAnswer): string => {
  const { at, reviewer_id: by, slot, decision, reason, is_void: isVoid } = review
  return `${minuteText(at)} ${by} as ${slot}: ${decision}, "${reason}"${isVoid ? ' (void)' : ''}`
}

export function grantText(grant: GrantAnswer, tokens: readonly TokenAnswer[]): string {
  return textPage(
    `Grant ${grant.id}`,
    textRow('Status', grant.status),
    textRow('Ended', grant.end_reason),
    textRow('Reason', grant.reason),
    textRow('Client', grant.client_id),
    textRow('For', subjectText(grant.subject)),
    textRow('Need', grant.need_id),
    textRow('Scope', grant.scope_id),
    textRow('Request', grant.request_id),
    textRow('Path', grant.path),
    textRows('Access', grant.permissions.map(permissionText)),
    textRow('Networks', grant.cidrs.length > 0 ? grant.cidrs.join(', ') : 'any'),
    textRow('From', minuteText(grant.starts_at)),
    textRow('Until', minuteText(grant.ends_at)),
    textRow('Emergency', grant.emergency ? 'yes' : 'no'),
    textRows(
      'Approved',
      grant.approvers.map(({ id, slot, at }) => `${minuteText(at)} ${id} as ${slot}`),
    ),
    textRow('Last used', grant.last_used_at && minuteText(grant.last_used_at)),
    textRows('Tokens', tokens.map(tokenText)),
  )
}

const tokenText = ({ id, status, name, hint, scopes, expires_at: at }: TokenAnswer): string =>
  `${id} ${status} "${name}" ${hint} ${scopes.join(' ')} until ${minuteText(at)}`

export const personText = (person: PersonAnswer): string =>
  textPage(
    `Person ${person.id}: ${person.name}`,
    textRow('E-mail', person.email),
    textRow('Status', person.status),
    textRow('Kind', person.kind),
    textRow('Client', person.client_id),
    textRow('Roles', person.roles.join(', ')),
    textRow('Code', person.has_totp ? 'required at sign-in' : 'none'),
    textRow('Signed in', person.last_sign_in_at && minuteText(person.last_sign_in_at)),
  )

export const accessText = (access: AccessAnswer): string =>
  textPage(
    `Token "${access.token.name}" ${access.token.hint}`,
    textRows('May', access.permissions.map(permissionText)),
    textRow('Until', minuteText(access.ends_at)),
    textRow('Path', access.path),
    textRow('Emergency', access.emergency ? 'yes' : undefined),
    textRow('Client', `${access.client.name} (${access.client.id})`),
    textRow('Scope', `${access.scope.name} (${access.scope.id})`),
    textRow('Need', `${access.need.title} (${access.need.id})`),
    textRow('', access.need.purpose),
    textRows(
      'Reviewed',
      access.reviewed_by.map(({ role, at }) => `${minuteText(at)} by a ${role}`),
    ),
  )
