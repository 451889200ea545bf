/**
 * Staff decisions on a report: publishing as a second person, withdrawing, or making a successor.
 */
import { hasRole } from '../../../../proto/access/author.ts'
import { LongField } from '../../../html/fields.tsx'
import { Collapsible, hiddenField, PostForm, SubmitButton } from '../../../html/form.tsx'
import { ButtonLink, PageSection } from '../../../html/parts.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { Visit } from '../../visit.ts'
import type { ReportData } from './lookup.ts'
import { shortDigest } from './words.ts'

interface Props {
  readonly visit: Visit
  readonly report: ReportData
  readonly problem: FormProblem | undefined
}

export const ReportDecision = (props: Props) => {
  const { visit, report } = props
  if (report.status === 'draft') {
    return (
      <PageSection title="Actions">
        <Publish {...props} />
        {visit.may('PATCH /v1/reports/{id}') ? (
          <p>
            <ButtonLink href={visit.at(`/reports/${report.id}/edit`)}>Edit the text</ButtonLink>
          </p>
        ) : (
          ''
        )}
      </PageSection>
    )
  }
  if (report.status !== 'published') return <></>
  const mayPublish = hasRole(visit.person, 'reviewer')
  const mayMake = visit.may('POST /v1/reports')
  if (!mayPublish && !mayMake) return <></>
  return (
    <PageSection title="Actions">
      {mayMake ? (
        <p>
          <ButtonLink href={nextHref(visit, report)}>Create a report that replaces it</ButtonLink>
        </p>
      ) : (
        ''
      )}
      {mayPublish ? <Withdraw {...props} /> : ''}
    </PageSection>
  )
}

function nextHref(visit: Visit, { id, kind }: ReportData): string {
  const client = visit.find('report', id)?.tenant ?? ''
  const query = new URLSearchParams({ client, supersedes: id, ...(kind && { kind }) })
  return visit.at(`/reports/new?${query}`)
}

/** Used to offer actions; the report's actor decides. */
function whyNot(visit: Visit, id: string): string | undefined {
  const authors = visit.find('report', id)?.authorIds ?? []
  if (authors.includes(visit.person.id) && !visit.deps.singleOperator) {
    return 'You edited this draft, so someone else must publish it: a reviewer with access to every area it covers.'
  }
  if (hasRole(visit.person, 'reviewer')) return undefined
  return 'A reviewer who has access to every area it covers and did not edit the draft must publish it.'
}

const Publish = ({ visit, report }: Props) => {
  const { id, version, digest = '' } = report
  const why = whyNot(visit, id)
  if (why !== undefined) return <p>{why}</p>
  return (
    <PostForm visit={visit} action={visit.at(`/reports/${id}/publish`)} seen={version}>
      {hiddenField('digest', digest)}
      <p>
        Read the draft first. You publish exactly this version, with the digest{' '}
        <code class="id">{shortDigest(digest)}</code>. It cannot be changed afterwards.
      </p>
      <SubmitButton>Publish this draft</SubmitButton>
    </PostForm>
  )
}

const Withdraw = ({ visit, report, problem }: Props) => {
  const own = visit.verb === 'withdraw' ? problem : undefined
  return (
    <Collapsible label="Withdraw" isOpen={own !== undefined}>
      <PostForm
        visit={visit}
        action={visit.at(`/reports/${report.id}/withdraw`)}
        seen={report.version}
        class="narrow"
      >
        <p>The content is no longer shown. The title, the digest and the reason stay visible.</p>
        <LongField
          {...{ name: 'reason', id: 'reason-withdraw', label: 'Reason', rows: 2, problem: own }}
          hint="At least 10 characters. Shown to readers and kept in the audit."
          value={own ? visit.form.text('reason') : ''}
        />
        <SubmitButton kind="danger">Withdraw the report</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

export async function publishReport(visit: Visit): Promise<Redirect> {
  const id = visit.param('id')
  await visit.do('POST /v1/reports/{id}/publish', {
    ...{ params: { id }, seen: visit.form.text('seen') },
    body: { digest: visit.form.text('digest') },
  })
  return { to: visit.at(`/reports/${id}`), notice: 'report-published' }
}

export async function withdrawReport(visit: Visit): Promise<Redirect> {
  const id = visit.param('id')
  await visit.do('POST /v1/reports/{id}/withdraw', {
    ...{ params: { id }, seen: visit.form.text('seen') },
    body: { reason: visit.form.text('reason') },
  })
  return { to: visit.at(`/reports/${id}`), notice: 'report-withdrawn' }
}
