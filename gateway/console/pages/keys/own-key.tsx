/** For keys without the scope `admin`: the permissions of the signed-in key. */
import { EmptyState, FactList, IdCode, TimeText } from '../../../html/parts.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { scopeWords, sessionLimitWord } from './key-words.ts'

export const OwnKey = ({ visit }: { visit: ConsoleVisit }) => {
  const { principal } = visit.facts
  const endsMs = visit.deps.keys.get(principal.keyId)?.expiresAtMs
  return (
    <>
      <FactList
        of={[
          { term: 'Name', is: <bdi>{principal.keyName}</bdi> },
          { term: 'ID', is: <IdCode>{principal.keyId}</IdCode> },
          { term: 'Tenant', is: <bdi>{principal.tenant}</bdi> },
          {
            term: 'Scopes',
            is: (
              <ul>
                {principal.scopes.map((scope) => (
                  <li>{scopeWords[scope]}</li>
                ))}
              </ul>
            ),
          },
          { term: 'Sessions', is: sessionLimitWord(principal.sessionsMax) },
          {
            term: 'Private networks',
            is: principal.allowPrivate ? 'Allowed for its sessions' : 'Not allowed',
          },
          {
            term: 'Expires',
            is: endsMs === undefined ? 'Never' : <TimeText ms={endsMs} zone="UTC" />,
          },
        ]}
      />
      <EmptyState title="This is the key you are signed in with">
        <p>
          To view, create and revoke keys, sign in with a key that has the scope <code>admin</code>,
          or ask the operator of this service for another key.
        </p>
      </EmptyState>
    </>
  )
}
