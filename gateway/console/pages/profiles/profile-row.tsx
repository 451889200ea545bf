/** The columns of the list of profiles. */
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { PostForm } from '../../../html/form.tsx'
import { StateMark } from '../../../html/parts.tsx'
import type { TableColumn } from '../../../html/table.tsx'
import { spanWord } from '../../../html/times.ts'
import type { profileJson } from '../../../profiles/profile-json.ts'
import { QuestionButton } from '../../html/question.tsx'
import { sizeWord } from '../../../../runtime/lib/text/sizes.ts'
import type { ConsoleVisit } from '../../visit.ts'

type Profile = z.output<typeof profileJson>

/** Names may have any characters. */
export const profileRowId = ({ name }: Profile) =>
  `profile-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`

export const profileColumns = (visit: ConsoleVisit): readonly TableColumn<Profile>[] => [
  {
    label: 'Profile',
    isHead: true,
    cell: ({ name, description }) => (
      <>
        <bdi>{name}</bdi>
        {description === '' ? '' : <span class="reason">{description}</span>}
      </>
    ),
  },
  { label: 'State', cell: (profile) => <ProfileState of={profile} visit={visit} /> },
  { label: 'Size', isNumber: true, cell: ({ size_bytes: size }) => (size ? sizeWord(size) : '–') },
  { label: 'Last used', cell: ({ last_used_at: time }) => agoWord(time, visit.now) ?? 'Not yet' },
  { label: 'Versions', cell: (profile) => <Versions of={profile} visit={visit} /> },
  { label: 'Actions', cell: (profile) => <ProfileActions of={profile} visit={visit} /> },
]

interface CellProps {
  readonly of: Profile
  readonly visit: ConsoleVisit
}

const agoWord = (time: string | undefined, now: number) =>
  time && `${spanWord(now - Date.parse(time))} ago`

const ProfileState = ({ of: { status, in_use_by: holder }, visit }: CellProps) => {
  if (holder !== undefined) {
    return (
      <>
        <StateMark tone="wait">In use</StateMark>
        <span class="reason">
          <a href={visit.at(`/sessions/${holder}`)}>A session</a> will save it when it ends
        </span>
      </>
    )
  }
  return status === 'ready' ? (
    <StateMark tone="good">Ready</StateMark>
  ) : (
    <StateMark tone="quiet">Not saved yet</StateMark>
  )
}

/** The newest first; each other one can become the newest again. */
const Versions = ({ of: { name, versions, in_use_by: holder }, visit }: CellProps) => (
  <div>
    {versions.map(({ version, saved_at, logins, restored_from: from }, i) => (
      <div>
        <b>{String(version)}</b>, {agoWord(saved_at, visit.now)}
        {from === undefined ? '' : `, a copy of ${from}`}
        {logins.length === 0 ? '' : `, with ${logins.join(', ')}`}{' '}
        {i === 0 || holder !== undefined ? (
          ''
        ) : (
          <PostForm visit={visit} action={pathOf(visit, name, 'restore')}>
            <input type="hidden" name="version" value={String(version)} />
            <button type="submit" class="link">
              Go back to it
              <span class="hidden">
                : version {String(version)} of {name}
              </span>
            </button>
          </PostForm>
        )}
      </div>
    ))}
  </div>
)

const ProfileActions = ({ of: profile, visit }: CellProps) => {
  const { name, in_use_by: holder } = profile
  return (
    <div class="row-acts">
      <a href={visit.at(`/sessions/new?profile=${encodeURIComponent(name)}`)}>
        New session<span class="hidden"> with {name}</span>
      </a>
      {holder !== undefined ? (
        ''
      ) : (
        <QuestionButton
          id={`delete-${profileRowId(profile)}`}
          visit={visit}
          action={pathOf(visit, name, 'delete')}
          isLink
          label={
            <>
              Delete<span class="hidden"> {name}</span>
            </>
          }
          does="Delete this profile"
          keeps="Keep it"
          question={
            <>
              <b>
                Delete “<bdi>{name}</bdi>” with all its versions?
              </b>{' '}
              Its logins cannot be read any more. This cannot be undone.
            </>
          }
        />
      )}
    </div>
  )
}

const pathOf = (visit: ConsoleVisit, name: string, act: string) =>
  visit.at(`/profiles/${encodeURIComponent(name)}/${act}`)
