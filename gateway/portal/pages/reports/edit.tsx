/** Edits the texts of a draft: title, summary and remarks. Figures cannot be edited. */
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { SubmittedForm } from '../../../html/forms/form.ts'
import { LongField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton, type NamedField } from '../../../html/form.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { reportOf, type ReportData } from './lookup.ts'

interface Remark {
  readonly heading: string
  readonly text: string
}

/** The number of additional empty remark fields. */
const moreRemarks = 2

const remarksOf = ({ sections }: ReportData): readonly Remark[] =>
  sections.flatMap((section) =>
    section.kind === 'text' && section.sources.length === 0
      ? [{ heading: section.heading, text: section.body }]
      : [],
  )

/** The remarks in order, without empty ones. */
function remarksIn(form: SubmittedForm): readonly Remark[] {
  const texts = form.all('remark_text')
  return form
    .all('remark_heading')
    .map((heading, i) => ({ heading: heading.trim(), text: (texts[i] ?? '').trim() }))
    .filter(({ heading, text }) => heading !== '' || text !== '')
}

export async function showReportEdit(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const report = await reportOf(visit)
  const page = visit.at(`/reports/${report.id}`)
  if (report.status !== 'draft') {
    throw new ServiceError('invalid_transition', 'Only drafts can be edited.')
  }
  const { form } = visit
  const isSent = form.has('title')
  const remarks = isSent ? remarksIn(form) : remarksOf(report)
  const shown = Math.min(remarks.length + moreRemarks, limits.reportRemarks)
  return {
    title: 'Edit the draft’s text',
    lead: 'A person who edits the draft cannot publish it.',
    up: { href: page, label: 'Report' },
    body: (
      <PostForm visit={visit} action={`${page}/edit`} seen={report.version} class="narrow">
        <ErrorSummary problem={problem} fields={fields(shown)} />
        <TextField
          {...{ name: 'title', label: 'Title', problem }}
          value={isSent ? form.text('title') : report.title}
        />
        <LongField
          {...{ name: 'summary', label: 'Summary', isOptional: true, problem }}
          value={isSent ? form.text('summary') : report.summary}
        />
        {Array.from({ length: shown }, (_, i) => (
          <RemarkFields at={i} of={remarks[i]} problem={problem} />
        ))}
        <div class="buttons">
          <SubmitButton>Save</SubmitButton>
          <a href={page}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

const headingField = (at: number): NamedField => ({
  ...{ name: 'remark_heading', id: `heading-${at}`, label: `Remark ${at + 1}: heading` },
  about: `remarks.${at}.heading`,
})
const textField = (at: number): NamedField => ({
  ...{ name: 'remark_text', id: `text-${at}`, label: `Remark ${at + 1}: text` },
  about: `remarks.${at}.text`,
})

const fields = (count: number): readonly NamedField[] => [
  { name: 'title', label: 'Title' },
  { name: 'summary', label: 'Summary' },
  ...Array.from({ length: count }, (_, i) => [headingField(i), textField(i)]).flat(),
]

/** Remarks are placed before the generated sections. */
const RemarkFields = ({
  at,
  of,
  problem,
}: {
  at: number
  of: Remark | undefined
  problem: FormProblem | undefined
}) => (
  <>
    <TextField {...headingField(at)} value={of?.heading} problem={problem} isOptional />
    <LongField {...textField(at)} value={of?.text} problem={problem} rows={3} isOptional />
  </>
)

export async function saveReportEdit(visit: Visit): Promise<Redirect> {
  const { form } = visit
  const id = visit.param('id')
  await visit.do('PATCH /v1/reports/{id}', {
    ...{ params: { id }, seen: form.text('seen') },
    body: { title: form.text('title'), summary: form.text('summary'), remarks: remarksIn(form) },
  })
  return { to: visit.at(`/reports/${id}`), notice: 'saved' }
}
