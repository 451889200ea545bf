/** Tells owners about emergency access to their client's data until it has been reviewed. */
import { hasRole } from '../../../proto/access/author.ts'
import type { GrantView } from '../../../proto/access/grants/grant.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { NoticeBox, TimeText } from '../../html/parts.tsx'
import type { Visit } from '../visit.ts'
import { needTitle, subjectName } from '../words/names.ts'

const shownMost = 5

export const EmergencyNotices = ({ visit }: { visit: Visit }) => {
  if (visit.isStaff || !hasRole(visit.person, 'owner')) return <></>
  const due = visit.list('grant').filter(({ postReview }) => postReview?.status === 'due')
  const more = due.length - shownMost
  return (
    <>
      {due.slice(0, shownMost).map((grant) => (
        <EmergencyNotice visit={visit} grant={grant} />
      ))}
      {more > 0 ? (
        <p>
          <a href={visit.at('/grants')}>{more} more emergency grants</a> are waiting for a review.
        </p>
      ) : (
        ''
      )}
    </>
  )
}

const EmergencyNotice = ({ visit, grant }: { visit: Visit; grant: GrantView }) => {
  const { id, status, subject, needId, endsAtMs, endedAt, postReview } = grant
  if (!postReview) return <></>
  const { zone } = visit
  const startedAt = <TimeText ms={postReview.byMs - limits.postReviewMs} zone={zone} />
  const isOver = endedAt !== undefined
  return (
    <NoticeBox
      tone={isOver ? 'wait' : 'bad'}
      title={isOver ? 'Emergency access has ended' : 'Emergency access to your data has started'}
    >
      <p>
        {subjectName(visit, subject)} {isOver ? 'had' : 'has'} access from {startedAt} to{' '}
        <TimeText ms={endedAt ?? endsAtMs} zone={zone} />
        {status === 'suspended' ? ' (currently suspended)' : ''}, for “{needTitle(visit, needId)}”.
        One person approved it; you or another reviewer must review it by{' '}
        <TimeText ms={postReview.byMs} zone={zone} />.
      </p>
      <p>
        <a href={visit.at(`/access/${id}`)}>
          {isOver
            ? 'View what it allowed, and review it'
            : 'View what it allows, review or revoke it'}
        </a>
      </p>
    </NoticeBox>
  )
}
