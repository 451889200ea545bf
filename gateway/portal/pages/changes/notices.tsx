/** Notices at the top of a change: why it was returned, and collisions. */
import type { ChangeView } from '../../../../proto/access/change.ts'
import { Notice, Time } from '../../html/parts.tsx'
import type { Visit } from '../../visit.ts'
import { words } from '../../words/words.ts'
import { collisionsWith, windowOf } from './collisions.ts'
import { nextOf } from './standing.ts'
import { Window } from './window.tsx'

const bad: readonly string[] = ['rejected', 'failed', 'rolled_back', 'cancelled']

export const Notices = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const { status, message, isLate, window } = change
  const next = nextOf(visit, change)
  return (
    <>
      {message === null || message === '' ? (
        ''
      ) : (
        <Notice tone={bad.includes(status) ? 'bad' : 'wait'} title={titleOf(status)}>
          <p>{message}</p>
        </Notice>
      )}
      <Conflict change={change} />
      {isLate && window ? (
        <Notice tone="bad" title="Its window is over, and it is still in progress">
          <p>
            The window ended at <Time ms={window.endMs} zone={visit.zone} />. Report what came of
            it.
          </p>
        </Notice>
      ) : (
        ''
      )}
      <Collisions visit={visit} change={change} />
      <PostReview visit={visit} change={change} />
      {next === undefined ? (
        ''
      ) : (
        <Notice tone={next.isYours ? 'wait' : 'info'} title={next.isYours ? 'Your turn' : 'Next'}>
          <p>
            {next.text}.{next.isYours ? ' The form is below.' : ''}
          </p>
        </Notice>
      )}
    </>
  )
}

const titleOf = (status: ChangeView['status']) =>
  status === 'draft' || status === 'approved' || status === 'in_progress'
    ? 'What was tried last came to nothing'
    : words(status)

const Conflict = ({ change: { conflict, status } }: { change: ChangeView }) => {
  if (!conflict || status === 'done') return <></>
  const { version, fields } = conflict
  return (
    <Notice tone="wait" title="What it changes was changed meanwhile">
      <p>
        When it was to be written, its target had version {version}
        {fields.length > 0 ? `, and other values in: ${fields.map(words).join(', ')}` : ''}. Nothing
        was written. Earlier reviews count no more: it is decided on again, for the target as it is
        now.
      </p>
    </Notice>
  )
}

const Collisions = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const others = collisionsWith(change, visit.list('change', change.tenant))
  if (others.length === 0) return <></>
  return (
    <Notice tone="wait" title="Another change has this target at the same time">
      <ul>
        {others.slice(0, 5).map((other) => (
          <li>
            <a href={visit.at(`/changes/${other.id}`)}>{other.terms.title}</a>:{' '}
            <Window visit={visit} of={windowOf(other)!} isBooked={other.window !== null} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

const PostReview = ({ visit, change: { postReview } }: { visit: Visit; change: ChangeView }) => {
  if (postReview?.status === 'due') {
    return (
      <Notice tone="wait" title="To be looked at afterwards">
        <p>
          It was an emergency. Somebody without a part in it looks at it by{' '}
          <Time ms={postReview.byMs} zone={visit.zone} />.
        </p>
      </Notice>
    )
  }
  if (postReview?.status !== 'missed') return <></>
  return (
    <Notice tone="bad" title="Not looked at afterwards">
      <p>
        It was an emergency, and nobody looked at it by{' '}
        <Time ms={postReview.byMs} zone={visit.zone} />.
      </p>
    </Notice>
  )
}
