/** One request: a draft to check, the request under review, or its outcome. */
import { requestActor, type RequestView } from '../../../../proto/access/grants/request.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import { NoticeBox } from '../../../html/parts.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { termsWord } from '../../html/access-title.tsx'
import { needTitle, subjectName } from '../../words/names.ts'
import { fromNow } from '../../../html/times.ts'
import { toWords } from '../../words/words.ts'
import { ReviewForm, ReviewList } from '../reviews.tsx'
import { NobodyCan } from '../open-slots.tsx'
import { checkPage } from './check.tsx'
import { reviewStateOf } from './review-state.ts'
import { RequestStatusMark } from './table.tsx'
import { UnderReview } from './under-review.tsx'

export async function showRequest(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const request = await visit.deps.governance.get(requestActor, visit.facts.caller, id)
  const isMine = request.requestedBy.id === visit.person.id
  const isEditable = isMine && ['draft', 'returned'].includes(request.status)
  return isEditable ? checkPage(visit, request, problem) : requestPage(visit, request, problem)
}

const summaryFields = [
  { name: 'ends_at', label: 'End' },
  { name: 'permissions', label: 'Permissions' },
  { name: 'path', label: 'Path' },
  { name: 'decision', label: 'Decision' },
  { name: 'reason', label: 'Reason' },
]

function requestPage(
  visit: Visit,
  request: RequestView,
  problem: FormProblem | undefined,
): PageContent {
  const standing = reviewStateOf(visit, request)
  const isMine = request.requestedBy.id === visit.person.id
  return {
    title: `${request.shown?.subject.name ?? subjectName(visit, request.terms.subject)}: ${termsWord(visit, request.terms)}`,
    lead: `For “${request.shown?.need.title ?? needTitle(visit, request.terms.needId)}”, requested ${fromNow(request.createdAtMs, visit.now)}.`,
    up:
      standing.kind === 'decided'
        ? { href: visit.at('/requests'), label: 'Requests' }
        : { href: visit.at('/reviews'), label: 'Reviews' },
    actions: <RequestStatusMark of={request} />,
    body: (
      <>
        <ErrorSummary problem={problem} fields={summaryFields} />
        <Outcome visit={visit} request={request} />
        <NobodyCan visit={visit} slots={visit.deps.approvers.ofRequest(request)} />
        {standing.kind === 'not for you' ? (
          <NoticeBox tone="info" title="You cannot decide on this request">
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
          <a href={visit.at(`/access/${grantId}`)}>View the grant</a>
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
