/** One grant: permissions, the chain it depends on, tokens, and actions that end it. */
import { grantActor, type GrantView } from '../../../../proto/access/grants/grant.ts'
import {
  isGrantParty,
  maySuspendToo,
  resumeRefusal,
} from '../../../../proto/access/grants/suspension.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { LongField } from '../../../html/fields.tsx'
import { ErrorSummary, Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import { PermissionTable } from '../../html/permissions.tsx'
import {
  ButtonLink,
  IdCode,
  DueDay,
  FactList,
  NoticeBox,
  PageSection,
  TimeText,
} from '../../../html/parts.tsx'
import { accessTitle } from '../../html/access-title.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { NoticeName } from '../../html/notices.ts'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf, needTitle, scopeName, subjectName } from '../../words/names.ts'
import { endWords, toWords } from '../../words/words.ts'
import { reviewersWord } from '../records/access.tsx'
import { GrantTokens } from './tokens.tsx'

export async function showGrant(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const grant = await visit.deps.governance.get(grantActor, visit.facts.caller, visit.param('id'))
  return grantPage(visit, grant, problem)
}

function grantPage(visit: Visit, grant: GrantView, problem: FormProblem | undefined): PageContent {
  const isMine = grant.subject.id === visit.person.id
  return {
    title: accessTitle(visit, grant),
    lead: `For “${needTitle(visit, grant.needId)}”.`,
    up: isMine
      ? { href: visit.at('/access'), label: 'My access' }
      : { href: visit.at('/grants'), label: 'Grants' },
    actions: <StatusMark of={grant.status} />,
    body: (
      <>
        <ErrorSummary
          problem={problem}
          fields={[{ name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' }]}
        />
        <PostReviewNotice visit={visit} grant={grant} />
        <GrantFacts visit={visit} grant={grant} />
        <PageSection title="Permissions">
          <PermissionTable
            of={grant.permissions}
            caption="Limited to what the service scope currently allows"
          />
        </PageSection>
        <GrantTokens visit={visit} grant={grant} problem={problem} />
        <Decisions visit={visit} grant={grant} problem={problem} />
      </>
    ),
  }
}

const GrantFacts = ({ visit, grant }: { visit: Visit; grant: GrantView }) => (
  <FactList
    of={[
      visit.isStaff && { term: 'Client', is: clientName(visit, grant.tenant) },
      { term: 'Granted to', is: subjectName(visit, grant.subject) },
      {
        term: 'Need',
        is: <a href={visit.at(`/needs/${grant.needId}`)}>{needTitle(visit, grant.needId)}</a>,
      },
      { term: 'Service scope', is: scopeName(visit, grant.scopeId) },
      { term: 'Used through', is: toWords(grant.path) },
      { term: 'Starts', is: <TimeText ms={grant.startsAtMs} zone={visit.zone} /> },
      { term: 'Ends', is: <DueDay ms={grant.endsAtMs} zone={visit.zone} now={visit.now} /> },
      grant.endedAt !== undefined && {
        term: 'Ended',
        is: (
          <>
            <TimeText ms={grant.endedAt} zone={visit.zone} />
            {'. '}
            {endWords[grant.endReason ?? ''] ?? ''} {grant.reason ?? ''}
          </>
        ),
      },
      grant.status === 'suspended' && { term: 'Reason for suspension', is: grant.reason ?? '' },
      grant.suspendedBy && {
        term: 'Suspended by',
        is: `${objectNameOf(visit, grant.suspendedBy.id)}. ${whoResumes(grant.suspendedBy)}`,
      },
      grant.cidrs.length > 0 && { term: 'Allowed networks', is: grant.cidrs.join(', ') },
      {
        term: 'Requested by',
        is: (
          <>
            {objectNameOf(visit, grant.requestedBy.id)},{' '}
            <a href={visit.at(`/requests/${grant.requestId}`)}>view the request</a>
          </>
        ),
      },
      { term: 'Reviewed by', is: reviewersWord(grant) },
      {
        term: 'Last used',
        is:
          grant.lastUsedAtMs === undefined ? (
            'Not yet'
          ) : (
            <TimeText ms={grant.lastUsedAtMs} zone={visit.zone} />
          ),
      },
      { term: 'ID', is: <IdCode>{grant.id}</IdCode> },
    ]}
  />
)

const whoResumes = ({ kind }: NonNullable<GrantView['suspendedBy']>): string =>
  kind === 'member'
    ? 'Only an owner of the client can resume it.'
    : 'They, a reviewer or an owner of the client can resume it.'

const PostReviewNotice = ({ visit, grant }: { visit: Visit; grant: GrantView }) => {
  const { postReview } = grant
  if (!postReview) return <></>
  const { status, byMs } = postReview
  if (status !== 'due') {
    return (
      <NoticeBox tone={status === 'done' ? 'info' : 'bad'} title="Emergency access">
        <p>
          {status === 'done'
            ? 'It was reviewed afterwards.'
            : 'It was not reviewed afterwards in time.'}
        </p>
      </NoticeBox>
    )
  }
  return (
    <NoticeBox tone="wait" title="Emergency access: post-review due">
      <p>
        A reviewer or an owner of the client who did not take part in it must review it by{' '}
        <TimeText ms={byMs} zone={visit.zone} />.
      </p>
    </NoticeBox>
  )
}

interface Decision {
  readonly verb: 'suspend' | 'resume' | 'revoke' | 'post-review'
  readonly label: string
  readonly says: string
  readonly isDanger?: true
}

/** The decisions that this person may take; the grant's actor checks them. */
function decisionsOf(visit: Visit, grant: GrantView): readonly Decision[] {
  const { person } = visit
  const { status, postReview } = grant
  const isParty = isGrantParty(grant, person)
  const by = { ...person, ...(visit.deps.singleOperator && ({ singleOperator: true } as const)) }
  const isSuspended = status === 'suspended'
  const isKeeper = hasRole(person, 'admin', 'reviewer', 'owner')
  const isLive = ['active', 'scheduled', 'suspended'].includes(status)
  const found: (Decision | false)[] = [
    postReview?.status === 'due' &&
      hasRole(person, 'reviewer', 'owner') && {
        verb: 'post-review',
        label: 'Complete the post-review',
        says: 'Describe what you found. You cannot review emergency access that you approved yourself.',
      },
    status === 'active' &&
      isKeeper && {
        verb: 'suspend',
        label: 'Suspend',
        says: 'Access is refused until the grant is resumed.',
      },
    isSuspended &&
      maySuspendToo(grant, person) && {
        verb: 'suspend',
        label: 'Suspend as an owner',
        says: 'The provider suspended this grant and can resume it. If you suspend it as well, only an owner can.',
      },
    isSuspended &&
      isKeeper &&
      !resumeRefusal(grant, by) && {
        verb: 'resume',
        label: 'Resume',
        says: 'The grant gives the same access again.',
      },
    isLive &&
      (isParty || isKeeper) && {
        verb: 'revoke',
        label: 'Revoke',
        says: 'The grant ends permanently, with all its tokens. To regain access, submit a new request.',
        isDanger: true,
      },
  ]
  return found.filter((one) => one !== false)
}

const Decisions = ({
  visit,
  grant,
  problem,
}: {
  visit: Visit
  grant: GrantView
  problem: FormProblem | undefined
}) => {
  const decisions = decisionsOf(visit, grant)
  if (decisions.length === 0) return <></>
  return (
    <PageSection title="Actions">
      {decisions.map(({ verb, label, says, isDanger }) => {
        const isSent = visit.verb === verb
        return (
          <Collapsible label={label} isOpen={isSent && problem !== undefined}>
            <PostForm
              visit={visit}
              action={visit.at(`/access/${grant.id}/${verb}`)}
              seen={grant.version}
              class="narrow"
            >
              <p>{says}</p>
              <LongField
                name="reason"
                id={`reason-${verb}`}
                label="Reason"
                hint="At least 10 characters. Kept in the audit."
                value={isSent ? visit.form.text('reason') : ''}
                rows={2}
                problem={isSent ? problem : undefined}
              />
              <SubmitButton kind={isDanger ? 'danger' : 'main'}>{label}</SubmitButton>
            </PostForm>
          </Collapsible>
        )
      })}
      {visit.may('POST /v1/access-requests') && grant.status === 'active' && !grant.emergency ? (
        <p>
          <ButtonLink href={visit.at(`/ask?renews=${grant.id}`)}>Request it again</ButtonLink>
        </p>
      ) : (
        ''
      )}
    </PageSection>
  )
}

const toldOf: Readonly<Record<Decision['verb'], NoticeName>> = {
  suspend: 'suspended',
  resume: 'resumed',
  revoke: 'revoked',
  'post-review': 'post-reviewed',
}

export const submitGrantDecision =
  (verb: Decision['verb']) =>
  async (visit: Visit): Promise<Redirect> => {
    const id = visit.param('id')
    await visit.do(`POST /v1/grants/{id}/${verb}`, {
      ...{ params: { id }, seen: visit.form.text('seen') },
      body: { reason: visit.form.text('reason') },
    })
    return { to: visit.at(`/access/${id}`), notice: toldOf[verb] }
  }
