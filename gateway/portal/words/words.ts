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
  returned: 'Changes asked for',
  fulfilled: 'Granted',
  confirming: 'Being made',
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
  R1: 'Every request is reviewed by a staff reviewer.',
  R2: 'Personal data for staff or a program: an owner of the client agrees too.',
  R3: 'More than reading takes two people.',
  R4: 'Longer than 30 days takes two people.',
  R5: 'Webhooks take the agreement of an owner of the client.',
  R6: 'Custom access takes two people.',
  R7: 'Emergency: one reviewer now, and a review by somebody else within 24 hours.',
  C1: 'Every change is approved by a change manager.',
  C2: 'The client notices it: an owner of the client agrees too.',
  C3: 'High risk takes two change managers.',
  C4: 'Custom access: an owner of the client agrees too.',
  C5: 'Emergency: one change manager now, and a review by somebody else within 24 hours.',
  C6: 'Standard: its template was approved beforehand, once for all.',
  R8: 'A technical area can be read only; changes go through the backlog.',
}

export const endWords: Readonly<Record<string, string>> = {
  ends_at: 'Its time was over.',
  need_closed: 'The need it served was closed.',
  scope_retired: 'The service scope it rested on was retired.',
  subject_removed: 'The person it was for was removed.',
  client_closed: 'The client was closed.',
  post_review_missed: 'It was not reviewed afterwards in time.',
  never_held: 'It never came into force.',
  revoked: 'It was revoked.',
}
