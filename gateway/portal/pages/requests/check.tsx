/** The last of the four steps of asking for access: what the reviewers will see, to be checked. */
import type { RequestView } from '../../../../proto/access/grants/request.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { Markup } from '../../../html/markup.ts'
import { PermissionTable } from '../../html/permissions.tsx'
import { FactList, NoticeBox, PageSection, TimeText } from '../../../html/parts.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { needTitle, scopeName, subjectName } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { askStepUrl } from '../ask/state.ts'
import { StepList } from '../ask/steps.tsx'
import { ReviewList } from '../reviews.tsx'

export function checkPage(
  visit: Visit,
  request: RequestView,
  problem: FormProblem | undefined,
): PageContent {
  const { terms, status, message } = request
  return {
    title: 'Check your answers',
    lead: 'This is what the reviewers will see. Nothing has been sent yet.',
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
        <Answers visit={visit} request={request} />
        <PageSection
          title="Requested permissions"
          actions={<a href={askStepUrl(visit, '/areas', request)}>Change the areas</a>}
        >
          <PermissionTable of={terms.permissions} caption="Areas and allowed actions" />
        </PageSection>
        <Send visit={visit} request={request} />
        {request.reviews.length === 0 ? (
          ''
        ) : (
          <ReviewList visit={visit} of={request.reviews} noun="request" />
        )}
      </>
    ),
  }
}

/** Each answer, with a link to the step in which it was given. */
const Answers = ({ visit, request }: { visit: Visit; request: RequestView }) => {
  const { terms } = request
  const change = (step: '' | '/areas' | '/time') => askStepUrl(visit, step, request)
  return (
    <FactList
      of={[
        {
          term: 'Need',
          is: changeable(needTitle(visit, terms.needId), change(''), 'the need'),
        },
        {
          term: 'Requested for',
          is: changeable(subjectName(visit, terms.subject), change(''), 'who it is for'),
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
        terms.emergency && { term: 'Emergency', is: 'Yes. It is also reviewed afterwards.' },
      ]}
    />
  )
}

const changeable = (value: Markup, href: string, what: string) => (
  <div class="changeable">
    <span>{value}</span>
    <a href={href}>
      Change<span class="hidden"> {what}</span>
    </a>
  </div>
)

const Send = ({ visit, request: { id, version } }: { visit: Visit; request: RequestView }) => (
  <div class="buttons ends">
    <PostForm visit={visit} action={visit.at(`/requests/${id}/submit`)} seen={version}>
      <SubmitButton>Send for review</SubmitButton>
    </PostForm>
    <PostForm visit={visit} action={visit.at(`/requests/${id}/withdraw`)} seen={version}>
      <SubmitButton kind="plain">Discard</SubmitButton>
    </PostForm>
  </div>
)
