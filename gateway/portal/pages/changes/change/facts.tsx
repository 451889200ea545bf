/** The facts of a change: reason and method, participants, result, and history. */
import { changeTemplate } from '../../../../../proto/access/changes/change-templates.ts'
import type { ChangeStep, ChangeView } from '../../../../../proto/access/changes/change.ts'
import { approvals } from '../../../../../proto/access/grants/review-slots.ts'
import { FactList, ExternalLink, PageSection, TimeText } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import type { Visit } from '../../../visit.ts'
import { clientName, objectNameOf, needTitle } from '../../../words/names.ts'
import { ruleWords, slotsWord, toWords } from '../../../words/words.ts'
import { implementerFact, openSlotFacts } from '../../open-slots.tsx'
import { missingApprovals } from './possible-actions.ts'
import { WindowText } from './window.tsx'

export const ChangeFacts = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const { terms, window, tenant, shown } = change
  const template = terms.templateId === undefined ? undefined : changeTemplate(terms.templateId)
  const text = (term: string, is: string) => is !== '' && { term, is: <bdi>{is}</bdi> }
  return (
    <FactList
      of={[
        visit.isStaff && { term: 'Client', is: clientName(visit, tenant) },
        {
          term: 'Need',
          is: (
            <a href={visit.at(`/needs/${terms.needId}`)}>
              {shown?.need.title ?? needTitle(visit, terms.needId)}
            </a>
          ),
        },
        text('Description', terms.description),
        { term: 'Kind', is: toWords(terms.kind) },
        {
          term: 'Type',
          is: template ? `${toWords(terms.type)}: ${template.title}` : toWords(terms.type),
        },
        template && { term: 'Pre-approved', is: template.approval },
        text('Impact', terms.impact),
        text('Test plan', terms.testPlan),
        text('Rollback plan', terms.rollbackPlan),
        { term: 'Visible to the client', is: terms.clientVisible ? 'Yes' : 'No' },
        terms.window && {
          term: 'Requested window',
          is: <WindowText visit={visit} of={terms.window} isBooked />,
        },
        window && {
          term: 'Booked window',
          is: <WindowText visit={visit} of={window} isBooked />,
        },
      ]}
    />
  )
}

export const ChangePeople = ({ visit, change }: { visit: Visit; change: ChangeView }) => {
  const { proposedBy, terms, policy, implementer, result, postReview, status } = change
  const given = approvals(change)
  const isOpen = status === 'proposed' || status === 'reviewed'
  return (
    <FactList
      of={[
        { term: 'Proposed by', is: objectNameOf(visit, proposedBy.id) },
        given.length > 0 && {
          term: 'Approved by',
          is: given
            .map(
              ({ reviewerId, slot }) =>
                `${objectNameOf(visit, reviewerId)}, ${toWords(slot).toLowerCase()}`,
            )
            .join(' · '),
        },
        policy && {
          term: 'Approval required from',
          is: (
            <>
              {policy.slots.length === 0 ? 'No one' : slotsWord(policy.slots)}
              {isOpen && given.length > 0 ? `; still missing: ${missingApprovals(change)}` : ''}
              <ul>
                {policy.rules.map((rule) => (
                  <li class="quiet">{ruleWords[rule] ?? rule}</li>
                ))}
              </ul>
            </>
          ),
        },
        ...openSlotFacts(visit, visit.deps.approvers.ofChange(change)),
        implementerFact(visit, visit.deps.approvers.implementersOf(change)),
        terms.implementerId !== undefined && {
          term: 'Planned implementer',
          is: objectNameOf(visit, terms.implementerId),
        },
        implementer && {
          term: 'Implementer',
          is: (
            <>
              {objectNameOf(visit, implementer.id)}, since{' '}
              <TimeText ms={implementer.atMs} zone={visit.zone} />
            </>
          ),
        },
        result &&
          result.by.id !== implementer?.id && {
            term: 'Reported by',
            is: objectNameOf(visit, result.by.id),
          },
        postReview?.reviewerId !== undefined && {
          term: 'Post-review by',
          is: `${objectNameOf(visit, postReview.reviewerId)}${postReview.selfReviewed ? ', who took part in it' : ''}`,
        },
      ]}
    />
  )
}

/** What the implementer reported. */
export const ChangeResultFacts = ({
  visit,
  change: { result },
}: {
  visit: Visit
  change: ChangeView
}) => {
  if (!result) return <></>
  return (
    <PageSection title="Result">
      <FactList
        of={[
          {
            term: 'Evidence',
            is: (
              <ul>
                {result.evidence.map((one) => (
                  <li>
                    <ExternalLink url={one} />
                  </li>
                ))}
              </ul>
            ),
          },
          result.notes !== '' && { term: 'Notes', is: <bdi>{result.notes}</bdi> },
          { term: 'Reported', is: <TimeText ms={result.atMs} zone={visit.zone} /> },
        ]}
      />
    </PageSection>
  )
}

/** In chronological order. */
export const ChangeHistory = ({ visit, of }: { visit: Visit; of: readonly ChangeStep[] }) => (
  <DataTable
    caption="Status changes"
    columns={[
      { label: 'Status', isHead: true, cell: ({ status }: ChangeStep) => toWords(status) },
      { label: 'When', cell: ({ atMs }) => <TimeText ms={atMs} zone={visit.zone} /> },
      { label: 'By', cell: ({ by }) => objectNameOf(visit, by) },
    ]}
    rows={of}
  />
)
