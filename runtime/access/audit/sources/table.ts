/**
 * Which parts of each event of the access logs the audit records, in one table. Fields that a row
 * does not name are not recorded: hashes, passwords, codes, names and addresses of people never
 * are. An event without a row, which a later version may write, is recorded by its name only.
 */
import { checkActor } from '../../../../proto/access/jobs/check.ts'
import { changeActor } from '../../../../proto/access/changes/change.ts'
import { clientActor } from '../../../../proto/access/engagement/client.ts'
import { customActor } from '../../../../proto/access/changes/custom.ts'
import { endpointActor } from '../../../../proto/access/webhooks/endpoint.ts'
import { grantActor } from '../../../../proto/access/grants/grant.ts'
import { needActor } from '../../../../proto/access/engagement/need.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { reportActor } from '../../../../proto/access/reports/report.ts'
import { requestActor } from '../../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../../proto/access/engagement/scope.ts'
import type { AnyActorProtocol, ActorCommand } from '../../../../proto/actor.ts'

export interface AuditRule {
  /** Appended to the kind: `revoked` of a grant is `grant.revoked`. */
  readonly action: string
  readonly owasp?: string
  /** Event fields whose values are recorded. */
  readonly recordedFields?: readonly string[]
  /** The entity's field with the second signature. */
  readonly signed?: string
  /** The person acts on their own record. */
  readonly isOwn?: true
  readonly outcome?: 'failed'
}

/** Internal bookkeeping without a decision: not recorded. */
export const unaudited = 'routine'
type Rows = Readonly<Record<string, AuditRule | typeof unaudited>>

interface KindTable {
  readonly protocol: AnyActorProtocol
  readonly rows: Rows
}

/** The type requires a row for each command. */
const kindTable = <P extends AnyActorProtocol>(
  protocol: P,
  rows: Readonly<Record<ActorCommand<P>['type'] | 'created', AuditRule | typeof unaudited>> & Rows,
): KindTable => ({
  protocol,
  rows: { recovered: unaudited, 'effect.failed': failed, ...rows },
})

const failed: AuditRule = { action: 'effect_failed', outcome: 'failed' }
const row = (action: string, more: Omit<AuditRule, 'action'> = {}): AuditRule => ({
  action,
  ...more,
})

export const auditTable: Readonly<Record<string, KindTable>> = {
  client: kindTable(clientActor, {
    created: row('created'),
    update: row('updated'),
    activate: row('activated', { signed: 'activation' }),
    suspend: row('suspended'),
    resume: row('resumed'),
    offboard: row('offboarded'),
    close: row('closed'),
    cite: unaudited,
    scope_confirmed: unaudited,
    scope_retired: unaudited,
    // The change's own log records its completion.
    book: unaudited,
    unbook: unaudited,
  }),
  scope: kindTable(scopeActor, {
    created: row('created'),
    revise: row('revised'),
    submit: row('submitted'),
    confirm: row('confirmed', { owasp: 'authz_change', signed: 'confirmations' }),
    return: row('returned'),
    retire: row('retired', { owasp: 'authz_change' }),
    cite: unaudited,
    client_told: unaudited,
    'deadline.effective_to': row('retired', { owasp: 'authz_change' }),
  }),
  need: kindTable(needActor, {
    created: row('opened'),
    update: row('updated'),
    extend: row('extended', { recordedFields: ['expectedEndAtMs'], signed: 'extension' }),
    close: row('closed'),
    cite: unaudited,
    'deadline.expected_end': row('overdue'),
    'deadline.abandoned': row('closed'),
  }),
  request: kindTable(requestActor, {
    created: row('created'),
    revise: row('revised'),
    submit: row('submitted'),
    checked: row('pending'),
    review: row('reviewed', { recordedFields: ['decision', 'reviewId'], signed: 'reviews' }),
    withdraw: row('withdrawn'),
    granted: row('fulfilled'),
    'deadline.expires': row('expired'),
  }),
  grant: kindTable(grantActor, {
    created: row('created', { owasp: 'authz_change' }),
    confirmed: row('confirmed', { owasp: 'authz_change' }),
    suspend: row('suspended', { owasp: 'authz_change' }),
    resume: row('resumed', { owasp: 'authz_change' }),
    revoke: row('revoked', { owasp: 'authz_change' }),
    post_review: row('post_reviewed'),
    end: row('ended', { owasp: 'authz_change', recordedFields: ['end'] }),
    mint: row('token_created', {
      owasp: 'authn_token_created',
      recordedFields: ['name', 'scopes', 'expiresAtMs'],
    }),
    rotate: row('token_rotated', {
      owasp: 'authn_token_created',
      recordedFields: ['newTokenId', 'overlapMs'],
    }),
    revoke_token: row('token_revoked', { owasp: 'authn_token_revoked' }),
    used: unaudited,
    'deadline.starts': row('started', { owasp: 'authz_change' }),
    'deadline.ends': row('ended', { owasp: 'authz_change' }),
    'deadline.expiring': unaudited,
    'deadline.postReview': row('post_review_missed', { outcome: 'failed' }),
  }),
  change: kindTable(changeActor, {
    created: row('created'),
    revise: row('revised'),
    propose: row('submitted'),
    checked: row('proposed'),
    review: row('reviewed', { recordedFields: ['decision', 'reviewId'], signed: 'reviews' }),
    schedule: row('scheduling'),
    booked: row('scheduled'),
    start: row('started'),
    complete: row('completed'),
    applied: row('done'),
    conflicted: row('conflicted', { outcome: 'failed', recordedFields: ['fields'] }),
    fail: row('failed', { outcome: 'failed' }),
    roll_back: row('rolled_back'),
    cancel: row('cancelled'),
    post_review: row('post_reviewed', { signed: 'postReview' }),
    'deadline.window_ends': row('window_passed'),
    'deadline.post_review': row('post_review_missed', { outcome: 'failed' }),
  }),
  custom: kindTable(customActor, {
    created: row('defined', { owasp: 'authz_change' }),
    define: row('redefined', { owasp: 'authz_change', recordedFields: ['changeId'] }),
    retire: row('retired', { owasp: 'authz_change', recordedFields: ['changeId'] }),
  }),
  person: kindTable(personActor, {
    created: row('invited', { owasp: 'user_created', signed: 'vouchers' }),
    reinvite: row('reinvited', { recordedFields: ['waits'] }),
    accept: row('accepted', { isOwn: true }),
    reset: row('reset_made', { recordedFields: ['waits'] }),
    use_reset: row('reset_used', {
      owasp: 'authn_password_change',
      isOwn: true,
      signed: 'vouchers',
    }),
    sign_in: row('signed_in', {
      owasp: 'authn_login_success',
      recordedFields: ['passkeyId'],
      isOwn: true,
    }),
    sign_in_failed: row('sign_in_failed', { owasp: 'authn_login_fail', outcome: 'failed' }),
    step_up: row('stepped_up', {
      owasp: 'authn_login_success',
      recordedFields: ['passkeyId'],
      isOwn: true,
    }),
    sign_out: row('signed_out', { isOwn: true }),
    set_totp: row('totp_changed'),
    resealed: unaudited,
    add_passkey: row('passkey_added', { recordedFields: ['passkeyId'] }),
    remove_passkey: row('passkey_removed', { recordedFields: ['passkeyId'] }),
    // Saved views are a private setting of the person.
    save_view: unaudited,
    drop_view: unaudited,
    set_password: row('password_changed', { owasp: 'authn_password_change' }),
    set_roles: row('roles_changed', {
      owasp: 'privilege_permissions_changed',
      recordedFields: ['roles', 'waits'],
    }),
    confirm: row('rights_confirmed', { owasp: 'privilege_permissions_changed' }),
    propose_removal: row('removal_proposed'),
    withdraw_removal: row('removal_withdrawn'),
    remove: row('removed', { owasp: 'user_archived', signed: 'departure' }),
    cite: unaudited,
    'deadline.unlock': row('unlocked'),
  }),
  report: kindTable(reportActor, {
    created: row('generated'),
    update: row('edited'),
    publish: row('published', { signed: 'published' }),
    supersede: row('superseded', { recordedFields: ['reportId'] }),
    withdraw: row('withdrawn'),
    recorded: unaudited,
    predecessor_told: unaudited,
  }),
  endpoint: kindTable(endpointActor, {
    created: row('created'),
    update: row('updated'),
    ping: row('pinged', { recordedFields: ['purpose', 'deliveryId'] }),
    replay: row('replayed', { recordedFields: ['sourceId', 'deliveryId'] }),
    recover: row('recovered', { recordedFields: ['sinceMs', 'untilMs'] }),
    enable: row('enabled'),
    disable: row('disabled'),
    rotate: row('secret_rotated', { recordedFields: ['graceMs'] }),
    remove: row('removed'),
    verified: row('verified'),
    delivery_succeeded: unaudited,
    delivery_failed: unaudited,
    gone: row('disabled'),
    grant_ended: row('disabled'),
    resealed: unaudited,
    'deadline.give_up': row('disabled', { outcome: 'failed' }),
    'deadline.retire_secret': row('secret_retired'),
  }),
  check: kindTable(checkActor, {
    created: unaudited,
    switch_on: row('switched_on', { recordedFields: ['recordId', 'intervalSeconds'] }),
    switch_off: row('switched_off', { recordedFields: ['recordId'] }),
    checked: unaudited,
    gone: unaudited,
    'effect.failed': unaudited,
    'deadline.due': unaudited,
  }),
}
