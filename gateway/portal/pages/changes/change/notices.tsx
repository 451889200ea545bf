/** Notices at the top of a change: why it was returned, and collisions. */
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { NoticeBox, TimeText } from '../../../../html/parts.tsx'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import { NobodyCan } from '../../open-slots.tsx'
import { collisionsWith, windowOf } from '../collisions.ts'
import { nextStepOf } from './possible-actions.ts'
import { WindowText } from './window.tsx'

const bad: readonly string[] = ['rejected', 'failed', 'rolled_back', 'cancelled']

export const ChangeNotices = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const { status, message, isLate, window } = change
  const next = nextStepOf(visit, change)
  return (
    <>
      {message === null || message === '' ? (
        ''
      ) : (
        <NoticeBox tone={bad.includes(status) ? 'bad' : 'wait'} title={titleOf(status)}>
          <p>{message}</p>
        </NoticeBox>
      )}
      <Conflict change={change} />
      {isLate && window ? (
        <NoticeBox tone="bad" title="The window has passed, and the change is still in progress">
          <p>
            The window ended at <TimeText ms={window.endMs} zone={visit.zone} />. Report the result.
          </p>
        </NoticeBox>
      ) : (
        ''
      )}
      <Collisions visit={visit} change={change} />
      <NobodyCan
        visit={visit}
        slots={visit.deps.approvers.ofChange(change)}
        implementers={visit.deps.approvers.implementersOf(change)}
      />
      <PostReview visit={visit} change={change} />
      {next === undefined ? (
        ''
      ) : (
        <NoticeBox
          tone={next.isYours ? 'wait' : 'info'}
          title={next.isYours ? 'Your turn' : 'Next'}
        >
          <p>
            {next.text}.{next.isYours ? ' The form is below.' : ''}
          </p>
        </NoticeBox>
      )}
    </>
  )
}

const titleOf = (status: ChangeView['status']) =>
  status === 'draft' || status === 'approved' || status === 'in_progress'
    ? 'The last attempt did not succeed'
    : toWords(status)

const Conflict = ({ change: { conflict, status } }: { change: ChangeView }) => {
  if (!conflict || status === 'done') return <></>
  const { version, fields } = conflict
  return (
    <NoticeBox tone="wait" title="The target has changed in the meantime">
      <p>
        When the change was about to be written, its target was at version {version}{' '}
        {fields.length > 0 ? `, with other values in: ${fields.map(toWords).join(', ')}` : ''}.
        Nothing was written. Earlier reviews no longer count: the change must be reviewed again for
        the current target.
      </p>
    </NoticeBox>
  )
}

const Collisions = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const others = collisionsWith(change, visit.list('change', change.tenant))
  if (others.length === 0) return <></>
  return (
    <NoticeBox tone="wait" title="Another change uses this target at the same time">
      <ul>
        {others.slice(0, 5).map((other) => (
          <li>
            <a href={visit.at(`/changes/${other.id}`)}>{other.terms.title}</a>:{' '}
            <WindowText visit={visit} of={windowOf(other)!} isBooked={other.window !== null} />
          </li>
        ))}
      </ul>
    </NoticeBox>
  )
}

const PostReview = ({ visit, change: { postReview } }: { visit: Visit; change: ChangeView }) => {
  if (postReview?.status === 'due') {
    return (
      <NoticeBox tone="wait" title="Post-review due">
        <p>
          This was an emergency change. Someone who did not take part in it must review it by{' '}
          <TimeText ms={postReview.byMs} zone={visit.zone} />.
        </p>
      </NoticeBox>
    )
  }
  if (postReview?.status !== 'missed') return <></>
  return (
    <NoticeBox tone="bad" title="Post-review missed">
      <p>
        This was an emergency change, and no one reviewed it by{' '}
        <TimeText ms={postReview.byMs} zone={visit.zone} />.
      </p>
    </NoticeBox>
  )
}
