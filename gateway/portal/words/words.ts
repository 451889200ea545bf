/** The words for states, fields and roles. Keys without an entry are formatted. */
import type { AccessRole } from '../../../proto/access/author.ts'
import type { SlotRole } from '../../../proto/access/grants/review.ts'
import type { Tone } from '../../html/parts.tsx'

const tones: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    ...['active', 'fulfilled', 'approved', 'completed', 'succeeded', 'published', 'up', 'won'],
    ...['on_track', 'customer', 'evangelist', 'open', 'success', 'done'],
    'delivered',
  ],
  wait: [
    ...['pending', 'checking', 'returned', 'proposed', 'scheduled', 'invited', 'onboarding'],
    ...['overdue', 'suspended', 'confirming', 'waiting', 'in_progress', 'running', 'queued'],
    ...['at_risk', 'degraded', 'partial', 'expiring', 'on_hold', 'offboarding', 'locked'],
    ...['pending_verification', 'blocked', 'paused', 'due', 'sending', 'retrying'],
    ...['reviewed', 'booking', 'applying'],
  ],
  bad: [
    ...['denied', 'revoked', 'failed', 'down', 'off_track', 'lapsed', 'lost', 'rolled_back'],
    ...['critical', 'missed', 'expired', 'rejected', 'exhausted', 'withdrawn'],
  ],
  quiet: [],
}

export function toneOf(state: string): Tone {
  const found = Object.entries(tones).find(([, states]) => states.includes(state))
  return (found?.[0] as Tone | undefined) ?? 'quiet'
}

const spelt: Readonly<Record<string, string>> = {
  checking: 'Being checked',
  pending: 'Waiting for review',
  returned: 'Changes requested',
  fulfilled: 'Granted',
  confirming: 'Being created',
  reviewed: 'Partly approved',
  booking: 'Being scheduled',
  applying: 'Being written',
  acr: 'Request',
  id: 'ID',
  seo: 'SEO',
  url: 'URL',
  tls: 'TLS',
  dns_records: 'DNS records',
  lcp_ms: 'Largest contentful paint (ms)',
  inp_ms: 'Interaction to next paint (ms)',
  ttfb_ms: 'Time to first byte (ms)',
  cls: 'Layout shift',
  site_url: 'Site',
  repository_url: 'Repository',
  commit_sha: 'Commit',
  d1: 'Last day',
  d7: 'Last 7 days',
  d30: 'Last 30 days',
  p50: 'Median',
  p95: '95th percentile',
  created_at: 'Created',
  updated_at: 'Updated',
  started_at: 'Started',
  finished_at: 'Finished',
  due_at: 'Due',
  due_on: 'Due',
  completed_at: 'Completed',
  created_by: 'Created by',
  updated_by: 'Updated by',
  owner_id: 'Owner',
  assignee_id: 'Assigned to',
  lead_id: 'Lead',
  contact_id: 'Contact',
  project_id: 'Project',
  interval_s: 'Checked every (seconds)',
  staff_reviewer: 'Staff reviewer',
  client_owner: 'Owner of the client',
  api: 'API',
}

/** For example `in_progress` → `In progress`. */
export function toWords(key: string): string {
  if (Object.hasOwn(spelt, key)) return spelt[key]!
  const text = key
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/\b(ai|seo|url|tls|dns|api|id|csv)\b/g, upper)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const upper = (text: string) => text.toUpperCase()

const roleWords: Readonly<Record<AccessRole, string>> = {
  admin: 'Admin',
  reviewer: 'Reviewer',
  operator: 'Operator',
  change_manager: 'Change manager',
  auditor: 'Auditor',
  owner: 'Owner',
  member: 'Member',
}
export const roleWord = (role: AccessRole): string => roleWords[role]

export const roleHints: Readonly<Record<AccessRole, string>> = {
  admin: 'Manages clients, service scopes and people. Does not review access.',
  reviewer: 'Reviews access requests, except their own.',
  operator: 'Sets up programs and turns checkers on and off.',
  change_manager: 'Reviews and schedules changes.',
  auditor: 'Reads the whole audit.',
  owner: 'Decides for the client: reviews requests, invites people, opens and closes needs.',
  member: 'Requests access and uses it.',
}

const slotWords: Readonly<Record<SlotRole, readonly [string, string]>> = {
  staff_reviewer: ['a staff reviewer', 'staff reviewers'],
  change_manager: ['a change manager', 'change managers'],
  client_owner: ['an owner of the client', 'owners of the client'],
}

/** For example `2 staff reviewers and an owner of the client`. */
export function slotsWord(
  slots: readonly { readonly role: SlotRole; readonly count: number }[],
): string {
  const parts = slots.map(({ role, count }) => {
    const [one, many] = slotWords[role]
    return count === 1 ? one : `${count} ${many}`
  })
  return parts.join(' and ')
}

export const ruleWords: Readonly<Record<string, string>> = {
  R1: 'Every request requires a review by a staff reviewer.',
  R2: 'Personal data for staff or a program also requires approval by an owner of the client.',
  R3: 'More than read access requires two reviewers.',
  R4: 'More than 30 days requires two reviewers.',
  R5: 'Webhooks require approval by an owner of the client.',
  R6: 'Custom access requires two reviewers.',
  R7: 'Emergency access requires one reviewer now, and a review by someone else within 24 hours.',
  C1: 'Every change requires approval by a change manager.',
  C2: 'A change visible to the client also requires approval by an owner of the client.',
  C3: 'High risk requires two change managers.',
  C4: 'Custom access also requires approval by an owner of the client.',
  C5: 'An emergency change requires one change manager now, and a review by someone else within 24 hours.',
  C6: 'A standard change needs no review, because its template is pre-approved.',
  F1: 'Two different people are enough because staff are few; owners of the client fill what is missing.',
  F2: 'The proposer may implement it after another person has approved it, because staff are few.',
  R8: 'Technical areas are read-only; they are edited through changes.',
}

export const endWords: Readonly<Record<string, string>> = {
  ends_at: 'It reached its end.',
  need_closed: 'Its need was closed.',
  scope_retired: 'Its service scope was retired.',
  subject_removed: 'The person who had it was removed.',
  client_closed: 'The client was closed.',
  post_review_missed: 'It was not reviewed afterwards in time.',
  never_held: 'It never came into force.',
  revoked: 'It was revoked.',
}
