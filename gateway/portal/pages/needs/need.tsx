/** One need, and its end. */
import { needActor, type NeedView } from '../../../../proto/access/engagement/need.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { LongField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import {
  IdCode,
  DueDay,
  EmptyState,
  FactList,
  PageSection,
  TimeText,
} from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { dayText, endOfDay } from '../../../html/times.ts'
import { toWords } from '../../words/words.ts'
import { grantColumns } from '../grants/list.tsx'

export async function showNeed(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const need = await visit.deps.governance.get(needActor, visit.facts.caller, id)
  const grants = visit.list('grant').filter(({ needId }) => needId === need.id)
  return {
    title: need.title,
    up: { href: visit.at('/needs'), label: 'Needs' },
    actions: <StatusMark of={need.status} />,
    body: (
      <>
        <ErrorSummary problem={problem} fields={verbFields(visit.verb)} />
        <NeedFacts visit={visit} need={need} />
        <PageSection title="Access for this need">
          {grants.length === 0 ? (
            <EmptyState title="No access was granted for this need.">
              <p>
                <a
                  href={visit.at(
                    `/ask?need=${need.id}${visit.isStaff ? `&client=${need.tenant}` : ''}`,
                  )}
                >
                  Request access for it
                </a>
              </p>
            </EmptyState>
          ) : (
            <DataTable
              caption="Newest first"
              columns={grantColumns(visit).filter(({ label }) => label !== 'Client')}
              rows={grants.slice(0, 25)}
            />
          )}
        </PageSection>
        <Acts visit={visit} need={need} problem={problem} />
      </>
    ),
  }
}

const verbFields = (verb: string) => [
  { name: 'reason', id: `reason-${verb}`, label: 'Reason' },
  { name: 'expected_end_at', label: 'New last day' },
]

const NeedFacts = ({ visit, need }: { visit: Visit; need: NeedView }) => (
  <FactList
    of={[
      visit.isStaff && { term: 'Client', is: clientName(visit, need.tenant) },
      { term: 'Purpose', is: need.purpose },
      { term: 'Kind', is: toWords(need.category) },
      { term: 'Reference', is: `${toWords(need.reference.kind)} ${need.reference.id}` },
      { term: 'Responsible', is: objectNameOf(visit, need.ownerId) },
      { term: 'Opened', is: <TimeText ms={need.createdAtMs} zone={visit.zone} /> },
      {
        term: 'Expected end',
        is: <DueDay ms={need.expectedEndAtMs} zone={visit.zone} now={visit.now} />,
      },
      need.closedAtMs !== undefined && {
        term: 'Closed',
        is: (
          <>
            <TimeText ms={need.closedAtMs} zone={visit.zone} />: {need.closedReason ?? ''}
          </>
        ),
      },
      { term: 'ID', is: <IdCode>{need.id}</IdCode> },
    ]}
  />
)

const Acts = ({
  visit,
  need,
  problem,
}: {
  visit: Visit
  need: NeedView
  problem: FormProblem | undefined
}) => {
  const isKept = visit.may('POST /v1/needs/{id}/close')
  if (need.status === 'closed' || !isKept) return <></>
  const mayExtend = hasRole(visit.person, 'reviewer', 'owner') && need.ownerId !== visit.person.id
  const [extending, closing] = ['extend', 'close'].map((verb) =>
    visit.verb === verb ? problem : undefined,
  )
  return (
    <PageSection title="Actions">
      {mayExtend ? (
        <Collapsible label="Extend" isOpen={extending !== undefined}>
          <PostForm
            visit={visit}
            action={visit.at(`/needs/${need.id}/extend`)}
            seen={need.version}
            class="narrow"
          >
            <TextField
              {...{ name: 'expected_end_at', label: 'New last day', type: 'date' }}
              {...{ width: 'short', problem: extending }}
              value={dayText(need.expectedEndAtMs, visit.zone)}
            />
            <Reason visit={visit} verb="extend" problem={extending} />
            <SubmitButton>Extend the need</SubmitButton>
          </PostForm>
        </Collapsible>
      ) : (
        ''
      )}
      <Collapsible label="Close" isOpen={closing !== undefined}>
        <PostForm
          visit={visit}
          action={visit.at(`/needs/${need.id}/close`)}
          seen={need.version}
          class="narrow"
        >
          <p>All access granted for this need ends immediately.</p>
          <Reason visit={visit} verb="close" problem={closing} />
          <SubmitButton kind="danger">Close the need</SubmitButton>
        </PostForm>
      </Collapsible>
    </PageSection>
  )
}

const Reason = ({
  visit,
  verb,
  problem,
}: {
  visit: Visit
  verb: string
  problem: FormProblem | undefined
}) => (
  <LongField
    {...{ name: 'reason', id: `reason-${verb}`, label: 'Reason', problem, rows: 2 }}
    hint="At least 10 characters. Kept in the audit."
    value={problem ? visit.form.text('reason') : ''}
  />
)

export async function extendNeed(visit: Visit): Promise<Redirect> {
  const { form, zone } = visit
  const body = {
    expected_end_at: endOfDay(form.text('expected_end_at'), zone),
    reason: form.text('reason'),
  }
  return verb(visit, 'extend', body, 'extended')
}

export async function closeNeed(visit: Visit): Promise<Redirect> {
  return verb(visit, 'close', { reason: visit.form.text('reason') }, 'closed')
}

async function verb(
  visit: Visit,
  name: 'extend' | 'close',
  body: object,
  noticeName: 'extended' | 'closed',
): Promise<Redirect> {
  const id = visit.param('id')
  const act = { params: { id }, seen: visit.form.text('seen'), body }
  await visit.do(`POST /v1/needs/{id}/${name}`, act)
  return { to: visit.at(`/needs/${id}`), notice: noticeName }
}
