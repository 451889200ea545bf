/**
 * The actions on a change that a person may take now, why others are not possible, and who must act
 * next. Pages use this to offer actions; the change's actor decides.
 */
import { hasRole } from '../../../../../proto/access/author.ts'
import {
  isChangeParticipant,
  participantsOf,
  implementersOf,
  barredImplementers,
} from '../../../../../proto/access/changes/change-parties.ts'
import type { ChangeStatus, ChangeView } from '../../../../../proto/access/changes/change.ts'
import {
  slotEligibility,
  openSlots,
  validReviews,
} from '../../../../../proto/access/grants/review-slots.ts'
import { whyDependent } from '../../../../access/people/second-person.ts'
import type { Visit } from '../../../visit.ts'
import { objectNameOf } from '../../../words/names.ts'
import { timeWord } from '../../../../html/times.ts'
import { slotsWord } from '../../../words/words.ts'

const verbs = {
  propose: 'Propose the change',
  review: 'Review the change',
  schedule: 'Schedule the change',
  start: 'Start the change',
  complete: 'Mark the change as done',
  fail: 'Mark the change as failed',
  roll_back: 'Mark the change as rolled back',
  cancel: 'Cancel the change',
  post_review: 'Complete the post-review',
} as const
export type ChangeVerb = keyof typeof verbs
export const verbWord = (verb: ChangeVerb): string => verbs[verb]

/** The first verb of each state is the one that advances the change. */
const inState: Partial<Readonly<Record<ChangeStatus, readonly ChangeVerb[]>>> = {
  draft: ['propose', 'cancel'],
  returned: ['propose', 'cancel'],
  proposed: ['review', 'cancel'],
  reviewed: ['review', 'cancel'],
  approved: ['schedule', 'cancel'],
  scheduled: ['start', 'schedule', 'cancel'],
  in_progress: ['complete', 'fail'],
  failed: ['schedule', 'roll_back'],
}

export interface PossibleAction {
  readonly verb: ChangeVerb
  /** Absent if the person may do it. */
  readonly whyNot?: string
}

const proposers = ['admin', 'reviewer', 'operator', 'change_manager', 'owner', 'member'] as const
/** Auditors may read, but not propose. */
export const mayPropose = ({ person }: Visit): boolean => hasRole(person, ...proposers)

const isReviewDue = ({ status, postReview }: ChangeView) =>
  status === 'done' && postReview?.status === 'due'

/** All verbs possible in the current state, each with a reason if this person may not use it. */
export function possibleActions(visit: Visit, change: ChangeView): readonly PossibleAction[] {
  const now = isReviewDue(change) ? (['post_review'] as const) : (inState[change.status] ?? [])
  return now.map((verb) => {
    const whyNot = whyNots[verb](visit, change)
    return whyNot === undefined ? { verb } : { verb, whyNot }
  })
}

type WhyNot = (visit: Visit, change: ChangeView) => string | undefined

const isProposer = ({ person }: Visit, { proposedBy }: ChangeView) => proposedBy.id === person.id
const doers = 'Only an operator or a change manager of the provider can do this.'
const mayDo = (visit: Visit) => visit.isStaff && hasRole(visit.person, 'operator', 'change_manager')

const whyNots: Readonly<Record<ChangeVerb, WhyNot>> = {
  propose: (visit, change) =>
    isProposer(visit, change) ? undefined : 'Only the author can edit or propose this change.',
  review: whyNoReview,
  schedule: (visit) => (mayDo(visit) ? undefined : doers),
  start: whyNoStart,
  complete: (visit, { implementer }) =>
    implementer?.id === visit.person.id
      ? undefined
      : 'Only the implementer can mark this change as done.',
  fail: (visit, { implementer }) =>
    implementer?.id === visit.person.id || hasRole(visit.person, 'change_manager')
      ? undefined
      : 'Only the implementer or a change manager can mark this change as failed.',
  roll_back: (visit) => (mayDo(visit) ? undefined : doers),
  cancel: (visit, change) =>
    isProposer(visit, change) || hasRole(visit.person, 'change_manager', 'owner')
      ? undefined
      : 'Only its author, a change manager or an owner of the client can cancel this change.',
  post_review: (visit, change) => {
    if (visit.deps.singleOperator) return undefined
    if (isChangeParticipant(change, visit.person.id))
      return 'You took part in this change, so someone else must review it.'
    if (!hasRole(visit.person, 'change_manager', 'owner')) {
      return 'Only a change manager or an owner of the client can do this.'
    }
    return visit.isIndependentOf(participantsOf(change)) ? undefined : whyDependent
  },
}

function whyNoReview(visit: Visit, change: ChangeView): string | undefined {
  const { person, deps } = visit
  if (deps.singleOperator) return undefined
  if (isProposer(visit, change)) return 'You proposed this change, so someone else must approve it.'
  if (implementersOf(change).includes(person.id)) {
    return 'You are the implementer, so someone else must approve this change.'
  }
  if (validReviews(change).some(({ reviewerId }) => reviewerId === person.id)) {
    return 'You have already reviewed this change.'
  }
  const open = openSlots(change)
  if (open.some((role) => slotEligibility[role](person))) {
    return visit.isIndependentOf(participantsOf(change)) ? undefined : whyDependent
  }
  return `This change needs a review by ${missingApprovals(change)}.`
}

function whyNoStart(visit: Visit, change: ChangeView): string | undefined {
  const { person, deps } = visit
  const { terms, window } = change
  if (!mayDo(visit)) return doers
  if (!deps.singleOperator && barredImplementers(change).includes(person.id)) {
    const did = isProposer(visit, change) ? 'proposed' : 'approved'
    return `You ${did} this change, so someone else must implement it.`
  }
  if (!deps.singleOperator && terms.implementerId && terms.implementerId !== person.id) {
    return `The planned implementer is ${objectNameOf(visit, terms.implementerId)}.`
  }
  if (!window || window.startMs <= visit.now) return undefined
  return `Its window opens at ${timeWord(window.startMs, visit.zone)}.`
}

/** For example `2 change managers and an owner of the client`. */
export function missingApprovals(change: ChangeView): string {
  const open = openSlots(change)
  const count = (role: (typeof open)[number]) => open.filter((one) => one === role).length
  return slotsWord([...new Set(open)].map((role) => ({ role, count: count(role) })))
}

export interface NextStep {
  /** Who must act, and how. */
  readonly text: string
  readonly isYours: boolean
}

/** Undefined for final states. */
export function nextStepOf(visit: Visit, change: ChangeView): NextStep | undefined {
  const text = nextText(visit, change)
  if (text === undefined) return undefined
  const [first] = possibleActions(visit, change)
  if (!first || first.whyNot !== undefined) return { text, isYours: false }
  const own =
    change.status === 'returned' ? 'Edit the change and propose it again' : verbs[first.verb]
  return { text: own, isYours: true }
}

function nextText(visit: Visit, change: ChangeView): string | undefined {
  const { status, proposedBy, terms, implementer } = change
  switch (status) {
    case 'draft':
      return `To be proposed by ${objectNameOf(visit, proposedBy.id)}`
    case 'returned':
      return `To be edited by ${objectNameOf(visit, proposedBy.id)}`
    case 'proposed':
    case 'reviewed':
      return `To be reviewed by ${missingApprovals(change)}`
    case 'approved':
      return 'To be scheduled by an operator'
    case 'scheduled':
      return `To be started by ${terms.implementerId ? objectNameOf(visit, terms.implementerId) : 'an operator'}`
    case 'in_progress':
      return `Result to be reported by ${implementer ? objectNameOf(visit, implementer.id) : 'an operator'}`
    case 'failed':
      return 'To be rescheduled or rolled back by an operator'
    case 'checking':
    case 'booking':
    case 'applying':
      return 'Being processed by the service'
    case 'done':
      return isReviewDue(change) ? 'To be reviewed afterwards by a change manager' : undefined
    case 'rejected':
    case 'rolled_back':
    case 'cancelled':
      return undefined
  }
}

/** The changes that wait for this person. */
export const waitingChanges = (visit: Visit): readonly ChangeView[] =>
  visit.list('change').filter((one) => nextStepOf(visit, one)?.isYours)
