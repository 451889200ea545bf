/** The columns of the list of keys. */
import type { KeyRecord } from '../../../../proto/accounts/key.ts'
import { IdCode, StateMark } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import type { TableColumn } from '../../../html/table.tsx'
import { dayWord, fromNow, spanWord } from '../../../html/times.ts'
import { keyPowersOf, type ListedKey } from '../../../service/admin/api-keys.ts'
import { QuestionButton } from '../../html/question.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { keyStateWords, sessionLimitWord } from './key-words.ts'

export const keyRowId = ({ record }: ListedKey) => `key-${record.id}`

export const keyColumns = (visit: ConsoleVisit): readonly TableColumn<ListedKey>[] => [
  { label: 'Key', isHead: true, cell: ({ record }) => <KeyName record={record} visit={visit} /> },
  { label: 'Tenant', cell: ({ record }) => <bdi>{record.tenant}</bdi> },
  { label: 'State', cell: (key) => <StateOfKey of={key} visit={visit} /> },
  { label: 'Scopes', cell: ({ record }) => <KeyPowers record={record} /> },
  { label: 'Sessions', isNumber: true, cell: (key) => <SessionsOfKey of={key} visit={visit} /> },
  { label: 'Last used', cell: ({ record }) => lastUseWord(record, visit.now) },
  { label: 'Created', cell: ({ record }) => dayWord(record.createdAtMs, 'UTC') },
  { label: 'Actions', cell: (key) => <KeyActions of={key} visit={visit} /> },
]

const KeyName = ({ record, visit }: { record: KeyRecord; visit: ConsoleVisit }) => (
  <>
    <bdi>{record.name}</bdi>
    {record.id === visit.facts.principal.keyId ? <span class="quiet"> (your key)</span> : ''}
    <span class="reason">
      <IdCode>{record.id}</IdCode>
    </span>
  </>
)

const StateOfKey = ({ of: { record, state }, visit }: { of: ListedKey; visit: ConsoleVisit }) => {
  const { tone, label } = keyStateWords[state]
  const endMs = record.revokedAtMs ?? record.expiresAtMs
  return (
    <>
      <StateMark tone={tone}>{label}</StateMark>
      <span class="reason">{endWord(state, endMs, visit.now)}</span>
    </>
  )
}

function endWord(state: ListedKey['state'], endMs: number | undefined, now: number): string {
  if (endMs === undefined) return 'Does not expire'
  const when = `${dayWord(endMs, 'UTC')}`
  return state === 'active' ? `Expires ${when}, ${fromNow(endMs, now)}` : `Since ${when}`
}

const lastUseWord = ({ lastUsedAtMs }: KeyRecord, now: number) =>
  lastUsedAtMs === undefined ? 'Not yet' : `${spanWord(now - lastUsedAtMs)} ago`

const KeyPowers = ({ record }: { record: KeyRecord }) => {
  const { scopes, allowPrivate } = keyPowersOf(record)
  return (
    <>
      {scopes.join(', ')}
      {allowPrivate ? <span class="reason">Can reach private networks</span> : ''}
    </>
  )
}

const SessionsOfKey = ({
  of: { record, sessions },
  visit,
}: {
  of: ListedKey
  visit: ConsoleVisit
}) => (
  <>
    {sessions === 0 ? (
      'None'
    ) : (
      <a href={visit.at(`?search=${encodeURIComponent(record.id)}`)}>
        {String(sessions)}
        <span class="hidden"> of the key {record.name}</span>
      </a>
    )}
    <span class="reason">{sessionLimitWord(record.limits.sessions)}</span>
  </>
)

const KeyActions = ({
  of: { record, state, sessions },
  visit,
}: {
  of: ListedKey
  visit: ConsoleVisit
}) => (
  <div class="row-acts">
    <a href={visit.at(`/audit?key_id=${record.id}`)}>
      Audit<span class="hidden"> of the key {record.name}</span>
    </a>
    {state === 'active' ? (
      <QuestionButton
        id={`revoke-${record.id}`}
        visit={visit}
        action={visit.at(`/keys/${record.id}/revoke`)}
        isLink
        label={
          <>
            Revoke<span class="hidden"> the key {record.name}</span>
          </>
        }
        does="Revoke this key"
        keeps="Keep it"
        question={<RevokeQuestion record={record} visit={visit} />}
      >
        {sessions === 0 ? (
          ''
        ) : (
          <div class="choice">
            <input type="checkbox" id={`end-of-${record.id}`} name="end_sessions" value="yes" />
            <label for={`end-of-${record.id}`}>
              Also end its {plural(sessions, 'running session')}
            </label>
          </div>
        )}
      </QuestionButton>
    ) : (
      ''
    )}
  </div>
)

const RevokeQuestion = ({ record, visit }: { record: KeyRecord; visit: ConsoleVisit }) => (
  <>
    <b>
      Revoke “<bdi>{record.name}</bdi>” of <bdi>{record.tenant}</bdi>?
    </b>{' '}
    The key stops working immediately, and its connections are closed. This cannot be undone.
    {record.id === visit.facts.principal.keyId
      ? ' You are signed in with this key and will be signed out.'
      : ''}
  </>
)
