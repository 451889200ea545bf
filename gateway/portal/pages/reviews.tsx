/** Reviews of requests and changes: the form, and the list of existing ones. */
import type { Review } from '../../../proto/access/grants/review.ts'
import { ChoiceField, LongField } from '../../html/fields.tsx'
import { hiddenField, PostForm, SubmitButton } from '../../html/form.tsx'
import { PageSection, TimeText } from '../../html/parts.tsx'
import type { FormProblem } from '../../html/forms/problem.ts'
import type { Visit } from '../visit.ts'
import { objectNameOf } from '../words/names.ts'
import { toWords } from '../words/words.ts'

const choices = [
  { value: 'approve', label: 'Approve', hint: 'Exactly as shown above.' },
  { value: 'deny', label: 'Deny', hint: 'Closes it. The author can submit a new one.' },
  {
    value: 'request_changes',
    label: 'Request changes',
    hint: 'Returns it to its author. Say what has to change.',
  },
]

interface Reviewed {
  readonly digest: string | null
  readonly version: number
}

/** A review refers to exactly what is shown; its reason is stored. */
export const ReviewForm = ({
  visit,
  action,
  of: { digest, version },
  problem,
}: {
  visit: Visit
  action: string
  of: Reviewed
  problem: FormProblem | undefined
}) => (
  <PageSection title="Your review">
    <PostForm visit={visit} action={action} seen={version} class="narrow">
      {hiddenField('digest', digest ?? '')}
      <ChoiceField
        {...{ name: 'decision', label: 'Decision', kind: 'radio', choices, problem }}
        chosen={[visit.form.text('decision')]}
      />
      <LongField
        {...{ name: 'reason', label: 'Reason', problem }}
        hint="At least 10 characters. Shown to the author and kept in the audit."
        value={visit.form.text('reason')}
      />
      <SubmitButton>Submit the review</SubmitButton>
    </PostForm>
  </PageSection>
)

export const reviewIn = ({ form }: Visit) => ({
  decision: form.text('decision'),
  reason: form.text('reason'),
  digest: form.text('digest'),
})

const decisionWords: Readonly<Record<Review['decision'], string>> = {
  approve: 'Approved',
  deny: 'Denied',
  request_changes: 'Changes requested',
}

/** `noun` names what was reviewed. */
export const ReviewList = ({
  visit,
  of,
  noun,
}: {
  visit: Visit
  of: readonly Review[]
  noun: string
}) => (
  <PageSection title="Reviews so far">
    <ul class="todo">
      {of.map((review) => (
        <li>
          <span>
            <strong>{decisionWords[review.decision]}</strong> by{' '}
            {objectNameOf(visit, review.reviewerId)}, {toWords(review.slot).toLowerCase()}:{' '}
            {review.reason}
          </span>
          <span class="quiet">
            <TimeText ms={review.atMs} zone={visit.zone} />
            {review.isVoid ? `, for an earlier version of the ${noun}` : ''}
            {review.selfReviewed ? ', decided alone' : ''}
          </span>
        </li>
      ))}
    </ul>
  </PageSection>
)
