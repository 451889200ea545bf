/** The text of a request that is reviewed. */
import type { RequestView } from '../../../../proto/access/grants/request.ts'
import { PermissionTable } from '../../html/permissions.tsx'
import { ButtonLink, IdCode, FactList, PageSection, TimeText } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf, needTitle, scopeName, subjectName } from '../../words/names.ts'
import { plural } from '../../../html/plural.ts'
import { openSlotFacts } from '../open-slots.tsx'
import { ruleWords, slotsWord, toWords } from '../../words/words.ts'

/** Exactly the content that the digest covers. */
export const UnderReview = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { shown, policy, digest, requestedBy, tenant } = request
  const terms = shown?.terms ?? request.terms
  return (
    <>
      <FactList
        of={[
          { term: 'Client', is: shown?.client.name ?? clientName(visit, tenant) },
          { term: 'Requested for', is: shown?.subject.name ?? subjectName(visit, terms.subject) },
          { term: 'Requested by', is: objectNameOf(visit, requestedBy.id) },
          { term: 'Need', is: <Need visit={visit} request={request} /> },
          { term: 'Why', is: terms.justification },
          {
            term: 'Service scope',
            is: shown
              ? `${shown.scope.name}, version ${shown.scope.version}`
              : scopeName(visit, terms.scopeId),
          },
          { term: 'Used through', is: toWords(terms.path) },
          terms.startsAtMs !== undefined && {
            term: 'Starts',
            is: <TimeText ms={terms.startsAtMs} zone={visit.zone} />,
          },
          { term: 'Until', is: <TimeText ms={terms.endsAtMs} zone={visit.zone} /> },
          terms.cidrs.length > 0 && { term: 'Allowed networks', is: terms.cidrs.join(', ') },
          terms.emergency && { term: 'Emergency', is: 'Yes. At most 4 hours, reviewed afterwards' },
          policy && {
            term: 'Approval required from',
            is: <Policy visit={visit} policy={policy} />,
          },
          ...openSlotFacts(visit, visit.deps.approvers.ofRequest(request)),
        ]}
      />
      <PageSection title="Requested permissions">
        <PermissionTable of={terms.permissions} caption="Areas and allowed actions" />
      </PageSection>
      <Renewed visit={visit} request={request} />
      {digest === null ? (
        ''
      ) : (
        <p class="quiet">
          Digest of the reviewed content: <IdCode>{digest}</IdCode>
        </p>
      )}
    </>
  )
}

const Need = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { shown } = request
  const { needId } = (shown ?? request).terms
  return (
    <>
      <a href={visit.at(`/needs/${needId}`)}>{shown?.need.title ?? needTitle(visit, needId)}</a>
      <br />
      {shown?.need.purpose ?? ''}
    </>
  )
}

/** Whose approval it takes, until when, and by which rules. */
const Policy = ({
  visit,
  policy,
}: {
  visit: Visit
  policy: NonNullable<RequestView['policy']>
}) => (
  <>
    {slotsWord(policy.slots)}, by <TimeText ms={policy.expiresAtMs} zone={visit.zone} />
    <ul>
      {policy.rules.map((rule) => (
        <li class="quiet">{ruleWords[rule] ?? rule}</li>
      ))}
    </ul>
  </>
)

/** The grant to be renewed, and whether it was used. */
const Renewed = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { renewsGrantId } = request.terms
  const old = renewsGrantId === undefined ? undefined : visit.find('grant', renewsGrantId)
  if (!old) return <></>
  return (
    <PageSection title="Access that it renews">
      <PermissionTable of={old.permissions} caption="Permissions of the previous grant" />
      <FactList
        of={[
          { term: 'Status', is: <StatusMark of={old.status} /> },
          { term: 'Tokens', is: plural(old.tokens.length, 'token') },
          {
            term: 'Last used',
            is:
              old.lastUsedAtMs === undefined ? (
                'Never by a token'
              ) : (
                <TimeText ms={old.lastUsedAtMs} zone={visit.zone} />
              ),
          },
        ]}
      />
      <ButtonLink href={visit.at(`/access/${old.id}`)}>View the previous grant</ButtonLink>
    </PageSection>
  )
}
