/** One request: a draft to check, the exact text under review, or its outcome. */
import { requestActor, type RequestView } from '../../../../proto/access/grants/request.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../html/form.tsx'
import type { Markup } from '../../../html/markup.ts'
import { PermissionTable } from '../../html/permissions.tsx'
import {
  ButtonLink,
  IdCode,
  FactList,
  NoticeBox,
  PageSection,
  StatusMark,
  TimeText,
} from '../../html/parts.tsx'
import type { Redirect, FormProblem, PageContent } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf, needTitle, scopeName, subjectName } from '../../words/names.ts'
import { fromNow } from '../../words/times.ts'
import { plural, ruleWords, slotsWord, toWords } from '../../words/words.ts'
import { askStepUrl } from '../ask/state.ts'
import { StepList } from '../ask/steps.tsx'
import { ReviewForm, ReviewList } from '../reviews.tsx'
import { reviewStateOf } from './review-state.ts'
import { RequestStatusMark } from './table.tsx'

export async function showRequest(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const request = await visit.deps.governance.get(requestActor, visit.facts.caller, id)
  const isMine = request.requestedBy.id === visit.person.id
  const isEditable = isMine && ['draft', 'returned'].includes(request.status)
  return isEditable ? checkPage(visit, request, problem) : requestPage(visit, request, problem)
}

const summaryFields = [
  { name: 'ends_at', label: 'The end' },
  { name: 'permissions', label: 'What is asked for' },
  { name: 'path', label: 'How it is used' },
  { name: 'decision', label: 'Decision' },
  { name: 'reason', label: 'Reason' },
]

/** The last of the four steps. */
function checkPage(
  visit: Visit,
  request: RequestView,
  problem: FormProblem | undefined,
): PageContent {
  const { terms, status, message, version, id } = request
  const change = (step: '' | '/areas' | '/time') => askStepUrl(visit, step, request)
  return {
    title: 'Check your answers',
    lead: 'This is what the reviewers will see. Nothing is sent yet.',
    up: { href: visit.at('/access'), label: 'My access' },
    body: (
      <>
        <StepList at={3} />
        <ErrorSummary problem={problem} />
        {status === 'returned' && message !== undefined ? (
          <NoticeBox tone="wait" title="A reviewer asked for changes">
            <p>{message}</p>
          </NoticeBox>
        ) : (
          ''
        )}
        <FactList
          of={[
            {
              term: 'Need',
              is: changeable(needTitle(visit, terms.needId), change(''), 'the need'),
            },
            {
              term: 'Who gets it',
              is: changeable(subjectName(visit, terms.subject), change(''), 'who gets it'),
            },
            { term: 'Service scope', is: scopeName(visit, terms.scopeId) },
            {
              term: 'Used through',
              is: changeable(toWords(terms.path), change('/areas'), 'the use'),
            },
            {
              term: 'Until',
              is: changeable(
                <TimeText ms={terms.endsAtMs} zone={visit.zone} />,
                change('/time'),
                'the end',
              ),
            },
            {
              term: 'Why',
              is: changeable(terms.justification, change('/time'), 'the reason'),
            },
            terms.emergency && { term: 'Emergency', is: 'Yes: it is reviewed afterwards too.' },
          ]}
        />
        <PageSection
          title="What is asked for"
          actions={<a href={change('/areas')}>Change the areas</a>}
        >
          <PermissionTable of={terms.permissions} caption="Areas, and what may be done there" />
        </PageSection>
        <div class="buttons ends">
          <PostForm visit={visit} action={visit.at(`/requests/${id}/submit`)} seen={version}>
            <SubmitButton>Send for review</SubmitButton>
          </PostForm>
          <PostForm visit={visit} action={visit.at(`/requests/${id}/withdraw`)} seen={version}>
            <SubmitButton kind="plain">Discard</SubmitButton>
          </PostForm>
        </div>
        {request.reviews.length === 0 ? (
          ''
        ) : (
          <ReviewList visit={visit} of={request.reviews} noun="request" />
        )}
      </>
    ),
  }
}

const changeable = (value: Markup, href: string, what: string) => (
  <div class="changeable">
    <span>{value}</span>
    <a href={href}>
      Change<span class="hidden"> {what}</span>
    </a>
  </div>
)

function requestPage(
  visit: Visit,
  request: RequestView,
  problem: FormProblem | undefined,
): PageContent {
  const standing = reviewStateOf(visit, request)
  const isMine = request.requestedBy.id === visit.person.id
  return {
    title: request.shown?.need.title ?? needTitle(visit, request.terms.needId),
    lead: `Access for ${request.shown?.subject.name ?? subjectName(visit, request.terms.subject)}, asked for ${fromNow(request.createdAtMs, visit.now)}.`,
    up:
      standing.kind === 'decided'
        ? { href: visit.at('/requests'), label: 'Requests' }
        : { href: visit.at('/reviews'), label: 'Reviews' },
    actions: <RequestStatusMark of={request} />,
    body: (
      <>
        <ErrorSummary problem={problem} fields={summaryFields} />
        <Outcome visit={visit} request={request} />
        {standing.kind === 'not for you' ? (
          <NoticeBox tone="info" title="You do not decide on this">
            <p>{standing.why}</p>
          </NoticeBox>
        ) : (
          ''
        )}
        <UnderReview visit={visit} request={request} />
        {request.reviews.length === 0 ? (
          ''
        ) : (
          <ReviewList visit={visit} of={request.reviews} noun="request" />
        )}
        {standing.kind === 'waits for you' ? (
          <ReviewForm
            visit={visit}
            action={visit.at(`/requests/${request.id}/reviews`)}
            of={request}
            problem={problem}
          />
        ) : (
          ''
        )}
        {isMine && request.status === 'pending' ? (
          <PostForm
            visit={visit}
            action={visit.at(`/requests/${request.id}/withdraw`)}
            seen={request.version}
          >
            <SubmitButton kind="plain">Withdraw this request</SubmitButton>
          </PostForm>
        ) : (
          ''
        )}
      </>
    ),
  }
}

const Outcome = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { status, message, grantId } = request
  if (status === 'fulfilled' && grantId !== undefined) {
    return (
      <NoticeBox tone="good" title="Granted">
        <p>
          <a href={visit.at(`/access/${grantId}`)}>See what came of it</a>
        </p>
      </NoticeBox>
    )
  }
  if (message === undefined) return <></>
  const tone = status === 'denied' || status === 'lapsed' ? 'bad' : 'wait'
  return (
    <NoticeBox tone={tone} title={toWords(status)}>
      <p>{message}</p>
    </NoticeBox>
  )
}

/** Exactly the content that the digest covers. */
const UnderReview = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { shown, policy, digest, requestedBy, tenant } = request
  const terms = shown?.terms ?? request.terms
  return (
    <>
      <FactList
        of={[
          { term: 'Client', is: shown?.client.name ?? clientName(visit, tenant) },
          { term: 'Who gets it', is: shown?.subject.name ?? subjectName(visit, terms.subject) },
          { term: 'Asked for by', is: objectNameOf(visit, requestedBy.id) },
          {
            term: 'Need',
            is: (
              <>
                <a href={visit.at(`/needs/${terms.needId}`)}>
                  {shown?.need.title ?? needTitle(visit, terms.needId)}
                </a>
                <br />
                {shown?.need.purpose ?? ''}
              </>
            ),
          },
          { term: 'Why', is: terms.justification },
          {
            term: 'Service scope',
            is: shown
              ? `${shown.scope.name}, version ${shown.scope.version}`
              : scopeName(visit, terms.scopeId),
          },
          { term: 'Used through', is: toWords(terms.path) },
          terms.startsAtMs !== undefined && {
            term: 'Begins',
            is: <TimeText ms={terms.startsAtMs} zone={visit.zone} />,
          },
          { term: 'Until', is: <TimeText ms={terms.endsAtMs} zone={visit.zone} /> },
          terms.cidrs.length > 0 && { term: 'Only from', is: terms.cidrs.join(', ') },
          terms.emergency && { term: 'Emergency', is: 'Yes: 4 hours at most, reviewed afterwards' },
          policy && {
            term: 'Needs the word of',
            is: (
              <>
                {slotsWord(policy.slots)}, by <TimeText ms={policy.expiresAtMs} zone={visit.zone} />
                <ul>
                  {policy.rules.map((rule) => (
                    <li class="quiet">{ruleWords[rule] ?? rule}</li>
                  ))}
                </ul>
              </>
            ),
          },
        ]}
      />
      <PageSection title="What is asked for">
        <PermissionTable of={terms.permissions} caption="Areas, and what may be done there" />
      </PageSection>
      <Renewed visit={visit} request={request} />
      {digest === null ? (
        ''
      ) : (
        <p class="quiet">
          Digest of what is shown: <IdCode>{digest}</IdCode>
        </p>
      )}
    </>
  )
}

/** The grant to be renewed, and whether it was used. */
const Renewed = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { renewsGrantId } = request.terms
  const old = renewsGrantId === undefined ? undefined : visit.find('grant', renewsGrantId)
  if (!old) return <></>
  return (
    <PageSection title="The access that it follows">
      <PermissionTable of={old.permissions} caption="What the last grant allows" />
      <FactList
        of={[
          { term: 'Status', is: <StatusMark of={old.status} /> },
          { term: 'Tokens', is: plural(old.tokens.length, 'token') },
          {
            term: 'Last used',
            is:
              old.lastUsedAtMs === undefined ? (
                'Never, by a token'
              ) : (
                <TimeText ms={old.lastUsedAtMs} zone={visit.zone} />
              ),
          },
        ]}
      />
      <ButtonLink href={visit.at(`/access/${old.id}`)}>See that grant</ButtonLink>
    </PageSection>
  )
}

export async function submitRequest(visit: Visit): Promise<Redirect> {
  const id = visit.param('id')
  const act = { params: { id }, seen: visit.form.text('seen') }
  await visit.do('POST /v1/access-requests/{id}/submit', act)
  return { to: visit.at(`/requests/${id}`), notice: 'submitted' }
}

export async function withdrawRequest(visit: Visit): Promise<Redirect> {
  const id = visit.param('id')
  const act = { params: { id }, seen: visit.form.text('seen') }
  await visit.do('POST /v1/access-requests/{id}/withdraw', act)
  return { to: visit.at('/access'), notice: 'withdrawn' }
}
